"""An interactive page of the hyperbolic plane: one file that needs no server and no network.

The page and the notebook widget are made of the same script, which lies in ``javascript`` in the
repository; ``tools/bundle_explorer.py`` joins its files. It holds the points in double precision,
moves them by Möbius transformations, and draws with WebGL or on a canvas.
"""

from hyplane.explorer.page import Explorer, explore

__all__ = ["Explorer", "explore"]
