"""html_long.py DIRECTORY PICTURES: reports of a million messages and of daemons.

How long it takes until a page can be used and how smoothly it moves is
measured in the browser; pictures are for whoever wants to look.
"""
import os
import sys
import time

from chromium import Chromium

SIZE_MAX = 100e6
READY_MAX = 3000
TASK_MAX = 200
WATCH = """
window.tasks = [];
new PerformanceObserver(list => list.getEntries().forEach(entry => tasks.push(Math.round(entry.duration))))
  .observe({type: 'longtask', buffered: true});
window.usable = 0;
const watching = setInterval(() => {
  if (document.querySelector('#rows [data-row] .text')?.textContent.length > 1) {
    usable = Math.round(performance.now());
    clearInterval(watching);
  }
}, 4);
"""
directory, pictures = sys.argv[1:]
failed = False


def check(good, sentence):
    global failed
    print(("ok: " if good else "not ok: ") + sentence, flush=True)
    failed = failed or not good


def open_report(browser, name):
    path = os.path.realpath(os.path.join(directory, name + ".html"))
    browser.open(path)
    return browser.wait(f"location.pathname === {path!r} && document.querySelector('#rows [data-row] .text')?.textContent.length > 1"
                        " && document.documentElement.dataset.ready")


def longest_task(browser):
    """In milliseconds, of all since the last question."""
    time.sleep(0.3)
    return browser.eval("Math.max(0, ...(window.tasks || []).splice(0))")


def smooth(browser, sentence, act):
    """Others may use the machine: the best of three tries counts."""
    best = None
    for _ in range(3):
        longest_task(browser)
        said = act()
        longest = longest_task(browser)
        if best is None or longest < best[0]:
            best = (longest, said)
        if longest < TASK_MAX:
            break
    check(best[0] < TASK_MAX, f"{sentence}: {best[1]}, the longest task takes {best[0]} ms")


def picture(browser, name):
    time.sleep(0.4)
    browser.screenshot(os.path.join(pictures, name + ".png"))


def frames(browser, act):
    """The longest time between two frames while something goes on."""
    browser.eval("window.gaps = []; window.going = true; window.last = performance.now();"
                 "requestAnimationFrame(function step(now) { gaps.push(now - window.last); window.last = now;"
                 "if (going) requestAnimationFrame(step); })")
    act()
    return browser.eval("going = false, Math.round(Math.max(...gaps.slice(1))) + ' ms between two frames at most'")


def look_for(browser, box, text, wanted):
    browser.fill("#search", "")
    browser.fill("#where", "")
    browser.wait("shown.view.length === log.rows")
    begin = time.monotonic()
    browser.fill(box, text)
    browser.wait(f"!document.querySelector('.busy') && shown.found && {wanted}")
    return f"{time.monotonic() - begin:.2f} s"


def load_it(browser):
    ready = int(open_report(browser, "million"))
    browser.wait("usable")
    return f"first messages after {browser.eval('usable')} ms, everything after {ready} ms"


def open_tabs(browser):
    for tab in ("stacks", "sites", "messages"):
        browser.click("#tab-" + tab)
        time.sleep(0.2)
    return "three tabs"


def plot_it(browser):
    browser.click("#tab-messages")
    browser.eval("plots.statement = plots.series = null, plots.drawn = [], element('histogram').replaceChildren()")
    begin = time.monotonic()
    browser.click("#tab-plots")
    browser.wait("document.querySelector('.value-bar') && element('plot-sum').textContent")
    return f"{browser.eval('plots.values.length')} values after {time.monotonic() - begin:.2f} s"


def million(browser):
    size = os.path.getsize(os.path.join(directory, "million.html"))
    check(size < SIZE_MAX, f"a million messages take less than 100 MB: {size / 1e6:.1f} MB")
    smooth(browser, "the page is read without a pause", lambda: load_it(browser))
    check(browser.eval("Math.max(usable, document.documentElement.dataset.ready)") < READY_MAX,
          "it can be used within 3 s")
    check(browser.eval("String(log.index.calls)") == open(os.path.join(directory, "million.calls")).read().strip(),
          f"it has all calls, in {browser.eval('log.rows')} lines")
    picture(browser, "million")

    x, y = browser.middle("#scroll")
    smooth(browser, "the table scrolls smoothly",
           lambda: frames(browser, lambda: [browser.wheel(x, y, 700) for _ in range(60)]))
    x, y = browser.middle("#marks")
    smooth(browser, "the timeline zooms smoothly",
           lambda: frames(browser, lambda: [browser.wheel(x, y, turn) for turn in [-200] * 30 + [200] * 30]))
    smooth(browser, "and moves smoothly",
           lambda: frames(browser, lambda: [browser.drag(x, y, x + way, y) for way in (200, -200) * 5]))
    smooth(browser, "nothing waits for a search through all texts", lambda: look_for(
        browser, "#search", "client 303: GET path=/logo.png size=12345 ", "shown.view.length < 1000"))
    smooth(browser, "nor for one through all arguments", lambda: look_for(
        browser, "#where", "size > 65000 && client < 105", "shown.view.length < 100000"))
    picture(browser, "million-where")
    look_for(browser, "#search", "client", "true")
    browser.fill("#search", "")
    browser.wait("shown.view.length === log.rows")
    smooth(browser, "stacks and sites are a key away", lambda: open_tabs(browser))
    smooth(browser, "so are plots", lambda: plot_it(browser))
    picture(browser, "million-plot")
    x, y = browser.middle("#marks")
    smooth(browser, "which follow the timeline",
           lambda: frames(browser, lambda: [browser.wheel(x, y, turn) for turn in [-200] * 10 + [200] * 10]))
    browser.click("#tab-messages")
    browser.eval("document.activeElement.blur()")
    browser.key("End")
    check(browser.wait("document.querySelector('#rows .chosen .text')?.textContent === 'the last message'"),
          "so is the last message")
    for tab in ("stacks", "sites"):
        browser.click("#tab-" + tab)
        picture(browser, "million-" + tab)
    memory = browser.eval("performance.memory.usedJSHeapSize / 1e6")
    check(memory < 500, f"the page takes {memory:.0f} MB")


with Chromium(1500, 940) as browser:
    browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    million(browser)
    for name in ("memcached", "redis", "tcpdump"):
        if not os.path.exists(os.path.join(directory, name + ".html")):
            print(f"skip: there is no {name}")
            continue
        for dark in (True, False):
            browser.dark(dark)
            check(open_report(browser, name), f"the report of {name} is read")
            check(browser.eval("log.rows") > 10, f"and has its {browser.eval('log.rows')} lines")
            browser.click("#rows .row:nth-child(5)")
            picture(browser, name + ("-dark" if dark else "-light"))
            browser.click("#tab-stacks")
            picture(browser, name + "-stacks" + ("-dark" if dark else "-light"))
    check(browser.said == [], "nothing was said on the console " + str(browser.said))
sys.exit(failed)
