"""The figures as one SVG: bars for the messages and the peers, a panel for each curve; logarithmic wherever it is needed."""
import math
from html import escape

WIDTH, PANEL, HEIGHT, LEFT, TOP = 980, 480, 300, 60, 34
COLOURS = ["#888888", "#c8a04a", "#3a7ca5", "#7fb069", "#b5446e", "#5b4b8a", "#2f4858", "#d36135"]


class Svg:
    """Elements, and a place for the next panel: two in a row."""

    def __init__(self):
        self.parts, self.panels = [], 0

    def add(self, element):
        self.parts.append(element)

    def text(self, x, y, text, anchor="middle", size=11, more=""):
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{more}>{escape(text)}</text>')

    def line(self, x1, y1, x2, y2, colour="#ddd"):
        self.add(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" fill="none"/>')

    def place(self):
        """Left, top, width and height of the next panel's inside."""
        x, y = self.panels % 2 * (WIDTH // 2), self.panels // 2 * HEIGHT
        self.panels += 1
        return x + LEFT, y + TOP, PANEL - LEFT - 14, HEIGHT - TOP - 58

    def legend(self, x, y, names):
        for i, name in enumerate(names):
            at = x + i * (PANEL - LEFT) // len(names)
            self.add(f'<rect x="{at}" y="{y - 8}" width="9" height="9" fill="{COLOURS[i % len(COLOURS)]}"/>')
            self.text(at + 13, y, name, "start", 10)

    def write(self, path):
        height = (self.panels + 1) // 2 * HEIGHT
        with open(path, "w") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">'
                       f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n')
            # Few lines: nobody reads them.
            for i in range(0, len(self.parts), 20):
                file.write("".join(self.parts[i:i + 20]) + "\n")
            file.write("</svg>\n")


def short(value):
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def scale(low, high, begin, length):
    """From values to places, by their logarithms, from one power of ten to another; and those in between."""
    low, high = math.floor(math.log10(low)), math.ceil(math.log10(high))
    high = max(high, low + 1)
    marks = [10 ** exponent for exponent in range(low, high + 1)]
    return (lambda value: begin + length * (math.log10(max(value, marks[0])) - low) / (high - low)), marks


def tight_scale(values, begin, length):
    """The same from the smallest value to the largest; 0 has no logarithm and is where 1 is."""
    low, high = max(min(values), 1), max(values)
    marks = [mark for mark in (factor * 10 ** exponent for exponent in range(7) for factor in (1, 3)) if low <= mark <= high]
    span = math.log10(high / low) or 1
    return (lambda value: begin + length * math.log10(max(value, low) / low) / span), marks


def axis(svg, title, marks, at, left, width):
    svg.text(left + width / 2, at(marks[-1]) - 12, title, size=13)
    for mark in marks:
        svg.line(left, at(mark), left + width, at(mark))
        svg.text(left - 5, at(mark) + 4, short(mark), "end", 10)


def bars(svg, title, groups, names, line):
    """groups: a name and a value for each of names."""
    left, top, width, height = svg.place()
    values = [value for _, row in groups for value in row if value]
    at, marks = scale(min(values + [line]) * 0.8, max(values), top + height, -height)
    axis(svg, title + " (red: rdtsc)", marks, at, left, width)
    step = width / len(groups)
    for i, (name, row) in enumerate(groups):
        wide = step * 0.84 / len(row)
        for j, value in enumerate(row):
            x, y = left + i * step + step * 0.08 + j * wide, at(value)
            svg.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide * 0.9:.1f}" height="{top + height - y:.1f}" '
                    f'fill="{COLOURS[(j if len(row) > 1 else i) % len(COLOURS)]}"><title>{escape(name)}: {value:.1f} ns</title></rect>')
        if len(row) > 1:
            svg.text(left + (i + 0.5) * step, top + height + 14, name)
        else:
            svg.text(left + (i + 0.5) * step, top + height + 12 + 12 * (i % 3), name, size=9)
    svg.line(left, at(line), left + width, at(line), "#d00000")
    if len(names) > 1:
        svg.legend(left, top + height + 34, names)


def curve(svg, title, ways):
    left, top, width, height = svg.place()
    points = [point for some in ways.values() for point in some]
    at_y, marks = scale(max(min(y for _, y in points), 1), max(y for _, y in points), top + height, -height)
    axis(svg, "ns per call: " + title.lower(), marks, at_y, left, width)
    at_x, x_marks = tight_scale([x for x, _ in points], left, width)
    for mark in x_marks:
        svg.text(at_x(mark), top + height + 14, short(mark), size=10)
    for i, (name, some) in enumerate(ways.items()):
        path = "L".join(f"{at_x(x):.1f} {at_y(y):.1f}" for x, y in some)
        svg.add(f'<path d="M{path}" stroke="{COLOURS[i]}" fill="none" stroke-width="1.6"><title>{escape(name)}</title></path>')
        for x, y in some:
            svg.add(f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="2" fill="{COLOURS[i]}"><title>{x:,}: {y:.1f} ns</title></circle>')
    svg.legend(left, top + height + 34, list(ways))


def write(figures, path):
    svg = Svg()
    messages = figures["messages"]
    ways = {"glibc to /dev/null": "null", "glibc to a file": "file", "prefaulted": "prefaulted5", "streaming": "streaming5"}
    bars(svg, "ns per call, 5 frames", [(name, [messages[way][name] for way in ways.values()]) for name in messages["null"]],
         list(ways), figures["clock"])
    bars(svg, "ns per call, mix of the messages", [(name, [value]) for name, value in figures["peers"]], [], figures["clock"])
    for title, some in figures["curves"]:
        curve(svg, title, some)
    svg.write(path)
