"""Pages that missed the end of the bundle: asleep, or with a silent connection."""

import threading

from followed import RECOMPILES, cuts, mark, rows
from pages import listed
from playwright.sync_api import expect
from tlparse_bundle import Bundle
from tlparse_bundle.serve.http.state_events import News

COUNT_ERRORS = """
window.errorsShown = 0;
new MutationObserver(() => { errorsShown += document.querySelector(".error-box") ? 1 : 0; }).observe(document, {childList: true, subtree: true});
"""


def test_a_page_that_slept_until_after_the_end_shows_the_finished_bundle(follow, open_viewer, monkeypatch):
    """The server drops a client that reads nothing for long; the files of states are removed at the end."""
    let_go, tell = threading.Event(), News._tell

    async def telling(self, name, send):
        async def sent(data):
            if let_go.is_set():
                raise TimeoutError
            await send(data)

        await tell(self, name, sent)

    monkeypatch.setattr(News, "_tell", telling)
    monkeypatch.setattr(News.__init__, "__defaults__", (0.05, 0.05))
    data = RECOMPILES.read_bytes()
    follow.write(x=data[: len(data) // 3])
    page = open_viewer(follow.out, "#v=1&view=compiles", errors=True)
    expect(mark(page)).to_contain_text("live")
    page.evaluate(COUNT_ERRORS)
    known = rows(page).count()
    debugger = page.context.new_cdp_session(page)
    debugger.send("Debugger.enable")
    debugger.send("Debugger.pause")
    let_go.set()
    follow.write(x=data[len(data) // 3 :])
    follow.end()
    let_go.clear()
    debugger.send("Debugger.resume")
    debugger.send("Debugger.disable")
    expect(mark(page)).to_contain_text("finished")
    whole = listed(Bundle.open(follow.out).logs[0])
    assert len(whole) > known
    expect(rows(page)).to_have_count(1 + len(whole))
    assert page.evaluate("errorsShown") == 0


def test_views_of_a_removed_state_show_the_finished_bundle(follow, open_viewer):
    data = RECOMPILES.read_bytes()
    follow.write(x=data[: len(data) // 3])
    page = open_viewer(follow.out, "#v=1&view=compiles", errors=True, silent=True)
    expect(mark(page)).to_contain_text("live")
    page.evaluate(COUNT_ERRORS)
    follow.write(x=data[len(data) // 3 :])
    follow.end()
    page.get_by_role("link", name="Stack").click()
    expect(mark(page)).to_contain_text("finished")
    expect(page.get_by_role("tree")).to_be_visible()
    assert page.evaluate("errorsShown") == 0


def test_a_silent_connection_is_reopened(follow, open_viewer):
    begin, more = cuts(RECOMPILES.read_bytes(), 0.3, 0.8)
    follow.write(x=begin)
    page = open_viewer(follow.out, "#v=1&view=compiles", silent=True)
    expect(mark(page)).to_contain_text("live")
    follow.write(x=more)
    page.clock.fast_forward(60_000)
    expect(rows(page)).to_have_count(1 + len(listed(Bundle.open(follow.out).logs[0])))
