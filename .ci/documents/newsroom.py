"""The newsroom's JSON API, for programs that check what became of their items."""
import http.cookiejar, json, os, time, urllib.error, urllib.parse, urllib.request

WEB = os.environ["WEB"]
jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def sign_in():
    password = open(os.environ["PASSWORD"]).read().strip()
    form = urllib.parse.urlencode({"name": "ann", "password": password}).encode()
    jar.open(urllib.request.Request(WEB + "/sign-in", form, {"Origin": WEB}))


def ask(method, path, body=None, etag=None, want=(200, 201, 204)):
    headers = {"Content-Type": "application/json", "Origin": WEB}
    if etag:
        headers["If-Match"] = etag
    data = None if body is None else json.dumps(body).encode()
    status, text, tag = send(urllib.request.Request(WEB + "/api/v1" + path, data, headers, method=method))
    if status not in want:
        raise SystemExit(f"{method} {path}: {status}: {text[:500]!r}")
    return (json.loads(text) if text.strip() else {}), tag


def send(request, opener=jar):
    """A request; one that is told to come back later does."""
    while True:
        try:
            res = opener.open(request)
            return res.status, res.read(), res.headers.get("ETag")
        except urllib.error.HTTPError as e:
            if e.code != 429:
                return e.code, e.read(), None
            time.sleep(float(e.headers.get("Retry-After") or 1))


def page(path, want=200):
    """The text of a page, as a reader sees it, or a member of the staff under /office."""
    opener = jar if path.startswith("/office") else urllib.request.build_opener()
    status, text, _ = send(urllib.request.Request(WEB + path), opener)
    if status != want:
        raise SystemExit(f"GET {path}: {status}: {text[:500]!r}")
    return text.decode()


def every(path):
    """All items of a list, page by page."""
    found, cursor = [], None
    while True:
        sep = "&" if "?" in path else "?"
        page, _ = ask("GET", path + sep + "limit=100" + (f"&cursor={urllib.parse.quote(cursor)}" if cursor else ""))
        found += page["items"]
        cursor = page.get("next_cursor")
        if not cursor:
            return found


def within(seconds, what, holds):
    """Waits until something holds, and says so if it never does."""
    end = time.time() + seconds
    while True:
        got = holds()
        if got is True:
            return
        if time.time() > end:
            raise SystemExit(f"{what}: after {seconds} s it is {got!r}")
        time.sleep(0.2)
