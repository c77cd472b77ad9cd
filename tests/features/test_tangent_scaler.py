import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import HyperbolicSVC
from hyplane.features import ChartTransformer, TangentScaler
from hyplane.geometry import PointError, to_polar
from hyplane.persistence import load_model, save_model

X, y = load_iris(return_X_y=True)
CHARTS = ("ball", "hyperboloid", "halfspace", "klein", "polar", "tangent")


@parametrize_with_checks([TangentScaler(), TangentScaler(0.5, center=False, coordinates="klein")])
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("curvature", [-1.0, -0.25])
def test_the_median_radius_is_the_one_asked_for_in_every_chart(chart, curvature):
    scaler = TangentScaler(1.5, coordinates=chart, curvature=curvature)
    points = scaler.fit_transform(X)
    radius, direction = to_polar(points, chart, curvature=curvature)
    assert np.median(radius) == pytest.approx(1.5)  # at curvature -1
    lengths = np.linalg.norm(X - X.mean(axis=0), axis=1, keepdims=True)
    np.testing.assert_allclose(direction, (X - X.mean(axis=0)) / lengths, atol=1e-9)
    np.testing.assert_allclose(scaler.inverse_transform(points), X, atol=1e-9)
    names = scaler.get_feature_names_out()
    assert names.tolist() == [f"{chart}{column}" for column in range(points.shape[1])]


def test_rows_at_the_mean_have_no_say_in_the_scale():
    Z = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [3.0, 4.0], [-3.0, -4.0]])
    assert TangentScaler().fit(Z).scale_ == pytest.approx(0.2)
    assert TangentScaler().fit_transform(Z[:1]).tolist() == [[0.0, 0.0]]


def test_without_centering_the_origin_stays():
    scaler = TangentScaler(center=False).fit(X)
    assert scaler.transform(np.zeros((1, 4))).tolist() == [[0.0] * 4]


def test_data_frames_come_out_on_demand():
    pytest.importorskip("pandas")
    frame = TangentScaler(coordinates="klein").set_output(transform="pandas").fit_transform(X)
    assert frame.columns.tolist() == ["klein0", "klein1", "klein2", "klein3"]
    points = ChartTransformer("hyperboloid", coordinates="klein")
    points = points.set_output(transform="pandas").fit_transform(frame.to_numpy())
    assert points.columns.tolist() == [f"hyperboloid{column}" for column in range(5)]


@pytest.mark.parametrize("chart", ["ball", "tangent"])
def test_a_pipeline_from_features_to_a_classifier(chart):
    scaler, svc = TangentScaler(coordinates=chart), HyperbolicSVC(coordinates=chart)
    pipeline = make_pipeline(StandardScaler(), PCA(2), scaler, svc)
    search = GridSearchCV(pipeline, {"tangentscaler__radius": [0.5, 1.0]}, cv=3).fit(X, y)
    assert search.score(X, y) > 0.85


def test_a_pipeline_is_saved(tmp_path):
    pipeline = make_pipeline(
        TangentScaler(coordinates="hyperboloid"), HyperbolicSVC(coordinates="hyperboloid")
    )
    pipeline.fit(X, y)
    save_model(pipeline, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert (loaded.decision_function(X) == pipeline.decision_function(X)).all()


def test_features_outside_the_ball_are_refused_with_the_remedy():
    with pytest.raises(PointError, match=r'coordinates="tangent" or .*TangentScaler'):
        HyperbolicSVC().fit(X, y)


def test_tools_that_move_one_column_are_told_of_tangent_coordinates():
    points = TangentScaler(4.0).fit_transform(X)
    clf = HyperbolicSVC().fit(points, y)
    with pytest.raises(PointError, match=r"tools that change one column.*PoincareDisplay"):
        permutation_importance(clf, points, y, random_state=0)
    tangent = TangentScaler(4.0, coordinates="tangent").fit_transform(X)
    clf = HyperbolicSVC(coordinates="tangent").fit(tangent, y)
    assert permutation_importance(clf, tangent, y, random_state=0).importances_mean.max() > 0.1


def test_cells_are_told_of_their_array():
    class AnnData:
        pass

    with pytest.raises(ValueError, match=r"adata\.obsm\['X_pca'\], after .*TangentScaler"):
        TangentScaler().fit(AnnData())
    with pytest.raises(ValueError, match=r"adata\.obsm\['X_pca'\]"):
        HyperbolicSVC().fit(AnnData(), y)
