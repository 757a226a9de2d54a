"""html_both.py DIRECTORY BROWSER PICTURES: what each browser must do with a report: chromium or firefox.

In the directory are the reports that t_html.sh has made of a program whose
numbers are known, and what binlog-show says of them.  Prints a line for each
check.  Pictures of its pages are left in a directory for whoever wants to look,
and are judged by what is known without them.
"""
import os
import sys
import time

from browser import start
from picture import Picture

directory, which, pictures = sys.argv[1:]
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
/* slow.html: the worker gets chunks and spans only when letGo(number) says so; letGo(): all that are left. */
if (location.pathname.endsWith('/slow.html')) {
  const held = new Map();
  window.Worker = class extends Worker {
    postMessage(message, moved) {
      if (message.kind === 'chunk' || message.kind === 'spans')
        held.set(message.number ?? message.kind, () => super.postMessage(message, moved));
      else
        super.postMessage(message, moved);
    }
  };
  window.letGo = (...numbers) => {
    for (const number of numbers.length > 0 ? numbers : [...held.keys()]) {
      held.get(number)?.();  // of chunks the number, or 'spans'
      held.delete(number);
    }
  };
  window.heldParts = () => held.size;
  window.placed = [];  // where the names of the panels are, from the first moment on
  const place = () => {
    const top = document.querySelector('nav')?.getBoundingClientRect().top;
    if (top && typeof log !== 'undefined' && log.worker && placed.at(-1) !== top)
      placed.push(top);
    requestAnimationFrame(place);
  };
  place();
}
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

# Texts that end at no place where one would look for more: outside the window, or cut without a mark or a bar.
CUT = """(() => {
  const cut = [];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) {
    const text = nodes.currentNode;
    if (!text.data.trim() || text.parentElement.closest('select, datalist') || !text.parentElement.checkVisibility({visibilityProperty: true}))
      continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    const say = why => cut.push(text.data.trim().slice(0, 40) + ': ' + why);
    let at = text.parentElement;
    for (; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const edge = at.getBoundingClientRect();
      if (['auto', 'scroll'].includes(style.overflowX) || style.textOverflow === 'ellipsis' || at.localName === 'dialog')
        break;
      if (style.overflowX !== 'visible' && (box.right > edge.right + 1 || box.left < edge.left - 1)) {
        say('cut by ' + (at.id || at.className || at.localName));
        break;
      }
    }
    if (!at && (box.right > innerWidth + 1 || box.left < -1 || box.bottom > innerHeight + 1 || box.top < -1))
      say('outside the window');
  }
  const all = document.documentElement;
  if (all.scrollWidth > innerWidth || all.scrollHeight > innerHeight)
    cut.push('the page is larger than the window');
  return cut;
})()"""
WIDTH, HEIGHT = 1400, 900
SPAN_COLOUR = (0x4c, 0xb7, 0x82)


def check(good, sentence, detail=""):
    global failed
    print(("ok: " if good else "not ok: ") + which + ": " + sentence + ("" if good else f"\n    {detail}"), flush=True)
    failed = failed or not good


def same(sentence, wanted, got):
    check(wanted == got, sentence, f"wanted {str(wanted)[:300]!r}, got {str(got)[:300]!r}")


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
    """What the panel says when it has the values; those of an argument that was asked for twice may come a second time."""
    browser.wait(f"plots.series && element('plot-sum').textContent === {sum_of(values)!r}")
    frame(browser)
    return browser.eval("element('plot-sum').textContent")


def check_plots(browser):
    open_report(browser)
    plot_size(browser)
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


def begin_slow(browser, *chunks, after=""):
    """A report that stays as it is when these chunks of it are read."""
    path = os.path.join(os.path.abspath(directory), "slow.html")
    browser.eval("window.left = 1")
    browser.open(path, after)
    browser.wait(f"!window.left && location.pathname === {path!r} && heldParts() > 3")
    browser.eval(f"letGo({', '.join(map(str, chunks))})" if chunks else "1")
    if 0 in chunks:
        browser.wait("document.querySelector('#rows .text')?.textContent.length > 1")


def read_on(browser):
    browser.eval("letGo()")
    browser.wait("letGo() || document.documentElement.dataset.ready")
    browser.wait("letGo() || spans.depth === 1")


def plot_size(browser):
    """By a click in Sites."""
    browser.click("#tab-sites")
    browser.wait("[...document.querySelectorAll('#sites tr')].some(e => e.textContent.includes('GET path'))")
    browser.eval("[...document.querySelectorAll('#sites tr')].find(e => e.textContent.includes('GET path'))"
                 ".querySelectorAll('.plot')[1].id = 'of-size'")
    browser.click("#of-size")


