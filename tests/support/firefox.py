"""A headless Firefox, told what to do through WebDriver BiDi; see browser.py."""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import time

from browser import Browser

PREFERENCES = """
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.aboutwelcome.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("remote.active-protocols", 1);
user_pref("layout.css.prefers-color-scheme.content-override", %d);
"""
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "End": "\ue010", "Home": "\ue011", "PageUp": "\ue00e",
        "PageDown": "\ue00f", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014",
        "ArrowDown": "\ue015", "Backspace": "\ue003"}


def program():
    """Where there is one, or None."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Socket:
    """A WebSocket, as far as this needs one: texts."""

    def __init__(self, port, path):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=Browser.PATIENCE)
        self.stream.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            raise RuntimeError(head.decode())

    def more(self):
        some = self.stream.recv(1 << 20)
        if not some:
            raise RuntimeError("the browser has ended")
        self.buffer += some

    def take(self, size):
        while len(self.buffer) < size:
            self.more()
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def send(self, data):
        size = (bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
                if len(data) < 65536 else b"\xff" + struct.pack(">Q", len(data)))
        mask = os.urandom(4)
        key = (mask * (len(data) // 4 + 1))[:len(data)]
        masked = int.from_bytes(data, "big") ^ int.from_bytes(key, "big")
        self.stream.sendall(b"\x81" + size + mask + masked.to_bytes(len(data), "big"))

    def receive(self):
        text = b""
        while True:
            first, size = self.take(2)
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            data = self.take(size)
            if first & 15 < 3:
                text += data
            if first & 15 < 3 and first & 128:
                return text.decode()


class Firefox(Browser):
    def __init__(self, width=1400, height=900, dark=False):
        super().__init__()
        with open(os.path.join(self.directory, "user.js"), "w", encoding="utf-8") as file:
            file.write(PREFERENCES % (0 if dark else 1))
        self.process = subprocess.Popen(
            [program(), "--headless", "--no-remote", "--profile", self.directory, "--remote-debugging-port=0",
             f"--width={width}", f"--height={height}", "about:blank"],
            env={**os.environ, "HOME": self.directory, "MOZ_DISABLE_AUTO_SAFE_MODE": "1"},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = Socket(self.port(), "/session")
        self.call("session.new", capabilities={})
        self.page = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.resize(width, height)

    def port(self):
        path = os.path.join(self.directory, "WebDriverBiDiServer.json")
        end = time.monotonic() + 2 * self.PATIENCE
        while time.monotonic() < end:
            try:
                with open(path, encoding="utf-8") as file:
                    return json.load(file)["ws_port"]
            except (OSError, ValueError):
                time.sleep(0.05)
        self.process.kill()
        raise RuntimeError("Firefox does not say where it can be reached")

    def note(self, event):
        about = event.get("params", {})
        if event.get("method") == "log.entryAdded":
            self.said.append(about["level"] + ": " + str(about["text"]))
        elif event.get("method") == "network.beforeRequestSent":
            self.requested.append(about["request"]["url"])

    def call(self, method, **parameters):
        answer = self.answer(self.socket.send, self.socket.receive, {"method": method, "params": parameters})
        if answer["type"] == "error":
            raise RuntimeError(method + ": " + answer["message"])
        return answer["result"]

    def preload(self, script):
        self.call("script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}")

    def address(self, url):
        self.call("browsingContext.navigate", context=self.page, url=url, wait="none")

    def eval(self, script):
        answer = self.call("script.evaluate", target={"context": self.page}, awaitPromise=True,
                           expression=f"(async () => JSON.stringify(await ({script})))()")
        if answer["type"] == "exception":
            raise RuntimeError(script + ": " + answer["exceptionDetails"]["text"])
        value = answer["result"].get("value")
        return None if value is None else json.loads(value)

    def act(self, *actions, kind="key"):
        source = {"type": kind, "id": kind, "actions": list(actions)}
        if kind == "pointer":
            source["parameters"] = {"pointerType": "mouse"}
        self.call("input.performActions", context=self.page, actions=[source])

    def click_at(self, x, y):
        self.act({"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
                 {"type": "pointerUp", "button": 0}, kind="pointer")

    def key(self, key):
        value = KEYS.get(key, key)
        self.act({"type": "keyDown", "value": value}, {"type": "keyUp", "value": value})

    def type(self, text):
        for letter in text:
            self.key(letter)

    def fill(self, selector, text):
        self.select_all(selector)
        self.type(text or KEYS["Backspace"])

    def resize(self, width, height):
        self.call("browsingContext.setViewport", context=self.page, viewport={"width": width, "height": height})

    def picture(self):
        return base64.b64decode(self.call("browsingContext.captureScreenshot", context=self.page)["data"])
