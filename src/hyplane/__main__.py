"""``python -m hyplane``: the command line."""

import sys

from hyplane.cli import main

if __name__ == "__main__":
    sys.exit(main())
