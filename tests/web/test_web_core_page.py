"""The example pages of docs/format-core.md and docs/how-to/language-model.md show a bundle unchanged."""

import re

from conftest import ROOT
from playwright.sync_api import expect
from running_server import running
from tlparse_bundle import Bundle
from tlparse_bundle.serve.http.app import create_app

CORE = (ROOT / "docs" / "format-core.md").read_text(encoding="utf-8")


def test_the_page_of_the_document_shows_every_compile(new_page, bundle_of, tmp_path):
    (html,) = re.findall(r"^```html\n(.*?)^```$", CORE, re.MULTILINE | re.DOTALL)
    (script,) = re.findall(r"^```js core=main\n(.*?)^```$", CORE, re.MULTILINE | re.DOTALL)
    (tmp_path / "index.html").write_text(html)
    (tmp_path / "main.js").write_text(script)
    place = bundle_of("graph_breaks")
    page = new_page()
    with running(create_app({"out": place}, {"my-viewer": tmp_path})) as port:
        page.goto(f"http://127.0.0.1:{port}/viewers/my-viewer/?bundle=/bundles/out/")
        log = Bundle.open(place).logs[0]
        expect(page.get_by_role("heading", level=2)).to_have_text(log.row["summary"]["text"])
        wanted = [f"{one.key} {one.row['function']} {one.status}" for one in log.compiles]
        expect(page.get_by_role("listitem")).to_have_text(wanted)
        page.goto("about:blank")


def test_the_viewer_that_a_model_wrote(new_page, bundle_of, tmp_path):
    text = (ROOT / "docs" / "how-to" / "language-model.md").read_text(encoding="utf-8")
    for name, code in re.findall(r"^```\w+ llm=([\w.]+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(code)
    place = bundle_of("recompiles")
    log = Bundle.open(place).logs[0]
    page = new_page()
    with running(create_app({"out": place}, {"my-viewer": tmp_path})) as port:
        page.goto(f"http://127.0.0.1:{port}/viewers/my-viewer/?bundle=/bundles/out/")
        expect(page.get_by_role("heading", level=1)).to_have_text(log.summary["text"])
        expect(page.get_by_role("row")).to_have_count(log.summary["function_count"] + 1)
        limited = (
            page.get_by_role("row")
            .filter(has=page.get_by_role("cell", name="limited", exact=True))
            .get_by_role("cell")
        )
        own = [one for one in log.compiles if one.row["function"] == "limited"]
        expect(limited.nth(1)).to_have_text(str(len(own)))
        expect(limited.nth(2)).to_have_text(f"{sum(one.row['total_us'] for one in own) / 1000:.1f}")
        page.goto("about:blank")
