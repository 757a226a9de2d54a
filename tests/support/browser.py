"""What a person does with a page, in a headless browser: chromium.py or firefox.py.

Clicks, keys and the wheel are events of the browser itself, as a person's
are.  What a page says on its console, throws or asks of a network is kept.
"""
import json
import os
import shutil
import tempfile
import time


def start(which, **more):
    """By the browser's name; see Browser for what can be said."""
    if which == "firefox":
        from firefox import Firefox
        return Firefox(**more)
    from chromium import Chromium
    return Chromium(**more)


class Browser:
    """One window with one page.  Each kind of browser has besides

    call(method, ...)   something that its protocol can do
    note(event)         takes what it tells of itself
    address(url)        goes there, and does not wait
    eval(script)        what the expression is, or what it promises
    preload(script)     runs it before the scripts of each page that is opened
    click_at(x, y), key(name), type(text)
    resize(width, height) the part of the window that shows the page
    picture()           the bytes of a PNG of what can be seen of the page
    """

    PATIENCE = 30  # seconds

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="browser")
        self.process = None
        self.number = 0      # of the last message to it
        self.said = []       # console messages and exceptions
        self.requested = []  # addresses

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()

    def answer(self, send, receive, message):
        """Sends the message with a number, and takes what comes before the answer as events."""
        self.number += 1
        send(json.dumps({"id": self.number, **message}).encode())
        while True:
            answer = json.loads(receive())
            if answer.get("id") == self.number:
                return answer
            self.note(answer)

    def open(self, path, after=""):
        self.address("about:blank")  # or the same page might be taken for the new one
        self.address("file://" + os.path.abspath(path) + after)

    def wait(self, script):
        """Until the expression is true, and what it is then; None: never."""
        end = time.monotonic() + self.PATIENCE
        while time.monotonic() < end:
            try:
                value = self.eval(script)
            except RuntimeError:
                value = None  # of a page that is not there yet
            if value or value == {}:
                return value or True  # {}: an element
            time.sleep(0.02)
        return None

    def middle(self, selector):
        place = self.eval(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        if place is None:
            raise RuntimeError("nothing is " + selector)
        return place

    def click(self, selector):
        self.click_at(*self.middle(selector))

    def select_all(self, selector):
        self.click(selector)
        self.eval(f"document.querySelector({json.dumps(selector)}).select()")

    def fill(self, selector, text):
        self.select_all(selector)
        self.type(text)

    def screenshot(self, path):
        """Into a file; the bytes."""
        data = self.picture()
        with open(path, "wb") as file:
            file.write(data)
        return data
