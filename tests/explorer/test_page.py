"""The page as a user has it, in a real browser."""

import base64
import csv
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.explorer import explore

pytestmark = pytest.mark.slow  # a browser takes long to start and to draw

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "</script><script>window.evil = 1</script><img src=x onerror='window.evil=1'>"


def picture_of(page):
    image = pytest.importorskip("matplotlib.image")
    return image.imread(BytesIO(page.driver.get_screenshot_as_png()))[..., :3]


class TestOpening:
    def test_every_kind_of_page_opens_without_an_error(self, show, data, classifier):
        X, y = data
        rng = np.random.default_rng(0)
        show(X)
        show(X, y, estimator=HyperbolicKernelSVC().fit(X, y))
        show(X, y, estimator=classifier, Cs=[0.1, 1.0, 10.0])
        show(X, edges=[[0, 1], [5, 9]], names=range(len(X)))
        show(X, rng.normal(size=len(X)))
        show(rng.normal(size=(9, 6)), coordinates="tangent")

    def test_nothing_is_loaded_from_anywhere(self, show, data):
        page = show(*data)
        assert page.js("performance.getEntriesByType('resource').map((entry) => entry.name)") == []

    def test_names_are_text_and_never_markup(self, show, data):
        X, y = data
        y = np.where(y == "ant", EVIL, y)
        said = {"names": [EVIL] * len(X), "columns": {EVIL: [EVIL] * len(X)}, "title": EVIL}
        page = show(X, y, estimator=HyperbolicSVC().fit(X, y), **said)
        page.choose(EVIL)
        x, y = page.js("hyplane.position(0).pixel")
        page.hover(x, y)
        page.keys("n")
        assert page.find(".hyx-tip h3").text == EVIL
        assert page.find(".hyx-top h1").text == EVIL
        assert page.js("window.evil") is None
        assert page.js("document.images.length") == 0
        assert (
            EVIL in ElementTree.fromstring(page.js("hyplane.exportSVG()")).find(f"{SVG}title").text
        )
        assert page.errors() == []

    @pytest.mark.parametrize("dark", [False, True])
    @pytest.mark.parametrize("renderer", ["webgl", "canvas"])
    def test_light_and_dark_on_both_renderers(self, show, data, classifier, dark, renderer):
        page = show(*data, estimator=classifier, dark=dark, query=f"?renderer={renderer}")
        assert (page.state["renderer"] == "canvas") == (renderer == "canvas")
        picture = picture_of(page)
        corner = picture[-40:, :40].mean()
        assert corner < 0.2 if dark else corner > 0.9
        # The first point is drawn in the colour of its class.
        x, y = page.js("hyplane.position(0).pixel")
        top = round(page.find(".hyx-stage").rect["y"])
        spot = picture[top + round(y), round(x)]
        own = page.js("[...hyplane.explorer.picture.packed.slice(0, 1)][0]")
        wanted = np.array([own & 255, (own >> 8) & 255, (own >> 16) & 255]) / 255
        assert np.abs(spot - wanted).max() < 0.15

    def test_a_canvas_replaces_a_lost_graphics_context(self, show, data):
        page = show(*data, query="?renderer=webgl")
        assert page.state["renderer"].startswith("WebGL")
        page.js("hyplane.explorer.picture.gl.gl.getExtension('WEBGL_lose_context').loseContext()")
        page.settle()
        assert page.state["renderer"] == "canvas"
        before = picture_of(page)
        page.drag((430, 300), (330, 420))
        assert np.abs(picture_of(page) - before).max() > 0.3
        assert page.errors() == []

    @pytest.mark.parametrize("renderer", ["webgl", "canvas"])
    def test_many_points(self, show, renderer):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(30000, 2)), rng.integers(3, size=30000)
        page = show(X, y, coordinates="tangent", query=f"?renderer={renderer}")
        picture = picture_of(page)
        middle = picture[300:500, 300:500].reshape(-1, 3)
        assert len(np.unique(middle.round(2), axis=0)) > 3
        assert page.js("hyplane.exportSVG()").count("<image") == 1

    def test_narrow_windows_show_everything_without_scrolling_sideways(
        self, show, data, classifier
    ):
        page = show(*data, estimator=classifier, Cs=[1.0, 2.0], width=390, height=844, phone=True)
        assert page.js("document.documentElement.scrollWidth") <= 390
        stage = page.find(".hyx-stage").rect
        assert stage["width"] == 390
        assert 280 <= stage["height"] <= 0.65 * 844
        assert page.find(".hyx-panel").rect["y"] >= stage["y"] + stage["height"]
        page.resize(300, 600)
        page.settle()
        assert page.js("document.documentElement.scrollWidth") <= 300
        switch = page.find(".hyx-models").rect
        for label in page.driver.find_elements("css selector", ".hyx-models span"):
            assert label.rect["x"] + label.rect["width"] <= switch["x"] + switch["width"]

    def test_the_picture_is_there_in_the_frame_of_a_new_size(self, show, data, classifier):
        page = show(*data, estimator=classifier)
        page.js(
            """(() => {
              const stage = document.querySelector(".hyx-stage");
              const ground = stage.querySelector("canvas");
              window.sizes = [];
              new ResizeObserver(() => {
                const context = ground.getContext("2d");
                const { data } = context.getImageData(0, 0, ground.width, ground.height);
                window.sizes.push([ground.width, data.some((value) => value > 0)]);
              }).observe(stage);
            })()"""
        )

        # An observer is told a size with the next frame, which may be late.
        for n_sizes in (1, 2):
            page.wait_until(f"new Set(window.sizes.map(([width]) => width)).size === {n_sizes}")
            page.resize(700, 500)
        sizes = page.js("window.sizes")
        assert all(drawn for _, drawn in sizes)


