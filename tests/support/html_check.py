"""html_check.py DIRECTORY: reads reports as a person does, with mouse and keys.

In the directory are the reports that t_html.sh has made, and what binlog-show
says of the same captures.  Prints a line for each check.
"""
import os
import sys

from chromium import Chromium

failed = False
directory = sys.argv[1]

ALL_LINES = """(async () => {
  const lines = [];
  for (let row = 0; row < log.rows; row++) {
    while (textOf(row) === undefined)
      await new Promise(resolve => setTimeout(resolve, 5));
    const stream = log.index.streams[streamOf(row)];
    const head = momentOf(row) + ' ' + threadName(log.thread[row]) + ' ' + stream + ': ';
    lines.push(head + textOf(row).split('\\n').join('\\n' + ' '.repeat(head.length)));
  }
  return lines.join('\\n') + '\\n';
})()"""


def check(good, sentence, detail=""):
    global failed
    print(("ok: " if good else "not ok: ") + sentence + ("" if good else f"\n    {detail}"), flush=True)
    failed = failed or not good


def same(sentence, wanted, got):
    check(wanted == got, sentence, f"wanted {str(wanted)[:300]!r}, got {str(got)[:300]!r}")


def text_of(name):
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return file.read()


def number_of(name):
    return int(text_of(name))


def open_report(browser, name):
    browser.open(os.path.join(directory, name))
    path = os.path.join(os.path.abspath(directory), name)
    return browser.wait(f"location.pathname === {path!r} && document.documentElement?.dataset.ready")


def count(browser):
    return int(browser.eval("element('count').querySelector('b').textContent.replaceAll(',', '')"))