def plotted(browser):
    """The opened panel, the statement, and the argument."""
    return browser.eval("[openedTab(), element('plot-statement').selectedOptions[0]?.textContent.includes('GET path'),"
                        "element('plot-argument').selectedOptions[0]?.textContent]")


def check_reading(browser):
    """What is asked for while a report is read, of the first chunk, and where one between is late."""
    for chunks in ((0,), (0, 2)):
        which_are = " and ".join(map(str, chunks))
        begin_slow(browser, *chunks)
        plot_size(browser)
        frame(browser)
        check(browser.eval("element('plot-sum').textContent").startswith("Reading"),
              f"a plot that is opened when chunk {which_are} is read says that it reads", browser.eval("element('plot-sum').textContent"))
        read_on(browser)
        same("and has all values when all is read", sum_of(SIZES), summed(browser, SIZES))
        same("of the argument that was asked for", ["plots", True, "size"], plotted(browser))
    begin_slow(browser)
    browser.key("5")
    frame(browser)
    read_on(browser)
    clients = sorted(worker * 100 + turn % 10 for worker in range(4) for turn in range(TURNS))
    same("opened before anything is read, it is what is called most", sum_of(clients), summed(browser, clients))
    same("and stays open", ["plots", True, "client"], plotted(browser))
    frame(browser)
    check(browser.eval("placed.length === 1"), "nothing moves away from under the mouse while it is read", browser.eval("placed"))
    begin_slow(browser, 0, 2)
    browser.fill("#search", "path=/logo.png")
    browser.wait("filter.text === 'path=/logo.png'")
    frame(browser)
    same("a search while it is read is not called wrong", None, browser.eval("document.querySelector('.wrong')?.id"))
    read_on(browser)
    same("and finds everything", len(LOGO_SIZES), counts(browser, len(LOGO_SIZES)))
    begin_slow(browser, 0, after="#line=5&plot=0.0")
    browser.click("#rows .row:nth-child(3)")
    chosen = browser.eval("table.chosen")
    plot_size(browser)
    read_on(browser)
    summed(browser, SIZES)
    same("who has chosen something meanwhile keeps it", ["plots", True, "size", chosen], plotted(browser) + [browser.eval("table.chosen")])


def said_at(text):
    """Nanoseconds since 1970 of the line with this text, as binlog-show has it."""
    with open(os.path.join(directory, "lines"), encoding="utf-8") as file:
        moment = next(line for line in file if line.rstrip("\n").endswith(": " + text))[:29]
    seconds, nanoseconds = moment.split(".")
    return int(time.mktime(time.strptime(seconds, "%Y-%m-%d %H:%M:%S"))) * 10**9 + int(nanoseconds)


def view_of(begin, end):
    """For an address: what part the timeline shows."""
    return "view=" + "-".join(f"{moment // 10**9}.{moment % 10**9:09}" for moment in (begin, end))


def box_of(browser, selector):
    return browser.eval(f"(() => {{ const r = document.querySelector({selector!r}).getBoundingClientRect();"
                        "return [r.left, r.top, r.right, r.bottom]; })()")


def check_picture(browser, scheme, page):
    """What holds for each; the picture."""
    frame(browser)
    for width, height in ((1000, 640), (WIDTH, HEIGHT)):
        browser.resize(width, height)
        frame(browser)
        same(f"{scheme}, {page}: no text is cut or outside a window of {width} by {height}", [], browser.eval(CUT))
    frame(browser)
    shot = Picture(browser.screenshot(os.path.join(pictures, f"{which}-{scheme}-{page}.png")))
    colours = shot.colours()
    most = colours.most_common(1)[0][1] / (WIDTH * HEIGHT)
    light = shot.light()
    same(f"{scheme}, {page}: the picture is as large as the window", (WIDTH, HEIGHT), (shot.width, shot.height))
    check(len(colours) > 100 and most < 0.97, f"{scheme}, {page}: it is not blank", f"{len(colours)} colours, {most} of one")
    check(light < 70 if scheme == "dark" else light > 190, f"{scheme}, {page}: it is {scheme}", str(light))
    left, top, right, bottom = box_of(browser, "#rate")
    same(f"{scheme}, {page}: no time is cut at the end of its axis", 1,
         len({shot.pixel(int(right) - 1, y) for y in range(int(bottom) - 14, int(bottom) - 3)}))
    return shot


def line_through(points):
    """Of y by x, by least squares: the slope, and how far the farthest point is."""
    middle = [sum(part) / len(points) for part in zip(*points)]
    slope = (sum((x - middle[0]) * (y - middle[1]) for x, y in points) /
             sum((x - middle[0]) ** 2 for x, _ in points))
    return slope, max(abs(y - middle[1] - slope * (x - middle[0])) for x, y in points)


