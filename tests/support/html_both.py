"""html_both.py DIRECTORY BROWSER: what each browser must do with a report: chromium or firefox.

In the directory are the reports that t_html.sh has made of a program whose
numbers are known, and what binlog-show says of them.  Prints a line for each
check.  SCREENSHOTS=DIR keeps pictures.
"""
import os
import sys

directory, which = sys.argv[1:]
failed = False
TURNS = 3000
SIZES = sorted(turn * 7919 % 65536 for turn in range(TURNS) for _ in range(4))
LOGO_SIZES = sorted(turn * 7919 % 65536 for turn in range(TURNS) if turn % 4 == 3 for _ in range(4))

WATCH = """
window.words = [];
window.numbers = [];
if (location.pathname.endsWith('/one.html')) {
  const later = setTimeout;
  window.setTimeout = (act, delay) => later(act, delay || 60);
  setInterval(() => typeof drawTable === 'function' && drawTable(), 2);  // as when a window is resized
}
window.choosing = (text, id) => {
  const select = document.getElementById(id);
  const wanted = [...select.options].find(one => new RegExp('(^|[^a-z])' + text + '([^a-z]|$)').test(one.textContent));
  if (wanted) {
    select.value = wanted.value;
    select.dispatchEvent(new Event('change'));
  }
};
new MutationObserver(() => {
  document.querySelectorAll('.empty').forEach(one => words.push(one.textContent));
  numbers.push(document.querySelector('#count')?.textContent);
}).observe(document, {childList: true, subtree: true, characterData: true});
"""
CONTRAST = """(() => {
  const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const paint = (...colors) => {
    context.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = rgb => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const color = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const poor = [];
  for (const ground of [['ground'], ['panel'], ['raised'], ['panel', 'accent-soft'], ['panel', 'match']])
    for (const name of ['text', 'faint', 'accent', 'warn', 'error', 'end']) {
      const got = ratio(paint(color(name)), paint(...ground.map(color)));
      if (got < 4.5 && !(ground.includes('match') && name !== 'text'))
        poor.push(name + ' on ' + ground.join('+') + ' ' + got.toFixed(2));
    }
  if (ratio(paint(color('mark')), paint(color('panel'))) < 3)
    poor.push('mark');
  return poor;
})()"""


def check(good, sentence, detail=""):
    global failed
    print(("ok: " if good else "not ok: ") + which + ": " + sentence + ("" if good else f"\n    {detail}"), flush=True)
    failed = failed or not good


def same(sentence, wanted, got):
    check(wanted == got, sentence, f"wanted {str(wanted)[:300]!r}, got {str(got)[:300]!r}")


def start(dark):
    if which == "firefox":
        from firefox import Firefox
        return Firefox(dark=dark)
    from browser import Browser
    browser = Browser()
    browser.dark(dark)
    return browser


def picture(browser, name):
    if os.environ.get("SCREENSHOTS"):
        frame(browser)
        browser.screenshot(os.path.join(os.environ["SCREENSHOTS"], f"{which}-{name}.png"))


def frame(browser):
    browser.eval("new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve(1))))")


def open_report(browser, name="report.html", after=""):
    path = os.path.join(os.path.abspath(directory), name)
    browser.eval("window.left = 1")
    browser.open(path, after)
    return browser.wait(f"!window.left && location.pathname === {path!r} && document.documentElement?.dataset.ready")


def counts(browser, wanted):
    """Waits for so many lines; how many there are."""
    browser.wait(f"element('count').querySelector('b')?.textContent === Number({wanted}).toLocaleString('en-US')")
    frame(browser)
    return int(browser.eval("element('count').querySelector('b').textContent.replaceAll(',', '')"))


def let_go(browser):
    browser.eval("document.activeElement.blur()")
    browser.key("Escape")
    browser.key("Escape")
    return counts(browser, "log.rows")


def chosen_text(browser, wanted):
    """Waits for it; the text of the chosen line in the table."""
    text = "document.querySelector('#rows .chosen .text')?.textContent"
    browser.wait(f"{text} === {wanted!r}")
    return browser.eval(text)


