"""The tab that tests of a session share: its process keeps the viewers' modules, so a page needs less than
half the work.

The next test gets it as if it were new, or gets another one. A tab is reused when the test only looked at
pages of the one server. Lasting changes, such as a listener or a size, end the tab.
"""

from urllib.parse import urlsplit

from pages import open_page

# Changes of a page and its context that outlive a page. They prevent reuse of the tab.
STAYS = {
    "page": (
        "on", "once", "route", "route_web_socket", "route_from_har", "add_init_script", "expose_function", "expose_binding", "emulate_media",
        "set_viewport_size", "set_default_timeout", "set_default_navigation_timeout", "set_extra_http_headers", "add_locator_handler", "close",
    ),
    "context": ("on", "once", "route", "new_page", "new_cdp_session", "grant_permissions", "add_init_script", "add_cookies", "set_offline", "set_geolocation", "close"),
}  # fmt: skip


class Tab:
    """open() returns the page; leave() resets or closes it.

    ``home`` is an empty page of the one server.
    """

    def __init__(self, browser, options, home, watch):
        self.browser, self.options, self.home, self.watch = browser, options, home, watch
        self.page = None

    def open(self):
        """Return the page, and watch()'s empty lists for the test."""
        if self.page is None:
            self.page = open_page(self.browser, **self.options)
            self.noted = self.watch(self.page)
            self.page.on("framenavigated", self._went)
            self.page.goto(self.home)
            self.clean = True
            for name, owner in (("page", self.page), ("context", self.page.context)):
                for method in STAYS[name]:
                    setattr(owner, method, self._marked(getattr(owner, method)))
        for notes in self.noted:
            notes.clear()
        return self.page, *self.noted

    def leave(self):
        page = self.page
        try:
            if self.clean and len(page.context.pages) == 1:
                page.goto(self.home)
                page.mouse.move(0, 0)
                page.evaluate("localStorage.clear(); sessionStorage.clear(); window.name = ''")
                page.context.clear_cookies()
                return
        except Exception:  # whatever happened to it
            pass
        self.close()

    def close(self):
        if self.page is not None:
            page, self.page = self.page, None
            page.context.close()

    def _went(self, frame):
        there, home = urlsplit(frame.url), urlsplit(self.home)
        if frame.url != "about:blank" and (there.scheme, there.netloc) != (home.scheme, home.netloc):
            self.clean = False

    def _marked(self, method):
        def call(*args, **options):
            self.clean = False
            return method(*args, **options)

        return call
