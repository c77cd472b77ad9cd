"""Settings of the documentation. ``tools/build_docs`` builds it."""

import os
import sys
from importlib import metadata
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))
# The examples run one fit at a time: more threads would only compete for the same cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from api_pages import own_methods  # noqa: E402

from hyplane import HyperbolicSVCCV  # noqa: E402
from hyplane.datasets import make_hyperbolic_gaussians  # noqa: E402
from hyplane.explorer import explore  # noqa: E402

project = "hyplane"
author = "The hyplane developers"
copyright = "2026, The hyplane developers"
release = version = metadata.version("hyplane")
html_title = "hyplane"
toc_object_entries_show_parents = "hide"  # so that methods fit into the sidebar

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "sphinx_copybutton",
    "api_pages",
    "code_outputs",
    "small_screens",
]
exclude_patterns = ["_build", "sg_execution_times.rst", "**/sg_execution_times.rst"]
templates_path = ["_templates"]
default_role = "py:obj"
nitpicky = False
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]

# Docstrings.
autosummary_generate = True
autosummary_context = {"own_methods": own_methods}
autodoc_typehints = "none"
numpydoc_show_class_members = False
# The form of every docstring; tests/docs asks for parameters and examples besides.
numpydoc_validation_checks = {
    "GL01", "GL02", "GL03", "GL05", "GL06", "GL07", "GL08", "GL10",
    "SS01", "SS02", "SS03", "SS04", "SS05", "SS06", "PR02", "PR05", "PR10", "YD01",
}  # fmt: skip
numpydoc_validation_exclude = {r"\.__\w+__$"}

# The gallery.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("hyplane",),
    "within_subsection_order": "example_order.ByPlan",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "min_reported_time": 1,
    "plot_gallery": os.environ.get("HYPLANE_DOCS_PLOT", "True"),
    "matplotlib_animations": False,
    "image_srcset": ["2x"],
    "thumbnail_size": (640, 448),
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# The page. MathJax is a copy of our own: no page asks another server for anything.
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["hyplane.css"]
html_js_files = ["names.js"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "hyplane"},
    "show_prev_next": True,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# Said here, since a first visit without it writes an error on the console.
html_context = {"default_mode": "auto"}
# Pages without a section of their own need no list of its pages.
html_sidebars = {"index": [], "getting_started": []}
_OFFLINE = metadata.files("sphinx-mathjax-offline") or ()
[_MATHJAX] = [file for file in _OFFLINE if file.name == "tex-svg.js"]
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {
    "options": {"enableMenu": False},
    "svg": {"fontCache": "local"},
    "tex": {
        "macros": {
            "R": r"\mathbb{R}",
            "H": r"\mathbb{H}",
            "L": r"\mathbb{L}",
            "arsinh": r"\operatorname{arsinh}",
            "arcosh": r"\operatorname{arcosh}",
            "artanh": r"\operatorname{artanh}",
        }
    },
}


def _copy_mathjax(app, exception):
    if exception is None and app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "mathjax" / "tex-svg.js"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(Path(_MATHJAX.locate()).read_bytes())


def _write_explorer(app, exception):
    if exception is None and app.builder.format == "html":
        X, y = make_hyperbolic_gaussians(400, n_classes=4, random_state=1)
        clf = HyperbolicSVCCV(random_state=0).fit(X, y)
        explore(
            X, y, estimator=clf, title="Four Gaussians", output=app.outdir / "_static/explorer.html"
        )


def setup(app):  # noqa: D103
    app.connect("build-finished", _copy_mathjax)
    app.connect("build-finished", _write_explorer)
