"""The tab that tests share: the next test sees nothing of the one before."""

import pytest
from conftest import watched
from pages import becomes
from tab import Tab


@pytest.fixture
def tab(browser, blank):
    tab = Tab(browser, {}, blank, watched)
    yield tab
    tab.close()


def test_an_unchanged_page_is_reused_without_its_storage(tab, blank):
    page, *_ = tab.open()
    page.goto(f"{blank}?looked=at")
    page.evaluate(
        "localStorage.a = sessionStorage.a = window.name = document.cookie = 'a=1'; document.title = 'mine'"
    )
    tab.leave()
    again, *_ = tab.open()
    assert again is page and again.url == blank and again.title() == ""
    assert again.evaluate("[localStorage.length, sessionStorage.length, window.name, document.cookie]") == [
        0,
        0,
        "",
        "",
    ]


def test_errors_belong_to_their_test(tab):
    page, problems, _ = tab.open()
    page.evaluate("setTimeout(() => { console.error('mine'); null.x; })")
    becomes(lambda: (page.evaluate("0"), len(problems))[1], 2)
    tab.leave()
    assert problems[0] == "console error: mine" and problems[1].startswith("script error: TypeError")
    assert tab.open()[1:] == ([], [])


CHANGES = {
    "a listener": lambda page: page.on("request", lambda request: None),
    "a route": lambda page: page.route("**/x", lambda route: route.abort()),
    "another size": lambda page: page.set_viewport_size({"width": 300, "height": 300}),
    "print": lambda page: page.emulate_media(media="print"),
    "a permission": lambda page: page.context.grant_permissions(["clipboard-read"]),
    "another tab": lambda page: page.evaluate("void open('about:blank')"),
    "another server": lambda page: page.goto("data:text/html,elsewhere"),
    "the end": lambda page: page.close(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_page_is_not_reused(tab, change):
    page, *_ = tab.open()
    change(page)
    tab.leave()
    assert page.is_closed() and tab.open()[0] is not page
