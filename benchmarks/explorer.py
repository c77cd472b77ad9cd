"""Frames per second of the explorer page while it is dragged, in headless Chromium.

Needs selenium, chromium and chromedriver. Each row is one drag in a circle at the centre of the
picture, with a new position and a full redraw in every frame.

    python benchmarks/explorer.py --points 100000
"""

import argparse
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from selenium import webdriver

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.explorer import explore

RENDERERS = {"chosen by the page": "", "canvas": "?renderer=canvas", "WebGL": "?renderer=webgl"}


def start_browser(width: int, height: int) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.add_argument(f"--window-size={width},{height}")
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    return webdriver.Chrome(options=options, service=service)


def measure(driver: webdriver.Chrome, file: Path, query: str, frames: int) -> dict[str, Any]:
    driver.get(file.as_uri() + query)
    driver.execute_async_script("hyplane.settled().then(arguments[0])")
    driver.execute_async_script("hyplane.benchmark(10).then(arguments[0])")
    found = driver.execute_async_script(
        "hyplane.benchmark(arguments[0]).then(arguments[1])", frames
    )
    return {**found, "renderer": driver.execute_script("return hyplane.state().renderer")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=120)
    parser.add_argument("--size", type=int, nargs=2, default=(1280, 800))
    parser.add_argument("--slow", action="store_true", help="also WebGL where it is software")
    settings = parser.parse_args()
    X, y = make_hyperbolic_gaussians(settings.points, random_state=2)
    clf = HyperbolicSVC(random_state=0).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        explore(X, y, estimator=clf, output=file)
        print(
            f"{settings.points} points, {file.stat().st_size / 1e6:.1f} MB, window {settings.size}"
        )
        driver = start_browser(*settings.size)
        driver.set_script_timeout(300)
        try:
            for name, query in RENDERERS.items():
                if name == "WebGL" and not settings.slow:
                    continue
                found = measure(driver, file, query, settings.frames)
                print(
                    f"{name} ({found['renderer']}): {found['fps']:.1f} frames a second, median "
                    f"{found['median']:.1f} ms, slowest {found['slowest']:.1f} ms, script "
                    f"{found['script']:.1f} ms; load {os.getloadavg()[0]:.1f} on "
                    f"{os.cpu_count()} processors"
                )
        finally:
            driver.quit()


if __name__ == "__main__":
    main()
