"""The page of docs/format-core.md, as it stands there, shows a bundle."""

import json
import re

from conftest import ROOT
from playwright.sync_api import expect
from running_server import running
from tlparse_bundle import Bundle
from tlparse_bundle.serve.app import create_app

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
        wanted = [f"{one.key} {json.loads(json.dumps(one.row['function']))} {one.status}:" for one in log.compiles if one.row["id"] is not None]
        items = page.get_by_role("listitem")
        expect(items).to_have_count(len(wanted))
        assert [text[: len(start)] for text, start in zip(items.all_inner_texts(), wanted)] == wanted
        page.goto("about:blank")