class TestPointer:
    def test_hovering_shows_what_is_known_of_a_point(self, show, data):
        X, y = data
        clf = HyperbolicSVCCV(random_state=0).fit(X, y)
        page = show(X, y, estimator=clf, names=[f"node {i}" for i in range(len(X))])
        page.hover(*page.js("hyplane.position(3).pixel"))
        i = page.state["hovered"]
        text = page.find(".hyx-tip").text
        assert f"node {i}" in text
        assert y[i] in text
        assert f"{X[i, 0]:.6g}".replace("-", "−") in text
        assert f"{clf.predict_proba(X[i : i + 1]).max():.3f}" in text
        nearest = clf.signed_distance(X[i : i + 1])[0, 0]
        assert f"{nearest:+.4g}".replace("-", "−") in text
        page.hover(5, 300)
        assert page.state["hovered"] == -1
        assert not page.find(".hyx-tip").is_displayed()

    def test_the_card_of_a_point_does_not_cover_it(self, show, data):
        X, y = data
        clf = HyperbolicSVCCV(random_state=0).fit(X, y)
        for width, height in ((1100, 760), (390, 844), (300, 420)):
            page = show(X, y, estimator=clf, width=width, height=height)
            stage = page.find(".hyx-stage").rect
            for i in np.linalg.norm(X, axis=1).argsort()[::24].tolist():
                page.hover(5, 5)
                page.hover(*page.js("hyplane.position(arguments[0]).pixel", i))
                hovered = page.state["hovered"]
                assert hovered >= 0
                card = page.find(".hyx-tip").rect
                point = page.js("hyplane.position(arguments[0]).pixel", hovered)
                x, y_ = (point[0] + stage["x"] - card["x"], point[1] + stage["y"] - card["y"])
                assert not (0 <= x <= card["width"] and 0 <= y_ <= card["height"])
                assert card["x"] >= 0
                assert card["x"] + card["width"] <= width

    def test_a_click_centres_a_point(self, show, data):
        page = show(*data)
        page.hover(*page.js("hyplane.position(8).pixel"))
        i = page.state["hovered"]
        page.pointer().click().perform()
        page.settle()
        assert page.state["selected"] == i
        assert np.abs(page.positions()[i]).max() < 1e-12
        assert "Distance to the origin" in page.find(".hyx-chosen").text

    def test_the_wheel_zooms_about_the_pointer(self, show, data):
        from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

        page = show(*data)
        page.js(
            """hyplane.explorer.stage.addEventListener("wheel", (event) => {
              const box = hyplane.explorer.stage.getBoundingClientRect();
              window.seen = [event.clientX - box.left, event.clientY - box.top];
              window.before = hyplane.fromPixel(...window.seen);
            }, { capture: true })"""
        )
        origin = ScrollOrigin.from_element(page.find(".hyx-stage"), -80, -60)
        page.pointer().scroll_from_origin(origin, 0, -400).perform()
        page.settle()
        assert page.state["view"]["zoom"] == pytest.approx(np.exp(0.6))
        before, after = page.js("[window.before, hyplane.fromPixel(...window.seen)]")
        assert after == pytest.approx(before, abs=1e-9)

    def test_a_drag_outside_the_disk_turns_it(self, show, data):
        page = show(*data)
        before = page.positions()
        start, end = page.drag((20, 330), (60, 100))
        middle = np.array(page.js("hyplane.toPixel(0, 0)"))
        first, last = (np.subtract(each, middle) * [1, -1] @ [1, 1j] for each in (start, end))
        turned = before @ [1, 1j] * np.exp(1j * np.angle(last / first))
        assert np.abs(page.positions() @ [1, 1j] - turned).max() < 1e-9

    def test_two_fingers_zoom_and_turn(self, show, data):
        page = show(*data)
        top = page.find(".hyx-stage").rect["y"]

        def touch(kind, *places):
            points = [{"x": x, "y": y + top, "id": k} for k, (x, y) in enumerate(places)]
            settings = {"type": kind, "touchPoints": points}
            page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", settings)

        touch("touchStart", (300, 300))
        touch("touchStart", (300, 300), (400, 300))
        touch("touchMove", (300, 300), (300, 100))
        touch("touchEnd")
        page.settle()
        state = page.state
        assert state["view"]["zoom"] == pytest.approx(2.0)
        a = complex(*state["isometry"][:2])
        assert np.angle(a * a) == pytest.approx(np.pi / 2)
        assert np.hypot(*state["isometry"][2:]) < 1e-12


