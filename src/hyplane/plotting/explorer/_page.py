"""The page as text: style, script and data in one file."""

import base64
import hashlib
import html
import json
from string import Template
from typing import Any

from hyplane.plotting.explorer._bundle import asset, bundle


def page(payload: dict[str, Any]) -> str:
    """Return the page that shows a payload.

    Parameters
    ----------
    payload : dict
        What `hyplane.plotting.explorer` collects about points and classifiers.

    Returns
    -------
    text : str
        HTML. Its policy allows this script and this style alone, and no connection to anywhere.
    """
    style, script = asset("explorer.css"), bundle("page")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return Template(asset("page.html")).substitute(
        policy=policy,
        title=html.escape(payload["title"]),
        style=style,
        script=script,
        data=json_in_html(payload),
    )


def json_in_html(value: Any) -> str:
    r"""Return JSON that can stand in a script element: no text in it can end the element.

    Parameters
    ----------
    value : object
        What `json.dumps` takes, with finite numbers.

    Returns
    -------
    text : str

    Examples
    --------
    >>> json_in_html({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
