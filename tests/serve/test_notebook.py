"""Bundles in notebooks: headline and findings as HTML, and the viewer in a frame."""

import sys
import types
import urllib.error
import urllib.request
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tlparse_bundle import Bundle
from tlparse_bundle.serve import notebook
from tlparse_bundle.serve.http.app import create_app

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>&amp;`\"'<b>` `$x$"
CROSS_SITE = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe"}


class Reader(HTMLParser):
    """Collects elements, attributes and text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def opened(built, root):
    return lambda name: Bundle.open(built(root / "fixtures" / name / "trace").folder)


def test_headline_and_findings(opened):
    bundle = opened("recompiles")
    (log,) = bundle.logs
    causes = [row for row in log.findings() if row["because_of"] is None]
    for html in (bundle._repr_html_(), log._repr_html_()):
        text = Reader(html).text
        assert log.summary["text"] in text
        for row in causes[:5]:
            assert row["title"].replace("`", "") in text and f"{row['file']}:{row['line']}" in text
            assert not row["remedies"] or row["remedies"][0]["text"].replace("`", "") in text
    ranks = opened("ranks4")
    text = Reader(ranks._repr_html_()).text
    assert ranks.job["text"].replace("`", "") in text and "rank 3 3 functions" in text


def test_hostile_text_is_text(opened, monkeypatch):
    bundle = opened("recompiles")
    (log,) = bundle.logs
    rows = log.findings()
    for row in rows:
        row |= {"title": HOSTILE, "file": HOSTILE, "severity": HOSTILE}
        for remedy in row["remedies"]:
            remedy["text"] = HOSTILE
    monkeypatch.setattr(type(log), "findings", lambda self: rows)
    log.row["summary"]["text"] = log.row["id"] = HOSTILE
    for html in (bundle._repr_html_(), log._repr_html_()):
        page = Reader(html)
        assert page.tags <= {"div", "p", "span", "strong", "code", "br"}
        assert page.attributes <= {"class", "style"}
        assert page.text.count("<script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'<b> `$x$") > 3
        assert html.startswith('<div class="tex2jax_ignore mathjax_ignore">')  # $x$ is not a formula
        assert "color" not in html  # the theme of the notebook decides


def test_a_redacted_bundle_without_findings_says_so(opened, monkeypatch):
    bundle = opened("recompiles")
    bundle.logs[0].directory["left_out"] = ["findings"]
    bundle.logs[0].directory["tables"].pop("findings")
    text = Reader(bundle._repr_html_()).text
    assert bundle.logs[0].summary["text"] in text and "findings" in text and "redacted" in text


@pytest.fixture
def shown_in(monkeypatch):
    """Return shown_in(shell): what a notebook displays, with a stand-in for IPython and its shell."""

    def install(shell):
        displayed = []
        module = types.ModuleType("IPython")
        module.get_ipython = lambda: shell
        module.display = types.SimpleNamespace(
            display=lambda *items: displayed.extend(items),
            HTML=lambda html: html,
            IFrame=lambda src, width, height: (src, width, height),
        )
        monkeypatch.setitem(sys.modules, "IPython", module)
        return displayed

    return install


def test_show_displays_a_frame_with_a_link(opened, shown_in, monkeypatch):
    monkeypatch.setattr(notebook, "_addresses", {})
    displayed = shown_in(types.SimpleNamespace(kernel=True))
    bundle = opened("recompiles")
    bundle.show()
    bundle.show(height=300)
    link, (address, width, height), _, again = displayed
    assert (address, 300) == (again[0], again[2])  # one server for both
    assert address.startswith("http://127.0.0.1:") and (width, height) == ("100%", 700)
    assert "Open the viewer in a new tab" in link and "127.0.0.1" in link
    server, path = address.partition("/t/")[0], address.partition("?bundle=")[2] + "manifest.json"
    with urllib.request.urlopen(server + path) as answer:  # without a cookie, which a frame does not get
        assert answer.read() == (Path(bundle.location) / "manifest.json").read_bytes()
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(server + path[path.index("/bundles") :])


@pytest.mark.parametrize("shell", [None, types.SimpleNamespace()])  # a script, and IPython in a terminal
def test_show_opens_the_browser_elsewhere(opened, shown_in, monkeypatch, shell):
    monkeypatch.setattr(notebook, "_addresses", {})
    pages = []
    monkeypatch.setattr(notebook.webbrowser, "open", pages.append)
    assert shown_in(shell) == []
    opened("recompiles").show()
    (page,) = pages
    assert page.startswith("file:") and "token" not in page


def test_only_a_server_for_notebooks_can_be_framed_and_only_by_this_machine(built, root):
    folder = built(root / "fixtures" / "recompiles" / "trace").folder
    token = "aB3-" * 8
    for framed, status in ((False, 403), (True, 200)):
        app = create_app({"out": folder}, token=token, framed=framed)
        client = TestClient(app, base_url="http://127.0.0.1:8000", follow_redirects=False)
        page = f"/t/{token}/viewers/default/"
        assert client.get(page, headers=CROSS_SITE).status_code == status
        policy = client.get(page).headers["content-security-policy"]
        ancestors = policy.partition("frame-ancestors ")[2]
        assert ancestors == ("http://127.0.0.1:* http://localhost:*" if framed else "'none'")
        # Frames or not: no other page reads, and none enters without the token.
        fetched = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "empty", "origin": "http://localhost:1"}
        assert client.get(page, headers=fetched).status_code == 403
        assert client.get("/viewers/default/", headers=CROSS_SITE).status_code == 403