class TestControls:
    def test_unticking_a_class_hides_its_points(self, show, data):
        X, y = data
        page = show(X, y)
        assert len(page.shapes("points")) == len(X)
        page.driver.find_elements("css selector", ".hyx-checks input")[1].click()
        page.settle()
        assert page.state["shownClasses"] == [True, False, True]
        assert len(page.shapes("points")) == (y != "bee").sum()
        hidden = int(np.flatnonzero(y == "bee")[0])
        page.hover(*page.js(f"hyplane.position({hidden}).pixel"))
        assert page.state["hovered"] == -1 or y[page.state["hovered"]] != "bee"
        page.find(".hyx-buttons .hyx-small").click()
        assert page.state["shownClasses"] == [True, True, True]

    def test_search_finds_and_centres(self, show, data):
        page = show(*data, names=[f"node {i}" for i in range(120)])
        box = page.find(".hyx-search")
        box.send_keys("node 7")
        found = [each.text for each in page.driver.find_elements("css selector", ".hyx-found li")]
        assert found[:3] == ["node 7", "node 70", "node 71"]
        assert box.get_attribute("aria-expanded") == "true"
        box.send_keys("\ue015\ue007")  # down, enter
        page.settle()
        assert page.state["selected"] == 70
        assert np.abs(page.positions()[70]).max() < 1e-12
        box.clear()
        box.send_keys("nobody")
        assert page.find(".hyx-found").text == "No point has this name"

    def test_the_slider_moves_the_hyperplane(self, show, data):
        X, y = data
        kept = y != "cat"
        page = show(X[kept], y[kept], Cs=[0.01, 1.0, 100.0])
        slider = page.find(".hyx-panel input[type=range]")
        lines = page.js("hyplane.lines()")
        slider.send_keys("\ue014")
        page.settle()
        assert page.state["fit"] == 2
        assert slider.get_attribute("aria-valuetext") == "C = 100"
        assert "C = 100" in page.find(".hyx-said").text
        assert page.js("hyplane.lines()") != lines
        wanted = HyperbolicSVC(C=100.0, random_state=0).fit(X[kept], y[kept]).hyperplanes_.offset
        assert page.js("[...hyplane.explorer.fit.offset]") == pytest.approx(wanted, rel=1e-3)

    def test_models_are_chosen_with_a_passage_between_them(self, show, data):
        page = show(*data)
        places = page.driver.execute_async_script(
            """const [done] = arguments;
            const seen = new Set();
            hyplane.setModel("halfplane", 3000);
            const look = () => {
              seen.add(String(hyplane.position(0).pixel));
              if (hyplane.state().busy) requestAnimationFrame(look);
              else done(seen.size);
            };
            look();"""
        )
        assert places > 3
        assert page.js("document.querySelector('.hyx-models input:checked').value") == "halfplane"

    def test_layers_can_be_left_out(self, show, data, classifier):
        page = show(*data, estimator=classifier, edges=[[0, 1], [1, 2]])
        svg = page.js("hyplane.exportSVG()")
        assert len(page.shapes("edges")) == 2
        assert 'class="regions"' in svg
        for words in ("Decision regions", "Hyperplanes", "Margins", "Edges", "Grid"):
            page.tick(words)
        svg = page.js("hyplane.exportSVG()")
        assert 'class="edges"' not in svg
        assert 'class="regions"' not in svg
        assert page.shapes("hyperplanes") == page.shapes("grid") == []

    def test_the_theme_button_goes_round(self, show, data):
        page = show(*data)
        button = page.find(".hyx-theme")
        corners = []
        for theme in ("light", "dark", "auto"):
            button.click()
            page.settle()
            assert button.get_attribute("aria-label") == f"Colours: {theme}"
            corners.append(picture_of(page)[-40:, :40].mean())
        assert corners[0] == corners[2] > 0.9 > 0.2 > corners[1]

    def test_a_point_too_far_out_to_centre_is_said_to_be(self, show):
        page = show([[1.0, 0.0], [500.0, 1.0]], coordinates="polar", edges=[[0, 1]])
        for model in ("ball", "klein", "halfplane", "hyperboloid"):
            page.set_model(model)
        page.set_model("ball")
        page.keys("n", "n", "\ue007")
        assert page.state["selected"] == 1
        assert page.find(".hyx-toast").text.startswith("The view ends here, 30 from the origin")
        assert page.state["isometry"] == [1, 0, 0, 0]
        assert page.errors() == []