def check_points(browser, shot, scheme, begin, end):
    """Twenty values from 0 on, each at its time, in this part of the timeline."""
    left, top, right, bottom = box_of(browser, "#points")
    mark = browser.eval("(() => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle ="
                        "getComputedStyle(document.documentElement).getPropertyValue('--mark'); c.fillRect(0, 0, 1, 1);"
                        "return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3); })()")
    groups = []
    for x, y in shot.places(mark, left, top, right, bottom):
        if not groups or y > groups[-1][-1][1] + 1:
            groups.append([])
        groups[-1].append((x, y))
    found = [(sum(x for x, _ in group) / len(group), sum(y for _, y in group) / len(group)) for group in reversed(groups)]
    same(f"{scheme}, plot: each value has its point", 20, len(found))
    if len(found) != 20:
        return
    times = [said_at(f"main: tick {i} of 20") for i in range(20)]
    slope, far = line_through([(i, y) for i, (_, y) in enumerate(found)])
    check(slope < 0 and far < 2.5 and -slope * 19 > 0.7 * (bottom - top), f"{scheme}, plot: as high as its value", f"{slope} {far}")
    slope, far = line_through([(moment - times[0], x) for moment, (x, _) in zip(times, found)])
    shown = slope * (end - begin)  # all but the names of the values
    check(far < 2.5 and 0.8 * (right - left) < shown < right - left, f"{scheme}, plot: as far right as its time", f"{shown} {far}")


def check_bars(browser, shot, scheme, begin, end):
    """Eight spans one after the other, from the first moment that is shown to the last."""
    left, top, right, bottom = box_of(browser, "#marks")

    def place(moment):
        return left + (moment - begin) / (end - begin) * (right - left)
    covered = {x for x, _ in shot.places(SPAN_COLOUR, left, top, right, bottom)}
    starts = [said_at(f"begin job={i}") for i in range(8)]
    ends = [said_at(f"end job={i}") for i in range(8)]
    missing = [i for i in range(8) for x in range(int(place(starts[i])) + 3, int(place(ends[i])) - 3) if x not in covered]
    same(f"{scheme}, spans: a bar goes on for as long as its span", [], missing)
    check(min(covered, default=0) > place(starts[0]) - 2 and max(covered, default=WIDTH) < place(ends[7]) + 2,
          f"{scheme}, spans: and no longer", f"{min(covered, default=None)} {place(starts[0])} {place(ends[7])}")


def check_pictures(browser, scheme):
    open_report(browser, after="#line=5")
    browser.wait("document.querySelector('#details table') && ![...document.querySelectorAll('#rows .text')].some(e => e.textContent.length < 2)")
    check_picture(browser, scheme, "messages")
    open_report(browser, after="#search=needle&around=1&line=40")
    browser.wait("![...document.querySelectorAll('#rows .text')].some(e => e.textContent.length < 2)")
    check_picture(browser, scheme, "search")
    open_report(browser, after="#tab=sites")
    browser.wait("document.querySelector('#sites tr')")
    check_picture(browser, scheme, "sites")
    open_report(browser, after="#tab=stacks")
    browser.wait("document.querySelector('.frame')")
    check_picture(browser, scheme, "stacks")
    first, last = said_at("main: tick 0 of 20"), said_at("main: tick 19 of 20")
    end = min(last + (last - first) // 4, said_at("end job=7"))  # no more than there is, or another part is shown
    open_report(browser, after="#" + view_of(first, end))
    browser.key("5")
    browser.eval("choosing('tick', 'plot-statement')")
    summed(browser, list(range(20)))
    check_points(browser, check_picture(browser, scheme, "plot"), scheme, first, end)
    first, last = said_at("begin job=0"), said_at("end job=7")
    begin = max(first - (last - first) // 8, said_at("main: tick 0 of 20"))
    open_report(browser, after="#" + view_of(begin, last))
    check_bars(browser, check_picture(browser, scheme, "spans"), scheme, begin, last)


for is_dark in (True, False):
    with start(which, dark=is_dark) as one:
        one.preload(WATCH)
        check_opening(one)
        background = one.eval("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)")
        check(max(background) < 80 if is_dark else min(background) > 200, ("dark" if is_dark else "light") + ", as the system is",
              str(background))
        check_pictures(one, "dark" if is_dark else "light")
        if is_dark:
            check_search(one)
            check_around(one)
            check_keys(one)
            check_link(one)
        check_plots(one) if is_dark else None
        check_reading(one) if is_dark else None
        same("nothing was said on the console, and no script has failed", [], one.said)
        same("nothing was asked of a network", set(), {url.split(":")[0] for url in one.requested} - {"file", "blob", "about"})
sys.exit(failed)
