"""Each viewer is forked, one line is changed, and the running fork shows the change."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pages import asked, becomes, expect_address
from playwright.sync_api import expect
from tlparse_bundle import Bundle
from tlparse_bundle.serve.publish.export import export
from tlparse_bundle.serve.publish.fork import fork
from tlparse_bundle.serve.publish.site import write_site
from tlparse_bundle.serve.viewers import forkable
from waiting import HANG_S

# The file, a text that occurs once in it, its replacement, and text on the page afterwards.
EDITS = {
    "default": ("frame/views.js", '"Problems"', '"My own viewer"', "My own viewer"),
    "provenance": ("main.js", '}, "Provenance"),', '}, "My provenance"),', "My provenance"),
    "multirank": ("main.js", '}, "Ranks"));', '}, "My own viewer"));', "My own viewer"),
    "compare": ("main.js", '"No comparison"', '"Choose two runs"', "Choose two runs"),
    "vllm": ("main.js", '"No vLLM records in this log"', '"No vLLM in this log"', "No vLLM in this log"),
    "letter": ("main.js", '"What torch.compile did"', '"Dear reader"', "Dear reader"),
    "bytes": ("main.js", ")} of `, log.summary", ")} in `, log.summary", " in dedicated"),
    "strip": ("main.js", " from the first to the last`", " on one clock`", "on one clock"),
    "starter": ("main.js", '"Choose a compile"', '"Pick one of them"', "Pick one of them"),
    "starter-react": (
        "src/App.jsx",
        "<h2>Choose a compile</h2>",
        "<h2>Pick one of them</h2>",
        "Pick one of them",
    ),
}
FIXTURE = {"provenance": "provenance", "multirank": "ranks4"}
QUERY = {"compare": "?bundle=bundle/"}  # it reports that one bundle is not enough


def edit(folder, name):
    file, old, new, _ = EDITS[name]
    text = (folder / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} of {name} has changed: choose another line to edit"
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="session")
def built_react(once):
    """Return built_react(): the folder of the React starter: forked, edited, built from a clean 'npm ci'."""
    npm = shutil.which("npm")

    def build(folder):
        fork("starter-react", folder / "mine")
        edit(folder / "mine", "starter-react")
        for command in (["ci", "--no-audit", "--no-fund", "--prefer-offline"], ["run", "build"]):
            done = subprocess.run(
                [npm, *command], cwd=folder / "mine", capture_output=True, text=True, timeout=HANG_S
            )
            assert done.returncode == 0, done.stdout + done.stderr

    def build_once():
        if npm is None:
            pytest.skip("npm is missing: the React starter cannot be built")
        return once("starter-react", build) / "mine" / "dist"

    return build_once


@pytest.fixture
def forked(tmp_path, built_react):
    """Return forked(name): the folder of a running, edited fork."""

    def make(name):
        if name == "starter-react":
            return built_react()
        fork(name, tmp_path / "mine")
        edit(tmp_path / "mine", name)
        return tmp_path / "mine"

    return make


@pytest.mark.parametrize("name", forkable())
def test_a_fork_runs_and_shows_the_edit(name, forked, page, bundle_of, served):
    folder = forked(name)
    address = served({"run": bundle_of(FIXTURE.get(name, "graph_breaks"))}, {"mine": folder})
    page.goto(address)  # our server opens a viewer of one's own first
    expect(page.get_by_text(EDITS[name][3]).first).to_be_visible()
    expect_address(page, "/viewers/mine/")


@pytest.mark.parametrize("name", forkable())
def test_a_fork_runs_on_a_plain_server(name, forked, page, bundle_of, hosted, tmp_path):
    folder = tmp_path / "host"
    shutil.copytree(forked(name), folder)
    shutil.copytree(bundle_of(FIXTURE.get(name, "graph_breaks"), "gzip"), folder / "bundle")
    page.goto(f"{hosted(folder)}/{QUERY.get(name, '')}")
    expect(page.get_by_text(EDITS[name][3]).first).to_be_visible()


@pytest.mark.parametrize(
    "name, fixture",
    [
        ("starter", "graph_breaks"),
        *(
            ("starter-react", name)
            for name in ("graph_breaks", "failures", "nonascii", "ranks4", "train_step")
        ),
    ],
)
def test_the_starters_list_compiles_and_show_an_artifact(name, fixture, forked, page, bundle_of, served):
    log = Bundle.open(bundle_of(fixture)).logs[0]
    page.goto(served({"run": bundle_of(fixture)}, {"mine": forked(name)}))
    links = page.get_by_role("navigation", name="Compiles").get_by_role("link")
    expect(links).to_have_count(len(log.compiles))
    expect(page.get_by_role("heading", level=1)).to_have_text(
        re.compile(f"^{log.summary['compile_count']} compiles? of {re.escape(log.source)}$")
    )
    compile = next(
        compile for compile in log.compiles if any(a.name == "dynamo_output_graph" for a in compile.artifacts)
    )
    links.nth(log.compiles.index(compile)).click()
    expect(page.get_by_role("main").get_by_role("link")).to_have_count(len(compile.artifacts))
    page.get_by_role("main").get_by_role("link", name="dynamo_output_graph", exact=True).first.click()
    artifact = next(a for a in compile.artifacts if a.name == "dynamo_output_graph")
    shown = page.get_by_role("region", name="Text of dynamo_output_graph")
    expect(shown).to_contain_text("GraphModule")
    becomes(lambda: shown.evaluate("element => element.textContent"), artifact.text())
    page.reload()
    expect(shown).to_be_visible()
    page.go_back()
    expect(shown).to_have_count(0)


@pytest.mark.parametrize("name", ["starter", "starter-react"])
def test_the_starters_show_hostile_text_as_text(name, forked, page, bundle_of, served):
    from test_web_safety import hostile

    page.goto(served({"run": bundle_of(hostile())}, {"mine": forked(name)}))
    links = page.get_by_role("navigation", name="Compiles").get_by_role("link")
    expect(links.first).to_be_visible()
    for number in range(links.count()):
        links.nth(number).click()
        expect(page.get_by_role("main").get_by_role("heading")).to_contain_text("artifact")
    assert page.locator("script:not([src]), img, iframe").count() == 0


def test_a_fork_can_be_exported(forked, page, bundle_of, tmp_path):
    report = tmp_path / "report.html"
    report.write_bytes(b"".join(export(Bundle.open(bundle_of("graph_breaks")), forked("starter"))))
    page.goto(report.as_uri())
    expect(page.get_by_text("Pick one of them")).to_be_visible()


@pytest.fixture
def older(forked):
    """A fork from when all modules of lib/ were in one folder, with its old copy of lib/."""
    folder = forked("starter")
    lib = folder / "lib"
    main, page = folder / "main.js", folder / "index.html"
    page.write_text(
        re.sub(r'.*"\./lib/.*\.(css|svg)".*\n', "", page.read_text(encoding="utf-8")), encoding="utf-8"
    )  # it had its own styles and icon
    (folder / "icon.svg").write_bytes((lib / "page" / "icon.svg").read_bytes())
    page.write_text(
        page.read_text(encoding="utf-8").replace("<title>", '<link rel="icon" href="icon.svg" /><title>', 1),
        encoding="utf-8",
    )
    main.write_text(re.sub(r"\./lib/\w+/", "./lib/", main.read_text(encoding="utf-8")), encoding="utf-8")
    for path in [path for path in lib.glob("*/*.js") if path.parent.name != "vendor"]:
        text = path.read_text(encoding="utf-8").replace('"../vendor/', '"./vendor/')
        (lib / path.name).write_text(re.sub(r'"\.\./\w+/', '"./', text), encoding="utf-8")
    for room in [path for path in lib.iterdir() if path.is_dir() and path.name != "vendor"]:
        shutil.rmtree(room)
    assert {"bundle.js", "dom.js", "page.js", "vendor"} <= {path.name for path in lib.iterdir()}
    return folder


@pytest.mark.parametrize("way", ["serve", "site", "export"])
def test_an_older_fork_works_with_its_own_lib(way, older, page, bundle_of, served, hosted, tmp_path):
    bundle = bundle_of("graph_breaks", "gzip")
    if way == "serve":
        page.goto(served({"run": bundle}, {"mine": older}))
    elif way == "site":
        write_site([bundle], tmp_path / "site", [older])
        page.goto(hosted(tmp_path / "site") + "/")
    else:
        (tmp_path / "report.html").write_bytes(b"".join(export(Bundle.open(bundle), older)))
        page.goto((tmp_path / "report.html").as_uri())
    expect(page.get_by_text("Pick one of them")).to_be_visible()
    page.get_by_role("navigation", name="Compiles").get_by_role("link").first.click()
    expect(page.get_by_role("main").get_by_role("link").first).to_be_visible()
    if way != "export":
        assert any(url.endswith("/viewers/mine/lib/bundle.js") for url in asked(page))
        assert not any("/viewers/lib/" in url for url in asked(page))


def test_the_starter_is_short():
    lines = (Path(__file__).resolve().parents[2] / "viewers" / "starter" / "main.js").read_text().splitlines()
    assert len(lines) <= 125