class TestAnalysis:
    @pytest.fixture
    def page(self, show, data, classifier):
        X, y = data
        y = np.where(np.arange(len(y)) % 11 == 0, "ant", y)  # some labels are wrong
        columns = {"height": X[:, 1], "kind": np.where(X[:, 0] > 0, 'r, "x"', "l")}
        title = "Chosen points"
        return show(X, y, estimator=classifier, columns=columns, title=title), X, y

    def test_only_misclassified_points_are_shown(self, page, classifier):
        page, X, y = page
        wrong = np.flatnonzero(classifier.predict(X) != y)
        assert page.tick("Only misclassified").text.endswith(str(len(wrong)))
        assert page.state["shown"] == wrong.tolist()
        assert len(page.shapes("points")) == len(wrong)

    def test_points_are_coloured_by_a_column_or_a_probability(self, show, data, page):
        page, X, _ = page

        def colors(name):
            page.choose(name)
            return [each.get("fill") for each in page.shapes("points")]

        found = colors("height")
        low, high = X[:, 1].argmin(), X[:, 1].argmax()
        assert (found[low], found[high]) == ("#2b2f77", "#f4e04d")
        assert f"{X[:, 1].max():.4g}" in page.find(".hyx-ends").text
        assert len(set(colors("kind"))) == 2
        clf = HyperbolicSVCCV(random_state=0).fit(*data)
        page = show(*data, estimator=clf)
        sure = clf.predict_proba(data[0]).max(axis=1)
        found = colors("Probability of the prediction")
        # Red rises from green to yellow, in the upper half of the scale.
        red = np.array([int(color[1:3], 16) for color in found])
        assert np.corrcoef(red[sure > 0.55], sure[sure > 0.55])[0, 1] > 0.8

    def test_a_lasso_selects_points_and_saves_them(self, page):
        page, X, y = page
        page.press("◌")
        corners = [(-0.5, -0.5), (0.6, -0.5), (0.6, 0.7), (-0.5, 0.7)]
        spots = [page.js("hyplane.toPixel(...arguments)", *corner) for corner in corners]
        chain = page.to(page.pointer(), *spots[0]).click_and_hold()
        for spot in spots[1:]:
            chain = page.to(chain, *spot)
        chain.release().perform()
        page.settle()
        inside = np.flatnonzero(((X > [-0.49, -0.49]) & (X < [0.59, 0.69])).all(axis=1))
        outside = np.flatnonzero(((X < [-0.51, -0.51]) | (X > [0.61, 0.71])).any(axis=1))
        picked = page.state["picked"]
        assert set(inside) <= set(picked)
        assert not set(outside) & set(picked)
        assert page.state["isometry"] == [1, 0, 0, 0]  # a lasso moves nothing
        page.press("Save CSV")
        table = list(csv.DictReader(page.saved("chosen-points.csv").decode().splitlines()))
        assert [int(row["row"]) for row in table] == picked
        assert [row["Class"] for row in table] == y[picked].tolist()
        assert [[float(row["x1"]), float(row["x2"])] for row in table] == X[picked].tolist()
        assert {row["kind"] for row in table} <= {'r, "x"', "l"}
        page.press("Clear")
        assert page.state["picked"] == []

    def test_the_support_of_the_fit_is_ringed(self, show, data, classifier):
        page = show(*data, estimator=classifier)
        box = page.tick("Ring the support")
        assert box.text.endswith(str(len(classifier.support_)))
        assert len(page.shapes("rings", "circle")) == len(classifier.support_)

    def test_the_card_says_why_a_distance_can_disagree_with_the_score(self, show, data, classifier):
        page = show(*data, estimator=classifier)
        page.keys("n")
        text = page.find(".hyx-chosen").text
        scores = classifier.decision_function(data[0][:1])[0]
        assert f"{scores.max():+.4g}".replace("-", "−") in text
        assert "a class can win with a negative distance" in text


