"""The page in a real browser: it runs clean and offline, keys and controls work, and it fits any screen."""

import base64
import json
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from calibrant import from_logits, report, samples

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

BROWSER = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not BROWSER or not DRIVER, reason="no Chromium and its driver are installed"
)

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip
CONTROLS = ["view", "family", "claims", "chance", "confidence", "consistency"]
DRAWN = "return document.readyState === 'complete' && document.querySelector('#plot svg') !== null"
ODD = (
    "<img src=x onerror='window.broken=1'>",
    "</script><script>window.broken=1</script>",
    "<b>c</b>",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Chrome"]:
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    fit_on, pred = samples.load("c10-resnet18")
    path = tmp_path_factory.mktemp("page") / "report.html"
    report(pred[:2000], fit_on=fit_on[:1000], by={"half": np.arange(2000) % 2}).to_html(path)
    return path.as_uri()


def show(
    browser: "Chrome", address: str, width: int = 1280, scheme: str = "light", media: str = "screen"
) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    # From one page to the very same the browser would come back before it is there.
    browser.get("about:blank")
    browser.get(address)
    WebDriverWait(browser, 30).until(lambda each: each.execute_script(DRAWN))


def drawn(browser: "Chrome") -> Any:  # noqa: ANN401 - marks and words
    """Every mark of the picture: its class and where it runs, or what it says."""
    marks = "[...document.querySelectorAll('#plot svg *')]"
    run = (
        "[e.getAttribute('class'), e.getAttribute('d') || e.getAttribute('height'), e.textContent]"
    )
    return json.loads(browser.execute_script(f"return JSON.stringify({marks}.map(e => {run}))"))


def open_controls(browser: "Chrome") -> None:
    browser.execute_script("document.querySelector('.look').open = true")


def logged(browser: "Chrome", kind: str) -> list[dict[str, Any]]:
    """What was logged since this was last asked."""
    return list(browser.get_log(kind))  # type: ignore[no-untyped-call]


def focused(browser: "Chrome") -> str:
    return str(
        browser.execute_script(
            "const e = document.activeElement; return e.id || e.value || e.tagName"
        )
    )


def press(browser: "Chrome", key: str) -> None:
    from selenium.webdriver import ActionChains

    ActionChains(browser).send_keys(key).perform()


def luminance(browser: "Chrome", element: str, style: str) -> float:
    found = str(
        browser.execute_script(
            f"return getComputedStyle(document.querySelector('{element}')).{style}"
        )
    )
    red, green, blue = (float(x) / 255 for x in found[found.index("(") + 1 : -1].split(",")[:3])
    linear = [
        x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in (red, green, blue)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_it_opens_clean_quick_and_asks_the_network_nothing(browser: "Chrome", address: str) -> None:
    browser.get("about:blank")
    logged(browser, "performance")
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    show(browser, address)
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    assert {"curve", "other", "confidence", "consistency"} <= {kind for kind, *_ in drawn(browser)}
    assert logged(browser, "browser") == []
    events = [json.loads(entry["message"])["message"] for entry in logged(browser, "performance")]
    asked = [
        each["params"]["request"]["url"]
        for each in events
        if each["method"] == "Network.requestWillBeSent"
    ]
    assert {url for url in asked if not url.startswith("data:")} == {address}
    # Time of the page's own thread, which other work on the machine does not lengthen.
    assert {each["name"]: each["value"] for each in metrics}["TaskDuration"] < 1


def test_every_control_changes_the_picture_and_what_is_said_of_it(
    browser: "Chrome", address: str
) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    show(browser, address)
    open_controls(browser)
    pictures, captions = [drawn(browser)], [browser.find_element(By.ID, "caption").text]
    shots = [browser.find_element(By.ID, "plot").screenshot_as_png]
    for name, choice in (("view", 3), ("family", 1), ("claims", 1)):
        Select(browser.find_element(By.ID, name)).select_by_index(choice)
        pictures.append(drawn(browser))
        captions.append(browser.find_element(By.ID, "caption").text)
        shots.append(browser.find_element(By.ID, "plot").screenshot_as_png)
    browser.find_element(By.CSS_SELECTOR, "[value=odds]").click()
    pictures.append(drawn(browser))
    shots.append(browser.find_element(By.ID, "plot").screenshot_as_png)
    assert all(one != other for one, other in pairwise(pictures))
    assert len(set(captions)) == len(captions)
    assert len(set(shots)) == len(shots)
    assert logged(browser, "browser") == []


def test_bands_can_be_hidden(browser: "Chrome", address: str) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    show(browser, address)
    open_controls(browser)
    Select(browser.find_element(By.ID, "family")).select_by_index(1)
    for name in ("confidence", "consistency"):
        assert name in [kind for kind, *_ in drawn(browser)]
        browser.find_element(By.ID, name).click()
        assert name not in [kind for kind, *_ in drawn(browser)]


def test_keys_reach_every_control_work_it_and_show_where_they_are(
    browser: "Chrome", address: str
) -> None:
    from selenium.webdriver.common.keys import Keys

    show(browser, address)
    reached: list[str] = []
    before = drawn(browser)
    outline = "return getComputedStyle(document.activeElement).outlineWidth"
    while "copy" not in reached and len(reached) < 20:
        press(browser, Keys.TAB)
        reached.append(focused(browser))
        if reached[-1] == "SUMMARY":
            press(browser, Keys.ENTER)
        if reached[-1] in CONTROLS:
            assert float(str(browser.execute_script(outline)).removesuffix("px")) >= 2
        if reached[-1] in ("view", "chance"):
            press(browser, Keys.ARROW_DOWN)
            assert drawn(browser) != before
            before = drawn(browser)
    assert reached == ["A", "SUMMARY", *CONTROLS, "DIV", "copy"]
    rows = "return document.querySelectorAll('#points tbody tr').length"
    assert browser.execute_script(rows) > 3


def test_pointing_at_the_picture_tells_how_many_rows(browser: "Chrome", address: str) -> None:
    show(browser, address)
    point = (
        "const box = plot.getBoundingClientRect();"
        "const at = {clientX: box.left + 0.9 * box.width, clientY: box.top + arguments[0] * box.height};"
        "plot.dispatchEvent(new PointerEvent('pointermove', at)); return tip.hidden ? '' : tip.textContent"
    )
    for place, words in ((0.4, "nearest to here"), (0.85, "claims of")):
        told = browser.execute_script(point, place)
        assert "row" in told
        assert words in told
    gone = "plot.dispatchEvent(new PointerEvent('pointerleave')); return tip.hidden"
    assert browser.execute_script(gone)


def test_the_first_screen_holds_what_matters_and_a_small_one_the_picture_first(
    browser: "Chrome", address: str
) -> None:
    foot = (
        "return Math.max(...{}.map(e => document.querySelector(e).getBoundingClientRect().bottom))"
    )
    show(browser, address)
    parts = ["#verdict", "#plot svg", ".tiles", "#command", ".worst"]
    assert browser.execute_script(foot.format(parts)) <= 800
    headline = browser.execute_script("return document.querySelector('#verdict').textContent")
    assert len(headline.lstrip("!≈✓").split()) <= 12
    show(browser, address, 400)
    tops = "return {}.map(e => document.querySelector(e).getBoundingClientRect().top)"
    tops_found = browser.execute_script(tops.format(["#verdict", "#plot svg", ".look", ".tiles"]))
    assert tops_found == sorted(tops_found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_it_fits_the_screen_and_can_be_read(
    browser: "Chrome", address: str, width: int, scheme: str
) -> None:
    show(browser, address, width, scheme)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script("return plot.querySelector('svg').clientWidth") <= width
    browser.execute_script("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    ground = luminance(browser, "body", "backgroundColor")
    assert (ground > 0.5) == (scheme == "light")
    for element, style in (
        ("h1", "color"),
        (".right", "color"),
        (".meaning", "color"),
        ("#plot .tick", "fill"),
    ):
        bright, dim = sorted((ground, luminance(browser, element, style)), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) > 4.5, element


def test_it_prints_on_two_pages_in_light_colours(browser: "Chrome", address: str) -> None:
    show(browser, address, scheme="dark", media="print")
    assert luminance(browser, "body", "backgroundColor") > 0.9
    assert luminance(browser, "#plot .tick", "fill") < 0.2
    assert browser.execute_script("return getComputedStyle(controls).display") == "none"
    show(browser, address, scheme="dark", media="")
    printed = base64.b64decode(
        browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})["data"]
    )
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") == 2
    assert not browser.execute_script("return document.querySelector('[data-print]').open")


def test_names_with_markup_stay_names(browser: "Chrome", tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pred = from_logits(rng.normal(size=(50, 3)), rng.integers(0, 3, 50), classes=ODD)
    report(pred, by={ODD[0]: np.resize(ODD, 50)}).to_html(tmp_path / "odd.html")
    show(browser, (tmp_path / "odd.html").as_uri())
    for place in range(5):
        browser.execute_script(
            "view.value = arguments[0]; view.dispatchEvent(new Event('change', {bubbles: true}))",
            place,
        )
    options = browser.execute_script("return [...view.options].map(o => o.text)")
    assert set(ODD) < set(options)
    assert browser.execute_script("return [window.broken, document.images.length]") == [None, 0]
    assert logged(browser, "browser") == []
