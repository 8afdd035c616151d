"""A page in headless Chromium, by the WebDriver protocol and nothing but Python's own modules."""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Left": "\ue012", "Right": "\ue014", "Up": "\ue013", "Down": "\ue015", "Home": "\ue011"}


class Browser:
    """with Browser() as page: page.open(path); page.run("return document.title")"""

    def __init__(self, width=1400, height=1000, dark=False):
        self.size = (width, height)
        self.dark = dark

    def __enter__(self):
        driver = shutil.which("chromedriver")
        chromium = shutil.which("chromium")
        if not driver or not chromium:
            raise SystemExit("chromium and chromium-driver are not installed: scripts/install-packages.sh tests")
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.folder = tempfile.mkdtemp()
        # A session of its own: what the driver starts ends with it.
        self.driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True, start_new_session=True)
        for line in self.driver.stdout:
            if match := re.search(r"successfully on port (\d+)", line):
                self.base = "http://127.0.0.1:" + match[1]
                break
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                     "--force-device-scale-factor=1", f"--user-data-dir={self.folder}", "--disable-background-networking",
                     f"--window-size={self.size[0]},{self.size[1]}", "--lang=en-GB"]
        if self.dark:
            arguments.append("--force-dark-mode")
        wanted = {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"binary": chromium, "args": arguments}}}}
        self.session = ""
        try:
            self.session = "/session/" + self.call("POST", "/session", wanted)["sessionId"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if self.session:
                self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass
        try:
            os.killpg(self.driver.pid, signal.SIGTERM)
            self.driver.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + self.session + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, path):
        self.call("POST", "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, what, seconds=30):
        """Until `script` returns something true, which is the result."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.run(script):
                return value
            time.sleep(0.05)
        raise AssertionError(f"{what}: not within {seconds} s")

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? null", selector)

    def box(self, selector):
        return self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'});"
                        "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                        "return [b.x, b.y, b.width, b.height]", selector)

    def mouse(self, *steps):
        """Steps: ("move", x, y), "down", "up"."""
        actions = []
        for step in steps:
            if step == "down" or step == "up":
                actions.append({"type": "pointerDown" if step == "down" else "pointerUp", "button": 0})
            else:
                actions.append({"type": "pointerMove", "x": int(step[1]), "y": int(step[2]), "duration": 0})
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": actions,
                                                    "parameters": {"pointerType": "mouse"}}]})

    def wheel(self, x, y, dy, dx=0):
        self.call("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": int(x), "y": int(y), "deltaX": dx, "deltaY": dy, "duration": 0}]}]})

    def keys(self, text):
        down_up = [{"type": kind, "value": KEYS.get(text, text)} for kind in ("keyDown", "keyUp")]
        if text not in KEYS:
            down_up = [{"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": down_up}]})

    def errors(self):
        """What the console was told at level SEVERE."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))
