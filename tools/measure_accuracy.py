"""Measure the worst relative errors against mpmath and write them into benchmarks/README.md.

Usage: python tools/measure_accuracy.py [--draws N] [--page benchmarks/README.md]

The table replaces what is between the two marks in the page. Needs the test extra.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "differential"))
FIRST, LAST = "<!-- accuracy: begin -->", "<!-- accuracy: end -->"


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=40, help="draws per number (40)")
    parser.add_argument("--page", type=Path, default=ROOT / "benchmarks" / "README.md")
    options = parser.parse_args()
    text = options.page.read_text(encoding="utf-8")
    before, rest = text.split(FIRST)
    after = rest.split(LAST)[1]
    table = "\n".join(rows(options.draws))
    temporary = options.page.with_name(options.page.name + ".tmp")
    temporary.write_text(f"{before}{FIRST}\n{table}\n{LAST}{after}", encoding="utf-8")
    temporary.replace(options.page)


def rows(n_draws: int) -> list[str]:
    """Return the lines of the table."""
    import accuracy_table

    radii = accuracy_table.RADII
    names = [f"{radius:g}".replace("e-0", "e-") for radius in radii]
    lines = [
        f"| function, radius | {' | '.join(names)} |",
        "|---|" + "--:|" * len(radii),
    ]
    for name, chart, error in accuracy_table.functions():
        cells = []
        for radius in radii:
            # Textbook formulas at radius 1e4 are computed with ten thousand digits.
            n = n_draws if radius < 1000 else max(1, n_draws // 10)
            worst = accuracy_table.worst(error, chart, radius, n)
            cells.append("" if worst is None else in_units(worst))
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return lines


def in_units(error: float) -> str:
    """Return one digit of an error in units of 1e-16."""
    rounded = float(f"{1e16 * error:.1g}")
    return f"{rounded:g}" if rounded >= 0.1 else "0"


if __name__ == "__main__":
    main()
