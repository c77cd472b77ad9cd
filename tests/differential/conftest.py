"""The modules beside the tests are imported by name, here and by tools/measure_accuracy."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