def check_opening(browser):
    check(open_report(browser), "the report is read")
    same("while it loads it says that it reads, and nothing else", ["Reading\u2026"],
         browser.eval("[...new Set(words)]"))
    with open(os.path.join(directory, "lines"), encoding="utf-8") as file:
        wanted = [line.rstrip("\n").split(": ", 1)[1] for line, _ in zip(file, range(12))]
    browser.wait("document.querySelectorAll('#rows .text').length > 11 && "
                 "[...document.querySelectorAll('#rows .text')].every(e => e.textContent.length > 1)")
    same("the first lines are those of binlog-show", wanted,
         browser.eval("[...document.querySelectorAll('#rows .text')].slice(0, 12).map(e => e.textContent)"))
    with open(os.path.join(directory, "calls"), encoding="utf-8") as file:
        check(f"{int(file.read()):,} calls" in browser.eval("element('summary').textContent"), "the head has the number of calls")
    same("all colours can be read on all grounds", [], browser.eval(CONTRAST))
    picture(browser, "messages")
    open_report(browser, "one.html")
    same("likewise a small one that is drawn again and again while it loads", ["Reading\u2026"], browser.eval("[...new Set(words)]"))
    open_report(browser, "empty.html")
    same("a report without messages says so", ["There are no messages in this report."],
         browser.wait("document.querySelector('#rows .empty') && [document.querySelector('#rows .empty').textContent]"))


def check_search(browser):
    open_report(browser)
    browser.fill("#search", "needle 7 ")
    same("a search finds the message", 1, counts(browser, 1))
    same("with what was found marked", "needle 7 ", browser.wait("document.querySelector('#rows mark')?.textContent"))
    browser.key("Enter")
    same("Enter chooses it", "needle 7 in the hay", chosen_text(browser, "needle 7 in the hay"))
    same("what was found is marked in its whole text, too", "needle 7 ",
         browser.wait("document.querySelector('#details pre mark')?.textContent"))
    let_go(browser)
    browser.fill("#search", "  lines")
    counts(browser, 1)
    same("what was found in a later line of a message is shown and marked", "  lines",
         browser.wait("document.querySelector('#rows mark')?.textContent"))
    browser.click("#regex")
    browser.fill("#search", "^more$")
    same("^ and $ are begin and end of each line", [1, "more"],
         [counts(browser, 1),
         browser.wait("[...document.querySelectorAll('#rows mark')].map(e => e.textContent).join() === 'more' && 'more'")])
    let_go(browser)
    browser.fill("#search", "no such text")
    same("nothing that is found is said in words", "No message matches these filters.",
         browser.wait("document.querySelector('#rows .empty')?.textContent"))
    let_go(browser)


def check_around(browser):
    browser.fill("#search", "needle")
    counts(browser, 20)
    browser.click("#around")
    check(browser.wait("shown.view.length === log.rows"), "the lines around what was found can be shown")
    same("the count is still that of what was found", 20, counts(browser, 20))
    browser.eval("document.activeElement.blur()")
    steps = []
    for key, wanted in (("n", "needle 0 in the hay"), ("n", "needle 1 in the hay"), ("n", "needle 2 in the hay"),
                        ("N", "needle 1 in the hay")):
        browser.key(key)
        steps.append(chosen_text(browser, wanted))
    same("n and N go to what was found", [f"needle {i} in the hay" for i in (0, 1, 2, 1)], steps)
    check(browser.eval("document.querySelectorAll('#rows .row.around').length > 5 && "
                       "![...document.querySelectorAll('#rows .around')].some(e => e.querySelector('mark'))"),
          "what stands around it is not marked")
    picture(browser, "around")
    let_go(browser)


def check_keys(browser):
    browser.eval("document.activeElement.blur()")
    for key in "jjjk":
        browser.key(key)
    same("j and k move", 1, browser.eval("table.chosen"))
    browser.key("Escape")
    browser.key("/")
    browser.type("jkn?5")
    same("keys are letters while one types in a field", ["jkn?5", None, "messages", False],
         browser.eval("[element('search').value, table.chosen, openedTab(), element('help').open]"))
    browser.key("Escape")
    check(browser.wait("document.activeElement !== element('search')"), "Escape leaves the field")
    browser.key("Escape")
    same("another one lets the filters go", "log.rows lines", counts(browser, "log.rows") and
         browser.eval("filter.text === '' && element('search').value === '' ? 'log.rows lines' : filter.text"))
    browser.key("?")
    check(browser.wait("element('help').open"), "? shows the keys")
    browser.key("5")
    browser.key("Escape")
    check(browser.wait("!element('help').open") and browser.eval("openedTab() === 'messages'"), "Escape closes them")


