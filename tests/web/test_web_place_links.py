"""Source lines as links: to the repository of the bundle, or to the editor that the user chose."""

from urllib.parse import unquote

import pytest
from conftest import FIXTURES
from pages import settle
from playwright.sync_api import expect
from tlparse_bundle import build, discover

ROOT = "/home/user/project"
VIEWS = {  # hash of a view: text of one of its links
    "stack": "program.py:",
    "stack&compile=0/0": "program.py:",
    "compile&compile=0/0": "program.py:",
    "compile&compile=0/0&artifact=~stack": f"{ROOT}/program.py:",
    "breaks": f"{ROOT}/program.py:",
    "overview": "program.py:",
    "compiles": "program.py:",
    "artifacts": "program.py:",
}


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    """The bundle of a program with graph breaks, whose repository has 'lib' for the folder of its sources."""
    out = tmp_path_factory.mktemp("linked") / "bundle"
    build(
        discover([FIXTURES / "graph_breaks" / "trace"]),
        out,
        jobs=1,
        commit="a b#1",
        source_url="https://git.example/o/r/blob/{commit}/{path}#L{line}",
        source_roots=[ROOT + "=lib"],
    )
    return out


ADDRESSES = """async ([file, line]) => {
  const { sourceAddress } = await import(new URL("../lib/page/place-link.js", location.href));
  return sourceAddress(file, line)?.href ?? null;
}"""


def choose(page, editor, **texts):
    """Choose an editor in the dialog, which the palette opens; return the dialog's example."""
    page.keyboard.press("ControlOrMeta+k")
    page.get_by_role("dialog").get_by_role("combobox").fill("editor")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Open source lines")
    dialog.get_by_label("Editor").select_option(editor)
    for label, text in texts.items():
        dialog.get_by_label(label.replace("_", " ")).fill(text)
    example = dialog.get_by_role("status").inner_text()
    dialog.get_by_role("button", name="Close").click()
    return example


def test_links_to_the_repository_and_to_an_editor(new_page, address_of, linked):
    page = new_page()
    base = address_of(linked)
    page.goto(f"{base}#v=1&view=compile&compile=0/0")
    link = page.locator("main a.place", has_text="program.py:").first
    web = "https://git.example/o/r/blob/a%20b%231/lib/program.py#L"
    expect(link).to_have_attribute("href", web + link.inner_text().split(":")[-1])
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    address = lambda *place: page.evaluate(ADDRESSES, place)
    assert (
        address(f"{ROOT}/a b/c#?.py", 3) == "https://git.example/o/r/blob/a%20b%231/lib/a%20b/c%23%3F.py#L3"
    )
    for unknown in ("<string>", "", f"{ROOT}/../x.py", "/home/user/projects/x.py", "javascript:alert(1)"):
        assert address(unknown, 1) is None

    assert "vscode://file/home/me/train.py:12" in choose(page, "VS Code")
    expect(link).to_have_attribute("href", f"vscode://file{ROOT}/{link.inner_text()}")
    assert link.get_attribute("target") is None
    assert address("C:\\me\\x.py", 2) == "vscode://file/C:/me/x.py:2"
    assert address('/a/"><img>\x1b%2e.py', 1) == "vscode://file/a/%22%3E%3Cimg%3E%1B%252e.py:1"
    page.reload()
    for view, text in VIEWS.items():
        page.goto(f"{base}#v=1&view={view}")
        settle(page)
        found = page.locator("main a[href^='vscode:']", has_text=text).first
        expect(found, view).to_be_visible()
        assert unquote(found.get_attribute("href")).startswith(f"vscode://file{ROOT}/program.py:"), view

    other = {"Folder_in_the_log": f"{ROOT}/", "The_same_folder_here": "/mine"}
    own = "editor://open?file={path}&line={line}"
    assert (
        choose(page, "other …", Address=own, **other) == "Example: editor://open?file=/mine/train.py&line=12"
    )
    assert address(f"{ROOT}/a&b.py", 7) == "editor://open?file=/mine/a%26b.py&line=7"
    for hostile in (
        "javascript://%0aalert(1)//{path}",
        "data://x/{path}",
        "java\tscript://{path}",
        "file://{path}",
    ):
        assert "Example" not in choose(page, "other …", Address=hostile)
        assert page.locator("a[href^='editor:'], a[href^='java'], a[href^='data']").count() == 0
        assert address(f"{ROOT}/x.py", 7).startswith("https://git.example/")
    page.evaluate(
        """localStorage.setItem("tlparse-bundle.editor",
        JSON.stringify({template: "javascript://{path}", from: "", to: ""}))"""
    )
    assert address(f"{ROOT}/x.py", 7).startswith("https://git.example/")
