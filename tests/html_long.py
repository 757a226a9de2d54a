"""html_long.py DIRECTORY PICTURES: reports of a million messages and of daemons.

How long it takes until a page can be used and how smoothly it moves is
measured in the browser; pictures are for whoever wants to look.
"""
import os
import sys
import time

from browser import Browser

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
    return browser.wait(f"location.pathname === {path!r} && document.documentElement?.dataset.ready")


def tasks(browser):
    time.sleep(0.3)
    longest = browser.eval("Math.max(0, ...tasks.splice(0))")
    return longest


def picture(browser, name):
    time.sleep(0.4)
    browser.screenshot(os.path.join(pictures, name + ".png"))


def frames(browser, act):
    """The longest time between two frames while something goes on."""
    browser.eval("window.gaps = []; window.going = true; window.last = performance.now();"
                 "requestAnimationFrame(function step(now) { gaps.push(now - window.last); window.last = now;"
                 "if (going) requestAnimationFrame(step); })")
    act()
    return browser.eval("going = false, Math.round(Math.max(...gaps.slice(1)))")


def million(browser):
    size = os.path.getsize(os.path.join(directory, "million.html"))
    check(size < SIZE_MAX, f"a million messages take less than 100 MB: {size / 1e6:.1f} MB")
    ready = int(open_report(browser, "million"))
    lines = browser.eval("log.rows")
    check(browser.eval("String(log.index.calls)") == open(os.path.join(directory, "million.calls")).read().strip(),
          f"it has all calls, in {lines} lines")
    browser.wait("usable")
    usable = browser.eval("usable")
    check(max(usable, ready) < READY_MAX,
          f"can be used within 3 s: first messages after {usable} ms, everything after {ready} ms")
    longest = tasks(browser)
    check(longest < TASK_MAX, f"and does not hang meanwhile: {longest} ms at most")
    picture(browser, "million")

    x, y = browser.middle("#scroll")
    gap = frames(browser, lambda: [browser.wheel(x, y, 700) for _ in range(60)])
    check(tasks(browser) < TASK_MAX, f"the table scrolls smoothly: {gap} ms between two frames at most")
    x, y = browser.middle("#marks")
    gap = frames(browser, lambda: [browser.wheel(x, y, turn) for turn in [-200] * 30 + [200] * 30])
    check(tasks(browser) < TASK_MAX, f"the timeline zooms smoothly: {gap} ms")
    gap = frames(browser, lambda: [browser.drag(x, y, x + way, y) for way in (200, -200) * 5])
    check(tasks(browser) < TASK_MAX, f"and moves smoothly: {gap} ms")

    begin = time.monotonic()
    browser.fill("#search", "client 303: GET path=/logo.png size=12345 ")
    browser.wait("shown.sought.includes('12345') && !document.querySelector('.busy') && shown.view.length < 1000")
    check(tasks(browser) < TASK_MAX, f"a search through all takes {time.monotonic() - begin:.2f} s, and nothing hangs")
    begin = time.monotonic()
    browser.fill("#search", "")
    browser.fill("#where", "size > 65000 && client < 105")
    browser.wait("shown.sought.includes('65000') && !document.querySelector('.busy') && shown.view.length < 100000")
    check(tasks(browser) < TASK_MAX, f"one through all arguments {time.monotonic() - begin:.2f} s")
    picture(browser, "million-where")
    browser.fill("#where", "")
    browser.wait("shown.view.length === log.rows")
    browser.eval("document.activeElement.blur()")
    browser.key("End")
    check(browser.wait("document.querySelector('#rows .chosen .text')?.textContent === 'the last message'"),
          "the last message is a key away")
    for tab in ("stacks", "sites"):
        browser.click("#tab-" + tab)
        picture(browser, "million-" + tab)
    longest = tasks(browser)
    check(longest < TASK_MAX, f"so are stacks and sites: {longest} ms at most")
    memory = browser.eval("performance.memory.usedJSHeapSize / 1e6")
    check(memory < 500, f"the page takes {memory:.0f} MB")


with Browser(1500, 940) as browser:
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
