"""The order of the examples in the gallery: tutorials, a first picture, special questions."""

from pathlib import Path

PLAN = (
    "plot_tutorial_scikit_learn",
    "plot_tutorial_network",
    "plot_tutorial_words",
    "plot_tutorial_cells",
    "plot_decision_boundary",
    "plot_models",
    "plot_boundaries_in_all_models",
    "plot_distance",
    "plot_arsinh_loss",
    "plot_C_and_margin",
    "plot_hard_margin",
    "plot_certificate",
    "plot_solve",
    "plot_degenerate",
    "plot_isometry",
    "plot_multiclass",
    "plot_multilabel",
    "plot_probabilities",
    "plot_kernels",
    "plot_automatic_choice",
    "plot_curved_boundaries",
    "plot_digits",
    "plot_projection",
    "plot_tree",
    "plot_karate",
    "plot_labne",
    "plot_gensim",
    "plot_curvature",
    "plot_far_points",
    "plot_protocol",
    "plot_timing",
)


class ByPlan:
    """Sort the files of a gallery by `PLAN`, those it does not name last, by name."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> tuple[int, str]:
        """Return the key of one file."""
        name = Path(filename).stem
        return (PLAN.index(name) if name in PLAN else len(PLAN), name)
