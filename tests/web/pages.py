"""Opening pages, and waiting for what they do.

Tests wait for what they want to see, never for time to pass.
"""

import re
from weakref import WeakKeyDictionary

from playwright.sync_api import Error, expect
from waiting import until

# Ends a test that waits in vain. What works is far from it, however busy the machine is.
WAIT_MS = 60_000
expect.set_options(timeout=WAIT_MS)

# quiet() resolves when a view is drawn and the page has nothing more to do by itself: no short timer runs,
# and several frames changed nothing.
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
)  # what is waited for in a page that another one follows

_requests = WeakKeyDictionary()  # page: those that are not answered, and the addresses of all


def open_page(browser, **options):
    """A page in a context of its own, which settle() can wait for."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
    context.set_default_timeout(WAIT_MS)
    context.add_init_script(QUIET)
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
    """The addresses of all that a page has asked for: a list that grows."""
    return _requests[page][1]


def settle(page):
    """Until the view is drawn, everything that it asked for is there, and nothing changes any more."""
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
    """Leads an open page to another address of it, and waits until it shows what is there."""
    page.evaluate("hash => { location.hash = hash }", hash)
    settle(page)


def text_of(page):
    """What a view shows, with what is selected in it."""
    return page.evaluate(
        """() => [document.title, document.querySelector('main').innerText, ...Array.from(document.querySelectorAll('main [aria-selected=true], main [aria-current], main [aria-pressed=true]'), (e) => e.innerText),
        ...Array.from(document.querySelectorAll('main input, main select'), (e) => e.type === 'checkbox' ? e.checked : e.value)].join('\\n')"""
    )


def becomes(read, wanted=True):
    """What is read of a page is what is wanted, or will be. For what expect() has no words."""
    until(read, wanted, WAIT_MS / 1000)


def listed(log):
    """The keys of what the list of compiles shows: compiles, what torch refused or only captured, and '-' for
    the records of none.
    """
    return [
        "-",
        *dict.fromkeys(row["compile"] for name in ("attempts", "compiles") for row in log.table(name)),
    ]


def address(page):
    """The address that the page has now. (page.url hears of a change a little later.)"""
    return page.evaluate("location.href")


def expect_address(page, *parts):
    """Each part is in the address, or will be."""
    for part in parts:
        expect(page).to_have_url(re.compile(re.escape(part)))
