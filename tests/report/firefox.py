# SPDX-License-Identifier: BSD-3-Clause
"""A headless Firefox that a test drives by its Marionette protocol, with the methods of chromium.py that tests of pages need. Used by ../report.py."""
import base64
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from common import HANG_S

PREFERENCES = {"devtools.console.stdout.content": True, "browser.dom.window.dump.enabled": True, "datareporting.policy.dataSubmissionEnabled": False,
               "browser.shell.checkDefaultBrowser": False, "app.update.enabled": False, "network.captive-portal-service.enabled": False,
               "network.connectivity-service.enabled": False, "browser.aboutwelcome.enabled": False, "toolkit.telemetry.enabled": False, "services.settings.server": "data:,#nothing/v1"}


def found():
    return shutil.which(os.environ.get("FIREFOX", "firefox-esr")) or shutil.which("firefox")


class Broken(Exception):
    """What the browser or the page said is wrong."""


class Firefox:
    def __init__(self, width=1300, height=900, limit_s=HANG_S):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="otter-firefox-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        preferences = PREFERENCES | {"marionette.port": port}
        (self.place / "user.js").write_text("".join(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in preferences.items()))
        self.said = open(self.place / "said", "w+b")
        self.process = subprocess.Popen([found(), "--headless", "--no-remote", "--marionette", f"--width={width}", f"--height={height}", "--profile", self.place],
                                        stdin=subprocess.DEVNULL, stdout=self.said, stderr=subprocess.STDOUT, env=os.environ | {"HOME": str(self.place), "MOZ_CRASHREPORTER_DISABLE": "1"})
        self.number, self.rest, self.socket = 0, b"", None
        end = time.monotonic() + limit_s
        while self.socket is None:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=limit_s)
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    self.close()
                    raise Broken("the browser cannot be reached") from None
                time.sleep(0.05)
        self.read()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        self.call("WebDriver:SetTimeouts", script=limit_s * 1000)
        self.call("WebDriver:SetWindowRect", width=width, height=height)

    def read(self):
        """A message: how many bytes, a colon, and JSON."""
        while b":" not in self.rest or len(self.rest) < int(self.rest.partition(b":")[0]) + self.rest.index(b":") + 1:
            more = self.socket.recv(1 << 20)
            if not more:
                raise Broken("the browser ended")
            self.rest += more
        length, _, rest = self.rest.partition(b":")
        text, self.rest = rest[:int(length)], rest[int(length):]
        return json.loads(text)

    def call(self, command, **parameters):
        self.number += 1
        data = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(str(len(data)).encode() + b":" + data)
        _, _, error, result = self.read()
        if error:
            raise Broken(f"{command}: {error['message']}")
        return result

    def value(self, expression):
        """Of a JavaScript expression, which may be a promise; evaluated by the page itself."""
        script = "const done = arguments[arguments.length - 1]; Promise.resolve(eval(arguments[0])).then(v => done([v === undefined ? null : v]), e => done(String(e)));"
        result = self.call("WebDriver:ExecuteAsyncScript", script=script, args=[expression], newSandbox=False, sandbox=None)["value"]
        if isinstance(result, str):
            raise Broken(f"{expression}: {result}")
        return result[0]

    def open(self, path, limit_s=HANG_S):
        """Opens the page, and returns in how many ms it was drawn."""
        self.said.seek(0, os.SEEK_END)
        self.begin = self.said.tell()
        self.call("WebDriver:Navigate", url=f"file://{path}")
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            ready = self.value("document.documentElement.dataset.ready || ''")
            if ready:
                return int(ready)
            time.sleep(0.05)
        raise Broken(f"not drawn after {limit_s} s: {self.errors()}")

    def frames(self, n=2):
        """Until what was done is drawn."""
        self.value("new Promise(done => { let n = %d; const next = () => n-- ? requestAnimationFrame(next) : done(true); next(); })" % n)

    def key(self, key):
        code = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}.get(key, key)
        self.call("WebDriver:PerformActions", actions=[{"type": "key", "id": "keys", "actions": [{"type": kind, "value": code} for kind in ("keyDown", "keyUp")]}])
        self.frames()

    def click(self, selector):
        self.value("document.querySelector(%s).scrollIntoView({block: 'center'})" % json.dumps(selector))
        element = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.call("WebDriver:ElementClick", id=list(element.values())[0])
        self.frames()

    def errors(self):
        """Errors of the page's script that nobody caught; what the browser says of itself is left out."""
        self.said.seek(self.begin)
        said = self.said.read().decode("utf-8", "replace")
        return [line for line in said.splitlines() if re.match(r"JavaScript (error|warning): file:", line)]

    def picture(self, path, whole=True):
        self.value("scrollTo(0, 0)")
        self.frames()
        data = self.call("WebDriver:TakeScreenshot", full=whole, hash=False)["value"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.process.kill()
        self.process.wait()
        self.said.close()
        shutil.rmtree(self.place, ignore_errors=True)