class TestKeyboard:
    def test_arrows_keys_and_models(self, show, data):
        page = show(*data)
        before = page.positions()
        page.keys("\ue014")  # right: the picture moves left
        assert (page.positions()[:, 0] < before[:, 0]).all()
        page.keys("4")
        assert page.state["model"] == "hyperboloid"
        page.keys("+")
        assert page.state["view"]["zoom"] > 1
        page.keys("1", "0")
        assert np.abs(page.positions() - before).max() < 1e-12
        page.keys("q")
        assert page.state["isometry"][1] == pytest.approx(np.sin(np.pi / 24))

    def test_points_are_read_out_one_by_one(self, show, data):
        page = show(*data, names=[f"node {i}" for i in range(120)])
        page.keys("n", "n")
        assert page.state["selected"] == 1
        assert page.find(".hyx-live").get_attribute("textContent").startswith("node 1, Class ")
        page.keys("p")
        assert page.state["selected"] == 0
        page.keys("\ue007")
        assert np.abs(page.positions()[0]).max() < 1e-12
        page.keys("/")
        assert page.js("document.activeElement.className") == "hyx-search"

    def test_every_control_has_a_name(self, show, data, classifier):
        page = show(*data, estimator=classifier, Cs=[1.0, 2.0])
        unnamed = page.js(
            """[...document.querySelectorAll("button, input, select, [tabindex]")].filter((each) =>
              !(each.getAttribute("aria-label") || each.closest("label")?.textContent ||
                each.textContent.trim())).length"""
        )
        assert unnamed == 0
        assert page.find(".hyx-live").get_attribute("aria-live") == "polite"
        described = page.find(".hyx-stage").get_attribute("aria-describedby")
        assert "zoom" in page.find(f"#{described}").get_attribute("textContent")


