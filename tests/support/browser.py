"""A headless Chromium that is told what to do through a pipe.

Clicks, keys and the wheel are events of the browser itself, as a person's
are.  What a page says on its console, throws or asks of a network is kept.
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--disable-extensions --disable-dev-shm-usage --no-default-browser-check
--hide-scrollbars=false --remote-debugging-pipe""".split()
PATIENCE = 20


class Browser:
    def __init__(self, width=1400, height=900):
        self.directory = tempfile.mkdtemp(prefix="browser")
        to_it, self.out = os.pipe()
        self.incoming, from_it = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{to_it} 4>&{from_it}; exec "$0" "$@"', "chromium", *FLAGS,
             f"--user-data-dir={self.directory}", f"--window-size={width},{height}", "about:blank"],
            pass_fds=(to_it, from_it), env={**os.environ, "HOME": self.directory},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_it)
        os.close(from_it)
        self.number = 0
        self.buffer = b""
        self.said = []      # console messages and exceptions
        self.requested = []  # addresses
        self.session = None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.out)
        os.close(self.incoming)
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()

    def take(self):
        while b"\0" not in self.buffer:
            some = os.read(self.incoming, 1 << 20)
            if not some:
                raise RuntimeError("the browser has ended")
            self.buffer += some
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        kind, about = event.get("method"), event.get("params", {})
        if kind == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description", details["text"]))
        elif kind == "Runtime.consoleAPICalled":
            self.said.append(about["type"] + ": " + " ".join(str(a.get("value", a.get("description"))) for a in about["args"]))
        elif kind == "Log.entryAdded":
            self.said.append(about["entry"]["level"] + ": " + about["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.requested.append(about["request"]["url"])
        elif kind == "Page.javascriptDialogOpening":
            self.said.append("dialog: " + about["message"])

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.take()
            if answer.get("id") == self.number:
                break
            self.note(answer)
        if "error" in answer:
            raise RuntimeError(method + ": " + answer["error"]["message"])
        return answer["result"]

    def preload(self, script):
        """Runs before the scripts of each page that is opened."""
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, path, after=""):
        self.call("Page.navigate", url="about:blank")  # or the same page might be taken for the new one
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + after)

    def eval(self, script):
        """What the expression is, or what it promises."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(script + ": " + str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait(self, script):
        """Until the expression is true, and what it is then; None: never."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                value = self.eval(script)
            except RuntimeError:
                value = None  # of a page that is not there yet
            if value or value == {}:
                return value or True  # {}: an element
            time.sleep(0.02)
        return None

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def middle(self, selector):
        place = self.eval(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        if place is None:
            raise RuntimeError("nothing is " + selector)
        return place

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def click(self, selector):
        self.click_at(*self.middle(selector))

    def drag(self, x, y, to_x, to_y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for step in range(1, 6):
            self.mouse("mouseMoved", x + (to_x - x) * step / 5, y + (to_y - y) * step / 5, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)

    def wheel(self, x, y, down):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=down)

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        if key == "Enter":
            text = {"text": "\r"}
        codes = {"Enter": 13, "Escape": 27, "End": 35, "Home": 36, "PageDown": 34, "PageUp": 33,
                 "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=codes.get(key, 0), **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def fill(self, selector, text):
        self.click(selector)
        self.eval(f"document.querySelector({json.dumps(selector)}).select()")
        self.type(text)

    def screenshot(self, path):
        image = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(image))

    def dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])
