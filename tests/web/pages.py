"""Opening pages, and waiting for what they do. Tests wait for what they want to see, never for time to pass."""

import re
from weakref import WeakKeyDictionary

from playwright.sync_api import expect
from waiting import until

# Ends a test that waits in vain. What works is far from it, however busy the machine is.
WAIT_MS = 60_000
expect.set_options(timeout=WAIT_MS)

# quiet() resolves when the page has nothing more to do by itself: no short timer runs, and several frames changed nothing.
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
  window.quiet = async () => {
    for (let still = 0; still < 3;) {
      const before = changes;
      await new Promise((next) => requestAnimationFrame(() => start(next)));
      still = timers.size === 0 && changes === before ? still + 1 : 0;
    }
  };
})()"""

_asked = WeakKeyDictionary()  # page: the requests that are not answered, and how many there have been


def open_page(browser, **options):
    """A page in a context of its own, which settle() can wait for."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
    context.set_default_timeout(WAIT_MS)
    context.add_init_script(QUIET)
    page = context.new_page()
    open_requests, count = _asked[page] = set(), [0]

    def begin(request):
        if request.is_navigation_request():
            open_requests.clear()  # those of the page before
        open_requests.add(request)
        count[0] += 1

    page.on("request", begin)
    page.on("requestfinished", lambda request: open_requests.discard(request))
    page.on("requestfailed", lambda request: open_requests.discard(request))
    return page


def settle(page):
    """Until the view is drawn, everything that it asked for is there, and nothing changes any more."""
    open_requests, count = _asked[page]
    expect(page.locator("main > *").first).to_be_attached()
    while True:
        expect(page.locator(".loading")).to_have_count(0)
        becomes(lambda: (page.evaluate("0"), len(open_requests))[1], 0)
        before = count[0]
        page.evaluate("quiet()")
        if not open_requests and count[0] == before:
            return


def go(page, hash):
    """Leads an open page to another address of it, and waits until it shows what is there."""
    page.evaluate("hash => { location.hash = hash }", hash)
    settle(page)


def becomes(read, wanted=True):
    """What is read of a page is what is wanted, or will be. For what expect() has no words."""
    until(read, wanted, WAIT_MS / 1000)


def address(page):
    """The address that the page has now. (page.url hears of a change a little later.)"""
    return page.evaluate("location.href")


def expect_address(page, *parts):
    """Each part is in the address, or will be."""
    for part in parts:
        expect(page).to_have_url(re.compile(re.escape(part)))