def check_link(browser):
    state = ("[element('search').value, element('level').value, document.querySelector('#details .when')?.textContent,"
             "document.querySelector('#details pre')?.textContent, element('count').textContent, openedTab(),"
             "element('time-kind').textContent, element('regex').getAttribute('aria-pressed'), element('chips').textContent]")
    browser.click("#regex")
    browser.fill("#search", "needle [2-9] in")
    counts(browser, 8)
    browser.key("Enter")
    browser.key("Enter")
    same("a line is chosen", "needle 3 in the hay", chosen_text(browser, "needle 3 in the hay"))
    browser.click("#time-kind")
    browser.eval("document.activeElement.blur()")
    x, y = browser.middle("#rate")
    browser.click("#zoom-in")
    browser.eval("refine({from: log.time[0], to: log.time[table.chosen] + 0.5})")
    counts(browser, 2)
    check(browser.wait("location.hash.includes('line=') && location.hash.includes('time=')"), "the address has what is shown")
    wanted = browser.eval(state)
    zoomed = browser.eval("[Math.round(scale.from), Math.round(scale.to)]")
    address = browser.eval("location.hash")
    browser.wait("document.querySelector('#details table') || true")
    open_report(browser, "report.html", address)
    browser.wait("document.querySelector('#details pre')?.textContent.length > 1")
    same("opened anew it shows the same", wanted, browser.eval(state))
    same("and the same part of the timeline", zoomed, browser.eval("[Math.round(scale.from), Math.round(scale.to)]"))
    check("Reading\u2026" in browser.eval("words") and "No message matches these filters." not in browser.eval("words"),
          "while it loads it says nothing wrong", str(browser.eval("words")))
    same("and counts no lines that are not asked for", ["2 of 12,571 lines"], browser.eval("[...new Set(numbers)].filter(one => one)"))
    same("its table shows the line", "needle 3 in the hay", chosen_text(browser, "needle 3 in the hay"))
    browser.eval("location.hash = 'search=needle+5+&line=1'")
    same("an address that is changed in the page is followed", 1, counts(browser, 1))
    check(browser.wait("table.chosen === 0"), "so is its line")
    browser.wait("document.querySelector('#details table')")
    hostile = ("#search=%3Cimg+src%3Dx+onerror%3Downed%3D1%3E&line=999999999&site=99999999&level=-1&frame=toString&view=2-1"
               "&time=x&plot=9.99&tab=constructor&times=__proto__&thread=1e3&stream=0x1&program=%00&where=%25%zz")
    open_report(browser, "report.html", hostile)
    same("an address of anything is only text", ["<img src=x onerror=owned=1>", None, "messages", "clock", 0, "undefined"],
         browser.eval("[element('search').value, table.chosen, openedTab(), table.times,"
                      "document.querySelectorAll('img').length, typeof window.owned]"))
    same("and its numbers are looked at", [None] * 6,
         browser.eval("[filter.level, filter.stream, filter.program, filter.thread, filter.site, filter.frame]"))