class TestExport:
    @pytest.mark.parametrize("model", ["ball", "halfplane", "hyperboloid"])
    def test_svg_and_png_show_the_view(self, show, data, classifier, model):
        page = show(*data, estimator=classifier)
        page.set_model(model)
        assert page.shapes("hyperplanes")
        assert [each.text for each in page.shapes("legend", "text")] == ["ant", "bee", "cat"]
        inner = int(np.linalg.norm(data[0], axis=1).argmin())
        x, y = page.js(f"hyplane.position({inner}).pixel")
        found = [
            [float(part) for part in point.get("transform")[10:-1].split()]
            for point in page.shapes("points")
        ]
        assert np.abs(np.subtract(found, [x, y])).max(axis=1).min() < 0.006
        png = base64.b64decode(page.js("hyplane.exportPNG()").partition(",")[2])
        picture = pytest.importorskip("matplotlib.image").imread(BytesIO(png))
        size = page.find(".hyx-stage").size
        assert picture.shape[:2] == (2 * size["height"], 2 * size["width"])
        assert picture.std() > 0.05

    @pytest.mark.parametrize(
        ("button", "begins"), [("Save SVG", b"<svg"), ("Save PNG", b"\x89PNG")]
    )
    def test_the_buttons_save_files(self, show, data, button, begins):
        page = show(*data, title=button)
        page.press(button)
        name = button.lower().replace(" ", "-")
        assert page.saved(f"{name}.{name[-3:]}").startswith(begins)


class TestWidget:
    def test_it_renders_and_the_chosen_point_goes_both_ways(self, browser, show, data, tmp_path):
        page = show(data[0])
        widget = explore(*data).widget()
        script = widget._esm.replace("export default { render };", "window.widget = { render };")
        file = Path(tmp_path / "widget.html")
        file.write_text(
            f"<!doctype html><meta charset=utf-8><style>{widget._css}</style>"
            # As notebooks have them.
            "<style>.lab button { border-radius: 1px } .lab ::placeholder { color: #000 }</style>"
            f"<div class=lab id=here></div><script type=module>{script}</script>",
            encoding="utf-8",
        )
        page.driver.get(file.as_uri())
        page.js(
            """(() => {
              const values = { payload: arguments[0], height: 420, selected: -1 };
              const heard = {};
              window.model = {
                get: (name) => values[name],
                set: (name, value) => { values[name] = value; },
                save_changes() {},
                on: (event, act) => { heard[event] = act; },
                say: (name, value) => { values[name] = value; heard[`change:${name}`](); },
              };
              const el = document.getElementById("here");
              window.leave = window.widget.render({ model: window.model, el });
            })()""",
            widget.payload,
        )
        assert page.find(".hyx-widget").size["height"] == 420
        style = "getComputedStyle(document.querySelector(arguments[0]), arguments[1])"
        assert page.js(f"{style}.borderRadius", ".hyx-theme", None) == "50%"
        assert page.js(f"{style}.borderRadius", ".hyx-button", None) == "8px"
        assert page.js(f"{style}.color", ".hyx-search", "::placeholder") != "rgb(0, 0, 0)"
        page.find(".hyx-stage").send_keys("n")
        assert page.js("window.model.get('selected')") == 0
        page.js("window.model.say('selected', 5)")
        assert "Point 5" in page.find(".hyx-chosen").text
        page.js("window.leave()")
        assert page.js("document.querySelector('.hyx-stage')") is None
        assert page.errors() == []
