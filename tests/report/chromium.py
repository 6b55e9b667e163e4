# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium that a test drives over a pipe, by the DevTools protocol. Used by ../report.py."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from common import HANG_S

OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
           "--remote-debugging-pipe", "--force-device-scale-factor=1", "--disable-background-networking"]


def found():
    return shutil.which(os.environ.get("CHROMIUM", "chromium"))


class Broken(Exception):
    """What the browser or the page said is wrong."""


class Chromium:
    def __init__(self, width=1300, height=900):
        self.place = tempfile.mkdtemp(prefix="otter-chromium-")
        to_read, self.to = os.pipe()
        self.frm, to_write = os.pipe()
        # The browser reads commands from descriptor 3, and writes answers to descriptor 4.
        self.process = subprocess.Popen([found(), *OPTIONS, f"--window-size={width},{height}", f"--user-data-dir={self.place}", "about:blank"], close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=lambda: (os.dup2(to_read, 1003), os.dup2(to_write, 1004), os.dup2(1003, 3), os.dup2(1004, 4)))
        os.close(to_read), os.close(to_write)
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Performance"):
            self.call(domain + ".enable")

    def read(self):
        while b"\0" not in self.rest:
            if not select.select([self.frm], [], [], HANG_S)[0]:
                self.process.kill()
                raise Broken(f"the page does not answer for {HANG_S} s")
            more = os.read(self.frm, 1 << 20)
            if not more:
                raise Broken("the browser ended")
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params} | ({"sessionId": self.session} if self.session else {})
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while (answer := self.read()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise Broken(f"{method}: {answer['error']}")
        return answer["result"]

    def value(self, expression):
        """Of a JavaScript expression, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Broken(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def open(self, path, limit_s=HANG_S, at=""):
        """Opens the page, `at` this end of its address, and returns in how many ms it was drawn."""
        self.events = []
        if at:
            # Another end alone would leave the page as it is.
            self.call("Page.navigate", url="about:blank")
            while self.value("location.protocol") != "about:":
                time.sleep(0.01)
        self.call("Page.navigate", url=f"file://{path}{at}")
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            ready = self.value("location.protocol === 'file:' && document.documentElement?.dataset.ready || ''")
            if ready:
                return int(ready)
            time.sleep(0.05)
        raise Broken(f"not drawn after {limit_s} s: {self.errors()}")

    def processor_s(self):
        """The processor time that the page's process has taken so far."""
        return next(m["value"] for m in self.call("Performance.getMetrics")["metrics"] if m["name"] == "ProcessTime")

    def frames(self, n=2):
        """Until what was done is drawn."""
        self.value("new Promise(done => { let n = %d; const next = () => n-- ? requestAnimationFrame(next) : done(true); next(); })" % n)

    def errors(self):
        """What the page has told since it was opened that should not be."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"].get("exception", {}).get("description") or params["exceptionDetails"]["text"]))
            elif event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
            elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **({"text": key} if len(key) == 1 and kind == "keyDown" else {}))
        self.frames()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        x, y = self.middle(selector)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.frames()

    def middle(self, selector):
        """Where it is, after it was scrolled into the middle of the window."""
        element = "document.querySelector(%s)" % json.dumps(selector)
        self.value(element + ".scrollIntoView({block: 'center'})")
        self.frames()
        return self.value("(r => [r.left + r.width / 2, r.top + r.height / 2])(%s.getBoundingClientRect())" % element)

    def picture(self, path, whole=True):
        self.value("scrollTo(0, 0)")
        self.frames()
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def pdf(self, path):
        """As it is printed, on A4."""
        data = self.call("Page.printToPDF", printBackground=False, paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to), os.close(self.frm)
        shutil.rmtree(self.place, ignore_errors=True)