def sum_of(values):
    def at(part):
        return values[min(len(values) - 1, len(values) * part // 100)]
    return (f"{len(values):,} values: least {values[0]:,}, median {at(50):,}, "
            f"99 % below {at(99):,}, most {values[-1]:,}")


def summed(browser, values):
    browser.wait(f"element('plot-sum').textContent === {sum_of(values)!r}")
    frame(browser)
    return browser.eval("element('plot-sum').textContent")


def check_plots(browser):
    open_report(browser)
    browser.click("#tab-sites")
    browser.wait("[...document.querySelectorAll('#sites tr')].some(e => e.textContent.includes('GET path'))")
    browser.eval("[...document.querySelectorAll('#sites tr')].find(e => e.textContent.includes('GET path'))"
                 ".querySelectorAll('.plot')[1].id = 'of-size'")
    browser.click("#of-size")
    same("a click plots an argument of a statement: all values that the program has said", sum_of(SIZES), summed(browser, SIZES))
    browser.wait("document.querySelectorAll('.value-bar').length > 5")
    same("the bars of the histogram are of all values", len(SIZES),
         browser.eval("[...document.querySelectorAll('.value-bar')].reduce((sum, e) => sum + Number(e.dataset.count), 0)"))
    bars = browser.eval("plots.bars.map(bar => [bar.from, bar.to, bar.count])")
    same("each of those it says", [sum(1 for size in SIZES if low <= size < high) for low, high, _ in bars],
         [count for _, _, count in bars])
    drawn = browser.eval(
        "(() => { const canvas = element('points'); const mark = document.createElement('canvas').getContext('2d');"
        "mark.fillStyle = timeline.colors.mark; mark.fillRect(0, 0, 1, 1); const m = mark.getImageData(0, 0, 1, 1).data;"
        "const p = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; let n = 0;"
        "for (let i = 0; i < p.length; i += 4) n += p[i] === m[0] && p[i + 1] === m[1] && p[i + 2] === m[2]; return n; })()")
    check(drawn > 2000, "points are drawn", str(drawn))
    picture(browser, "plot")
    x, y = browser.eval(
        "(() => { const i = plots.values.indexOf(plots.sorted.at(-1)); const canvas = element('points');"
        "const box = canvas.getBoundingClientRect(); const area = plotArea(canvas); const [low, high] = valueRange();"
        "return atWidth(area.width, () => [box.x + PLOT_LEFT + pixelOf(log.time[plots.rows[i]]),"
        "box.y + PLOT_TOP + (high - plots.values[i]) / (high - low) * area.height]); })()")
    browser.click_at(x, y)
    largest = "document.querySelector('#details table')?.textContent.includes('integer%d')" % SIZES[-1]
    check(browser.wait(largest), "a click on a point chooses its message",
          browser.eval("element('details').textContent"))
    browser.key("Escape")
    browser.fill("#search", "path=/logo.png")
    same("only what is asked for is plotted", sum_of(LOGO_SIZES), summed(browser, LOGO_SIZES))
    check(browser.wait("location.hash.includes('plot=') && location.hash.includes('search=')"), "the address has the plot")
    address = browser.eval("location.hash")
    open_report(browser, "report.html", address)
    same("and shows it when it is opened anew", sum_of(LOGO_SIZES), summed(browser, LOGO_SIZES))
    let_go(browser)
    summed(browser, SIZES)
    browser.eval("document.querySelectorAll('.value-bar')[1].id = 'a-bar'")
    wanted = browser.eval("Number(element('a-bar').dataset.count)")
    browser.click("#a-bar .room")
    browser.wait("filter.where !== ''")
    same("a click on a bar shows its messages", wanted, counts(browser, wanted))
    let_go(browser)
    browser.eval("document.activeElement.blur()")
    browser.key("1")
    browser.fill("#search", "client 203: GET path=/logo.png")
    browser.wait("shown.view.length < log.rows && shown.view.length > 0")
    browser.key("Enter")
    browser.wait("document.querySelector('#details .plot')")
    browser.eval("document.querySelectorAll('#details .plot')[2].id = 'of-took'")
    browser.click("#of-took")
    check(browser.wait("!element('plots').hidden && element('plot-argument').selectedOptions[0]?.textContent === 'took' &&"
                       " document.querySelector('.value-bar')"), "a click on an argument of a message plots it")
    let_go(browser)
    wanted = f"least 0, median {SIZES[len(SIZES) // 2] / 1000:,}"
    check(browser.wait(f"element('plot-sum').textContent.includes({wanted!r})"), "fractions, too",
          browser.eval("element('plot-sum').textContent"))
    for argument, values in (("of", [20] * 20), ("needle", list(range(20))), ("tick", list(range(20)))):
        browser.eval(f"choosing({argument!r}, 'plot-statement')")
        browser.wait(f"[...element('plot-argument').options].some(one => one.textContent === {argument!r})")
        browser.eval(f"choosing({argument!r}, 'plot-argument')")
        same(f"calls that make a line together, or end one and begin another, are plotted once each: {argument}",
             sum_of(values), summed(browser, values))
    browser.click(".value-bar:nth-child(2) .room")
    browser.wait("filter.where !== ''")
    same("a bar is of the values from one to below the next", 1, counts(browser, 1))
    let_go(browser)
    open_report(browser, "one.html")
    browser.key("5")
    same("where no argument is a number, it is said", "No message has an argument that is a number.",
         browser.wait("document.querySelector('#plots .empty')?.textContent"))


for is_dark in (True, False):
    with start(is_dark) as one:
        one.preload(WATCH)
        check_opening(one)
        background = one.eval("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)")
        check(max(background) < 80 if is_dark else min(background) > 200, ("dark" if is_dark else "light") + ", as the system is",
              str(background))
        if is_dark:
            check_search(one)
            check_around(one)
            check_keys(one)
            check_link(one)
        check_plots(one) if is_dark else None
        same("nothing was said on the console, and no script has failed", [], one.said)
        same("nothing was asked of a network", set(), {url.split(":")[0] for url in one.requested} - {"file", "blob", "about"})
sys.exit(failed)
