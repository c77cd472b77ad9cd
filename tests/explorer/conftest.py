"""Pages in a real browser. Where none is installed, the tests that need one are skipped."""

import shutil
from itertools import count
from xml.etree import ElementTree

import numpy as np
import pytest

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.explorer import explore

SVG = "{http://www.w3.org/2000/svg}"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def start_browser(downloads):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("no browser: install chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(word)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(driver)
    return webdriver.Chrome(options=options, service=service)


def elements(svg, tag, group):
    root = ElementTree.fromstring(svg)
    [found] = [each for each in root.iter(f"{SVG}g") if each.get("class") == group]
    return found.findall(f"{SVG}{tag}")


class Page:
    """One explorer page in the browser: what a user does with it, and what it answers."""

    def __init__(self, driver, downloads):
        self.driver = driver
        self.downloads = downloads

    def resize(self, width, height, *, phone=False, dark=False):
        settings = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", settings)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def js(self, text, *arguments):
        return self.driver.execute_script(f"return {text}", *arguments)

    def settle(self):
        self.driver.execute_async_script("hyplane.settled().then(arguments[0])")

    @property
    def state(self):
        return self.js("hyplane.state()")

    def positions(self):
        return np.array(self.js("hyplane.positions()"))

    def points_at(self, pixels):
        """The points of the view's disk at pixels, without those that show none."""
        each = "arguments[0].map((pixel) => hyplane.fromPixel(...pixel))"
        found = self.js(each, np.reshape(pixels, (-1, 2)).tolist())
        return np.array([point for point in found if point is not None]).reshape(-1, 2)

    def agrees(self, clf, points, rows):
        """The share of points of the view's disk drawn in the class of their rows."""
        found = clf.classes_[self.js("hyplane.decide(arguments[0])", points.tolist())]
        return (found == clf.predict(rows)).mean()

    def shapes(self, group, tag="path"):
        """The elements of a group of the picture that is saved as SVG."""
        return elements(self.js("hyplane.exportSVG()"), tag, group)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def set_model(self, model):
        self.js("hyplane.setModel(arguments[0], 0)", model)
        self.settle()

    def pointer(self):
        from selenium.webdriver import ActionChains

        return ActionChains(self.driver, duration=0)

    def to(self, chain, x, y):
        """Move the pointer to a pixel of the stage."""
        stage = self.find(".hyx-stage")
        size = stage.size
        left, top = size["width"] // 2, size["height"] // 2
        return chain.move_to_element_with_offset(stage, round(x) - left, round(y) - top)

    def hover(self, x, y):
        self.to(self.pointer(), x, y).perform()
        self.settle()

    def drag(self, start, end):
        """Drag with the mouse; return the pixels where the page saw it begin and end."""
        self.js(
            """(() => {
              const stage = document.querySelector(".hyx-stage");
              const box = stage.getBoundingClientRect();
              window.seen = [];
              const keep = (e) => window.seen.push([e.clientX - box.left, e.clientY - box.top]);
              for (const kind of ["pointerdown", "pointerup"]) {
                stage.addEventListener(kind, keep, { once: true });
              }
            })()"""
        )
        chain = self.to(self.pointer(), *start).click_and_hold()
        for share in (0.5, 1.0):
            spot = [a + share * (b - a) for a, b in zip(start, end, strict=True)]
            chain = self.to(chain, *spot)
        chain.release().perform()
        self.settle()
        return self.js("window.seen")

    def tick(self, words):
        """Tick or untick a box by its words, and return its label."""
        labels = self.driver.find_elements("css selector", "label.hyx-check")
        [label] = [each for each in labels if each.text.startswith(words)]
        label.click()
        self.settle()
        return label

    def choose(self, option):
        """Choose what points are coloured by."""
        from selenium.webdriver.support.select import Select

        Select(self.find("select")).select_by_visible_text(option)
        self.settle()

    def press(self, words):
        """Press a button by its words."""
        buttons = self.driver.find_elements("css selector", "button")
        [button] = [each for each in buttons if each.text == words]
        button.click()
        self.settle()

    def wait_until(self, condition):
        """Wait until a condition of the page holds."""
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.driver, 30, 0.02).until(lambda _: self.js(condition))

    def saved(self, name):
        """Return the content of a file that the page saves."""
        from selenium.webdriver.support.wait import WebDriverWait

        file = self.downloads / name
        WebDriverWait(self.driver, 30, 0.1).until(lambda _: file.exists())
        return file.read_bytes()

    def keys(self, *keys):
        self.find(".hyx-stage").send_keys(*keys)
        self.settle()

    def errors(self):
        return [entry for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    downloads = tmp_path_factory.mktemp("downloads")
    driver = start_browser(downloads)
    yield driver, downloads
    driver.quit()


@pytest.fixture(scope="session")
def show(browser, tmp_path_factory):
    """Make a page of what `explore` takes and open it. No page may write an error."""
    folder = tmp_path_factory.mktemp("pages")
    numbers = count()
    page = Page(*browser)

    def open_page(
        *arguments, width=1100, height=760, phone=False, dark=False, query="", **settings
    ):
        file = folder / f"page{next(numbers)}.html"
        explore(*arguments, output=file, **settings)
        page.resize(width, height, phone=phone, dark=dark)
        page.driver.get(file.as_uri() + query)
        page.settle()
        assert page.errors() == []
        return page

    return open_page


@pytest.fixture(scope="session")
def data():
    X, y = make_hyperbolic_gaussians(120, n_classes=3, random_state=4)
    return X, np.array(["ant", "bee", "cat"])[y]


@pytest.fixture(scope="session")
def classifier(data):
    return HyperbolicSVC(random_state=0).fit(*data)
