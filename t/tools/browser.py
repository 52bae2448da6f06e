#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# browser.py PAGE [WIDTH HEIGHT] - opens an HTML file in headless Chromium without a network and runs
# the Python program on standard input, in which p is the page.  Chromium is told what to do through
# a pipe (its DevTools protocol).  BROWSER names another program.
import base64, json, os, shutil, subprocess, sys, tempfile, time


class Page:
    def __init__(self, path, width=1200, height=800):
        self.dir = tempfile.mkdtemp(prefix="browser")
        to_r, self.w = os.pipe()
        self.r, from_w = os.pipe()

        def descriptors():  # Chromium reads 3 and writes 4
            a, b = os.dup(to_r), os.dup(from_w)
            while min(a, b) < 5:
                a, b = os.dup(a), os.dup(b)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [os.environ.get("BROWSER", "chromium"), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--remote-debugging-pipe", "--user-data-dir=" + self.dir, "--no-first-run",
             "--disable-background-networking", "--disable-dev-shm-usage", "--mute-audio",
             "--hide-scrollbars", "--force-color-profile=srgb", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.dir))
        os.close(to_r)
        os.close(from_w)
        self.buffer, self.id, self.session, self.events = b"", 0, None, []
        target = next(t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.path = os.path.abspath(path)
        self.opened = {"about:blank"}

    def message(self):
        while b"\0" not in self.buffer:
            more = os.read(self.r, 1 << 16)
            if not more:
                raise SystemExit("browser.py: the browser has ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        m = json.loads(text)
        if "id" not in m:
            self.events.append(m)
        return m

    def send(self, method, **params):
        self.id += 1
        m = {"id": self.id, "method": method, "params": params}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.w, json.dumps(m).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.id:
                if "error" in answer:
                    raise Exception(answer["error"])
                return answer.get("result", {})

    def open(self, fragment="", dark=False):
        """Loads the page.  Returns the milliseconds until it was drawn."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.send("Page.navigate", url="about:blank")
        self.opened.add("file://" + self.path)
        begin = time.monotonic()
        self.send("Page.navigate", url="file://" + self.path + fragment)
        while self.js("document.documentElement?.dataset.ready") != "1" and time.monotonic() < begin + 20:
            time.sleep(0.01)
        self.js("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))")
        return (time.monotonic() - begin) * 1000

    def js(self, expression):
        r = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise Exception(r["exceptionDetails"])
        return r["result"].get("value")

    def text(self, id):
        return self.js("document.getElementById(%s).textContent" % json.dumps(id))

    def frames(self):
        """The frames that the page says are visible."""
        return [line.strip() for line in self.text("frames").split("\n")]

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def press(self, id):
        x, y = self.js("(r => [r.x + r.width / 2, r.y + r.height / 2])(document.getElementById(%s).getBoundingClientRect())" % json.dumps(id))
        self.click(x, y)

    def chart(self, x, level):
        """The point at X, from 0 to 1, of that level of the chart, whose root is above."""
        left, top, width = self.js("(r => [r.x, r.y, r.width])(document.getElementById('chart').getBoundingClientRect())")
        return left + x * width, top + 1 + 19 * level + 9

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            more = {"text": key} if kind == "keyDown" and len(key) == 1 else {"text": "\r"} if (key, kind) == ("Enter", "keyDown") else {}
            self.send("Input.dispatchKeyEvent", type=kind, key=key, **more)

    def search(self, text):
        self.key("/")
        self.send("Input.insertText", text=text)
        self.key("Enter")
        return self.text("matched")

    def problems(self):
        """Errors of scripts, messages on the console, and what was asked of the network."""
        out = []
        for m in self.events:
            if m["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Page.javascriptDialogOpening"):
                out.append(m)
            elif m["method"] == "Network.requestWillBeSent" and m["params"]["request"]["url"].split("#")[0] not in self.opened:
                out.append(m)
        return out

    def shot(self, path):
        data = self.send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
        except BaseException:
            self.process.kill()
        self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)


if __name__ == "__main__":
    p = Page(sys.argv[1], *map(int, sys.argv[2:4]))
    try:
        exec(compile(sys.stdin.read(), "test", "exec"), {"p": p, "os": os, "time": time, "json": json})
    finally:
        p.close()
