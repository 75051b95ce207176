"""Open pages, and wait for their contents.

Tests wait for what they want to see, never for time to pass.
"""

import re
from weakref import WeakKeyDictionary

from playwright.sync_api import Error, expect
from waiting import until

# Ends a test that waits in vain. Working code is far from this limit, even on a busy machine.
WAIT_MS = 60_000
expect.set_options(timeout=WAIT_MS)

# Tests are not the first visit of a page, except those that set sessionStorage.firstVisit.
VISITED = """try { if (!sessionStorage.firstVisit && location.pathname !== "/blank") localStorage.setItem("tlparse-bundle.introduced", "1") } catch { }"""

# quiet() resolves when a view is drawn and the page is idle: no short timer runs, and several frames changed
# nothing.
QUIET = """(() => {
  const timers = new Set(), start = window.setTimeout, stop = window.clearTimeout;
  let changes = 0;
  window.setTimeout = (run, ms = 0, ...args) => {
    const timer = start(() => { timers.delete(timer); run(...args); }, ms);
    if (ms < 1000) timers.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => { timers.delete(timer); stop(timer); };
  new MutationObserver(() => { changes++; }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  window.quiet = async (waitMs) => {
    for (let still = 0, end = Date.now() + waitMs; still < 3;) {
      const before = changes;
      await new Promise((next) => requestAnimationFrame(() => start(next)));
      const drawn = document.querySelector("main > *") && !document.querySelector(".loading");
      still = drawn && timers.size === 0 && changes === before ? still + 1 : 0;
      if (Date.now() > end) throw new Error(`${drawn ? "it changes and changes" : "no view is drawn"}: ${document.body?.innerText.slice(0, 1000)}`);
    }
  };
})()"""

LEFT = re.compile(
    "context was destroyed|because of a navigation"
)  # what a page waits for that another one follows

_requests = WeakKeyDictionary()  # page: pending requests, and the addresses of all


def open_page(browser, **options):
    """Return a page in a new context, which settle() can wait for."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
    context.set_default_timeout(WAIT_MS)
    context.add_init_script(QUIET)
    context.add_init_script(VISITED)
    page = context.new_page()
    open_requests, addresses = _requests[page] = set(), []

    def begin(request):
        if request.is_navigation_request():
            open_requests.clear()  # those of the page before
        open_requests.add(request)
        addresses.append(request.url)

    page.on("request", begin)
    page.on("requestfinished", lambda request: open_requests.discard(request))
    page.on("requestfailed", lambda request: open_requests.discard(request))
    return page


def asked(page):
    """Return the growing list of addresses that a page has requested."""
    return _requests[page][1]


def settle(page):
    """Wait until the view is drawn, all its requests are answered, and nothing changes."""
    becomes(lambda: _settled(page))


def _settled(page):
    open_requests, addresses = _requests[page]
    before = len(addresses)
    try:
        page.evaluate("waitMs => quiet(waitMs)", WAIT_MS)
    except Error as error:
        if not LEFT.search(error.message):
            raise
        return False
    return not open_requests and len(addresses) == before


def go(page, hash):
    """Lead an open page to another address of it, and wait until it is drawn."""
    page.evaluate("hash => { location.hash = hash }", hash)
    settle(page)


def text_of(page):
    """Return the text of a view, with its selection."""
    return page.evaluate(
        """() => [document.title, document.querySelector('main').innerText, ...Array.from(document.querySelectorAll('main [aria-selected=true], main [aria-current], main [aria-pressed=true]'), (e) => e.innerText),
        ...Array.from(document.querySelectorAll('main input, main select'), (e) => e.type === 'checkbox' ? e.checked : e.value)].join('\\n')"""
    )


def becomes(read, wanted=True):
    """Wait until a value read from a page equals the wanted one, for cases that expect() does not cover."""
    until(read, wanted, WAIT_MS / 1000)


def listed(log):
    """Return the keys in the list of compiles: compiles, refused compiles and captures, and '-' for records
    without a compile.
    """
    return [
        "-",
        *dict.fromkeys(row["compile"] for name in ("attempts", "compiles") for row in log.table(name)),
    ]


def address(page):
    """Return the current address of the page. (page.url changes a little later.)"""
    return page.evaluate("location.href")


def expect_address(page, *parts):
    """Wait until each part is in the address."""
    for part in parts:
        expect(page).to_have_url(re.compile(re.escape(part)))
