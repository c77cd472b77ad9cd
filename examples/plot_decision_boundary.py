"""
Decision boundaries in the Poincaré disk
========================================

Four classes of points, each a Gaussian on the hyperbolic plane. A hyperbolic support vector
classifier separates each class from the rest by a geodesic: a circular arc that meets the rim at
right angles. A linear classifier, which takes the ball coordinates for ordinary numbers, has only
straight lines. The lines belong to the class of their colour; the regions show what is predicted.

``python -m hyplane.demo`` makes the same picture, and averages over more data sets.
"""

import argparse
from pathlib import Path

from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.plotting import PoincareDisplay


def main() -> None:
    import matplotlib.pyplot as plt

    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path, default=Path("decision_boundary.png"))
    output = parser.parse_args().output

    X, y = make_hyperbolic_gaussians(800, n_classes=4, random_state=5)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=5
    )

    figure, axes = plt.subplots(1, 2, figsize=(9.0, 5.35), layout="constrained")
    models = {"Hyperbolic SVM": HyperbolicSVC(), "Linear SVM": LinearSVC()}
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        accuracy = model.fit(X_train, y_train).score(X_test, y_test)
        print(f"{name}: test accuracy {accuracy:.3f}")
        PoincareDisplay.from_estimator(
            model, X_test, y_test, ax=ax, class_names=[f"class {label}" for label in range(4)]
        )
        ax.set_title(f"{name}\ntest accuracy {accuracy:.1%}")
    figure.savefig(output, dpi=150)
    print(f"The picture is {output.resolve()}")


if __name__ == "__main__":
    main()
