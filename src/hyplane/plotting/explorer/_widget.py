"""The same explorer as a notebook widget, through anywidget."""

from functools import cache
from types import new_class
from typing import Any

from hyplane._utils.optional import import_optional
from hyplane.plotting.explorer._bundle import asset, bundle


def make_widget(payload: dict[str, Any], height: int) -> Any:
    """Return a widget that shows a payload."""
    return _widget_class()(payload=payload, height=height)


@cache
def _widget_class() -> Any:
    anywidget = import_optional("anywidget", "widget")
    traitlets = import_optional("traitlets", "widget")
    body = {
        "__doc__": "The explorer in a notebook.",
        "_esm": bundle("widget"),
        "_css": asset("explorer.css"),
        "payload": traitlets.Dict().tag(sync=True),
        "height": traitlets.Int(640).tag(sync=True),
        "selected": traitlets.Int(-1).tag(sync=True),
    }
    return new_class("ExplorerWidget", (anywidget.AnyWidget,), {}, lambda names: names.update(body))