def counts(browser, wanted):
    """Waits for so many lines; how many there are."""
    browser.wait(f"element('count').querySelector('b')?.textContent === Number({wanted}).toLocaleString('en-US')")
    browser.eval("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    return count(browser)


def rows(browser, column):
    return browser.eval(f"[...document.querySelectorAll('#rows .row .{column}')].map(e => e.textContent)")


def let_go(browser):
    """Of all filters, as a person does."""
    browser.eval("document.activeElement.blur()")
    for _ in range(2):
        browser.key("Escape")
    return counts(browser, "log.rows")


def check_lines(browser):
    same("as many lines as binlog-show has", number_of("lines.count"), count(browser))
    calls = text_of("calls")
    same("as many calls as it has counted", calls, browser.eval("String(log.index.calls)") + "\n")
    got = browser.eval(ALL_LINES)
    wanted = text_of("lines")
    check(got == wanted, "times, threads, streams and texts of all lines are those of binlog-show",
          next((f"{a!r}\n    {b!r}" for a, b in zip(wanted.split("\n"), got.split("\n")) if a != b), "length"))


def check_search(browser):
    browser.fill("#search", "needle 7 ")
    same("a search finds the message", 1, counts(browser, 1))
    check(browser.wait("document.querySelector('#rows')?.children.length === 1 &&"
                       "document.querySelector('#rows .text').textContent === 'needle 7 in the hay'"), "and shows it")
    same("with what was searched for marked", "needle 7 ", browser.eval("document.querySelector('#rows mark')?.textContent"))
    let_go(browser)
    browser.key("/")
    browser.type("needle [0-4] in")
    browser.click("#regex")
    same("a regular expression", 5, counts(browser, 5))
    browser.fill("#search", "needle [")
    check(browser.wait("document.querySelector('#search.wrong')"), "one that is none is said to be wrong")
    browser.click("#regex")
    let_go(browser)
    browser.fill("#where", "size > 60000 && path == \"/logo.png\"")
    wanted = number_of("where.count")
    same("a condition on arguments chooses what --where does", wanted, counts(browser, wanted))
    browser.fill("#where", "size >")
    check(browser.wait("document.querySelector('#where.wrong')"), "half a condition is said to be wrong")
    let_go(browser)


def check_lanes(browser):
    thread = browser.eval("[...document.querySelectorAll('.lane')].findIndex(e => e.textContent.includes('worker-2'))")
    browser.click(f".lane:nth-child({thread + 1})")
    wanted = number_of("thread.count")
    same("a click on the name of a lane shows its thread alone", wanted, counts(browser, wanted))
    check(browser.wait("new Set([...document.querySelectorAll('#rows .thread')].map(e => e.textContent)).size === 1"),
          "which all rows are of")
    browser.click(".chip")
    check(browser.wait("shown.view.length === log.rows"), "a click on the filter lets it go")
    x, y = browser.eval(
        "(() => { const lane = lanes.threads.findIndex(t => log.index.threads[t][2] === 'worker-2');"
        "const row = lanes.sorted.rows[lanes.sorted.starts[lane * 4 + 2] + 3]; const r = element('marks').getBoundingClientRect();"
        "return [r.x + pixelOf(log.time[row]), r.y + lane * lanes.height + 20]; })()")
    browser.click_at(x, y)
    same("a click on a mark chooses a message of its lane", "worker-2",
         browser.eval("log.index.threads[log.thread[table.chosen]]?.[2]"))
    check(browser.eval("Math.abs(pixelOf(log.time[table.chosen]) + element('marks').getBoundingClientRect().x - " + str(x) + ") < 8"),
          "the one that is there")
    check(browser.wait("document.querySelectorAll('#rows .chosen').length === 1"), "which the table shows")
    before = browser.eval("scale.to - scale.from")
    browser.wheel(x, y, -240)
    check(browser.wait(f"scale.to - scale.from < {before} * 0.5"), "the wheel zooms")
    start = browser.eval("scale.from")
    browser.drag(x, y, x - 200, y)
    check(browser.wait(f"scale.from > {start}"), "dragging moves")
    browser.click("#zoom-fit")
    check(browser.wait(f"scale.to - scale.from === {before}"), "a button shows all of it")
    x, y = browser.middle("#rate")
    browser.drag(x - 150, y, x + 150, y)
    chosen = browser.wait("shown.view.length < log.rows && shown.view.length")
    check(chosen and browser.eval("shown.view.every(row => log.time[row] >= filter.from && log.time[row] <= filter.to)"),
          "dragging over the rate chooses a time", str(chosen))
    let_go(browser)


def check_spans(browser):
    check(browser.wait("spans.depth === 1"), "spans are there")
    same("and take as long as binlog-show says", text_of("durations").split(), browser.eval(
        "spans.all.map(s => Math.floor(s.duration / 1e9) + '.' + pad(s.duration % 1e9, 9))"))
    x, y = browser.eval(
        "(() => { const span = spans.all[3]; const r = element('marks').getBoundingClientRect(); return ["
        "r.x + pixelOf(span.time + span.duration / 2), r.y + lanes.ofThread[span.thread] * lanes.height + 6]; })()")
    browser.mouse("mouseMoved", x, y)
    same("one says what it is", "begin job=* => end job=* by job", browser.eval("element('tip').querySelector('code')?.textContent"))
    browser.click_at(x, y)
    check(browser.wait("document.querySelector('#rows .chosen .text')?.textContent === 'begin job=3'"),
          "and leads to the message that began it")
    let_go(browser)


def check_details(browser):
    browser.fill("#search", "client 203: GET path=/logo.png")
    browser.wait("shown.view.length < log.rows && shown.view.length > 0")
    browser.wait("document.querySelector('#rows .text')?.textContent.startsWith('client 203')")
    browser.click("#rows .row")
    browser.wait("document.querySelector('#details table')")
    row = rows(browser, "text")[0]
    size = row.split("size=")[1].split()[0]
    same("the chosen message has typed arguments by their names",
         [["client", "integer", "203"], ["path", "text", "/logo.png"], ["size", "integer", size],
          ["took", "float", str(int(size) / 1000).removesuffix(".0")]],
         browser.eval("[...document.querySelectorAll('#details tr')].map(r => [...r.cells].map(c => c.textContent))"))
    same("and its stack", ["answer", "request", "work"],
         browser.eval("[...document.querySelectorAll('#details li button')].map(e => e.textContent)")[:3])
    same("the time of the table", rows(browser, "time")[0],
         browser.eval("document.querySelector('#details .when').textContent")[11:])
    browser.click("#details tr:nth-child(3) td:last-child button")
    check(browser.wait(f"filter.where === 'size == {size}' && shown.found && shown.view.length > 0"),
          "a click on a value shows the lines that have it")
    let_go(browser)


def check_stacks(browser):
    browser.click("#tab-stacks")
    browser.wait("document.querySelector('.frame')")
    check(browser.wait("document.querySelector('#stacks .tools').textContent.replaceAll(',', '') === '"
                       + text_of("calls").strip() + " calls'"), "the flame graph has all calls, each once")
    number = browser.eval("[...document.querySelectorAll('.frame')].find(e => e.title.startsWith('complain\\n'))?.dataset.frame")
    browser.click(f".frame[data-frame='{number}']")
    wanted = number_of("complaints.count")
    same("a click on a frame shows what was said through it", wanted, counts(browser, wanted))
    browser.click("#tab-messages")
    check(all(text.startswith("ERROR: ") for text in rows(browser, "text")), "and nothing else")
    browser.click("#tab-stacks")
    browser.click(".frame")
    check(browser.wait("shown.view.length === log.rows"), "a click on the whole shows everything")
    browser.click("#tab-sites")
    browser.wait("document.querySelector('#sites tbody tr')")
    wanted = browser.eval("Number(document.querySelector('#sites tbody .number').textContent.replaceAll(',', ''))")
    browser.click("#sites tbody tr:first-child td:nth-child(4)")
    same("a click on a site shows its messages", wanted, counts(browser, wanted))
    same("as many as binlog-show has with this format", number_of("format.count"), wanted)
    browser.click("#tab-messages")
    let_go(browser)


def check_keys(browser):
    browser.eval("document.activeElement.blur()")
    browser.key("Home")
    same("Home chooses the first message", 0, browser.wait("table.chosen === 0 && [0]")[0])
    browser.key("ArrowDown")
    same("an arrow the next", 1, browser.eval("table.chosen"))
    browser.key("End")
    check(browser.wait("document.querySelector('#rows .chosen .text')?.textContent === 'the last message'"),
          "End chooses the last message, which is shown")
    browser.key("Escape")
    browser.eval("element('scroll').scrollTop = 0")
    check(browser.wait("document.querySelector('#rows .row')?.dataset.row === '0'"),
          "the bar at the top shows the first message")
    x, y = browser.middle("#scroll")
    for _ in range(40):
        browser.wheel(x, y, 100000)
    check(browser.wait("[...document.querySelectorAll('#rows .text')].at(-1)?.textContent === 'the last message'"),
          "the wheel comes to the last message, too")
    browser.key("?")
    check(browser.wait("element('help').open"), "a key shows what the keys do")
    browser.click("#help-close")
    background = "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)"
    browser.dark(True)
    dark = browser.eval(background)
    browser.dark(False)
    check(max(dark) < 80 and min(browser.eval(background)) > 200, "dark and light, as the system is", str(dark))


def check_hostile(browser):
    same("texts out of the log are texts", [0, 0, "undefined"], browser.eval(
        "[document.querySelectorAll('img, iframe, object, embed, link, a, base').length,"
        "document.querySelectorAll('script').length - 2, typeof window.owned]"))
    browser.fill("#search", "<script>")
    counts(browser, 1)
    same("and are shown as such", ["<script>owned=1</script></script><img src=x onerror=owned=1><!-- \"'&amp;]]>"
                                   " \\xff\\xe2\\x80\\xae\\x1b[31m \\x00"], rows(browser, "text"))
    let_go(browser)


def check_handed(browser):
    open_report(browser, "handed.html")
    browser.click("#tab-stacks")
    check(browser.wait("document.querySelector('.frame.handed')"), "frames that a text was handed through are told apart")
    check(browser.eval("[...document.querySelectorAll('.frame.handed')].every(f => !f.textContent.includes('main'))"),
          "and those of who has said it are not among them")


def check_small(browser):
    open_report(browser, "empty.html")
    same("a log without messages is shown as such", "There are no messages in this report.", browser.wait("document.querySelector('.empty')?.textContent"))
    browser.click("#tab-stacks")
    browser.click("#tab-sites")
    browser.click("#tab-losses")
    browser.key("End")
    open_report(browser, "one.html")
    same("one message is a log, too", 1, count(browser))
    browser.wait("document.querySelector('#rows .text')?.textContent.length > 1")
    same("and is shown", ["alone"], rows(browser, "text"))
    browser.click("#rows .row")
    browser.click("#tab-stacks")
    check(browser.wait("document.querySelector('.frame')"), "with a flame graph without stacks: by module and function")
    open_report(browser, "zone.html")
    browser.wait("document.querySelector('#rows .time')?.textContent.length > 1")
    same("times are in the time zone of whoever makes a report", text_of("zone.time").strip(), browser.eval("momentOf(0)"))
    open_report(browser, "damaged.html")
    browser.click("#warning")
    shown = browser.eval("[...document.querySelectorAll('#losses p')].map(p => p.textContent)")
    check(text_of("damage").strip().split("\n")[0] in shown, "damage is told, as binlog-show tells it", str(shown))


with Chromium() as browser:
    check(open_report(browser, "report.html"), "the report is read")
    check_lines(browser)
    check_hostile(browser)
    check_search(browser)
    check_lanes(browser)
    check_spans(browser)
    check_details(browser)
    check_stacks(browser)
    check_keys(browser)
    check_small(browser)
    check_handed(browser)
    same("nothing was said on the console, and no script has failed", [], browser.said)
    same("nothing was asked of a network", set(),
         {url.split(":")[0] for url in browser.requested} - {"file", "blob"})
sys.exit(failed)
