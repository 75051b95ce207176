"""Raw logs opened in the browser, from a plain server: dropped, built, kept, viewed, shared, removed."""

import os
import re
import shutil
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe import violations_in_both_themes
from conftest import FIXTURES, VIEWERS
from pages import asked, expect_address, settle
from plain_server import plain_server
from playwright.sync_api import expect
from test_web_open import drop
from tlparse_bundle import Bundle
from tlparse_bundle.serve.browser_python import python_folder
from tlparse_bundle.serve.publish.site import service_worker, write_site
from waiting import HANG_S, until

if python_folder() is None:
    pytest.skip(
        "viewers/vendor/python is missing: install the checkout with Node present", allow_module_level=True
    )

OPEN = "viewers/open/"
# it loads the whole site; its storage has its own tests
NO_SERVICE_WORKER = "Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined });"


@pytest.fixture(scope="module")
def site(tmp_path_factory, bundle_of):
    folder = tmp_path_factory.mktemp("open") / "site"
    write_site([bundle_of("graph_breaks")], folder)
    shutil.copy(log_of("recompiles"), folder / "a run.log")
    with plain_server(folder) as address:
        yield address + "/"


@pytest.fixture
def start(new_page, site):
    """Return start(script, changed, search): the page that opens logs, in a browser with empty storage.

    ``changed``: replaced modules of the page and its worker.
    """

    def open_it(script=None, changed=None, search=""):
        page = new_page()
        page.context.add_init_script(NO_SERVICE_WORKER)
        if script:
            page.context.add_init_script(script)
        if changed:
            name, old, new = changed
            text = (VIEWERS / name).read_text()
            assert text.count(old) == 1
            page.context.route(
                f"**/{name}",
                lambda route: route.fulfill(body=text.replace(old, new), content_type="text/javascript"),
            )
        page.goto(site + OPEN + search)
        return page

    return open_it


def trace(name):
    return FIXTURES / name / "trace"


def log_of(name):
    (log,) = trace(name).glob("*.log")
    return log


def headline(page):
    return page.get_by_role("heading", level=1)


def first_screen(folder):
    """Return the text of a bundle's first screen."""
    return Bundle.open(folder).logs[0].summary["text"].replace("`", "")


def bounded(script):
    """Bound a promise of a page, because the page itself is awaited endlessly."""
    return (
        f"Promise.race([{script}, new Promise((_, reject) => setTimeout(() => reject(new Error('it takes too"
        f" long')), {HANG_S * 1000}))])"
    )


def entries(page):
    return page.get_by_role("rowheader")


def test_a_folder_of_logs_is_built_kept_shared_and_removed(start, site, bundle_of, tmp_path):
    page = start()
    expect(page.get_by_text("Python is ready")).to_be_visible()
    drop(page, trace("graph_breaks"))
    expect(headline(page)).to_have_text(first_screen(bundle_of("graph_breaks")))
    address = page.url
    assert re.fullmatch(re.escape(site) + r"viewers/default/\?stored=[0-9a-z]{16}", address)
    page.get_by_role("link", name="Compiles", exact=True).first.click()
    page.locator("main a", has_text="[0/0]").first.click()
    page.get_by_role("navigation", name="Artifacts").get_by_role(
        "link", name="dynamo_output_graph"
    ).first.click()
    expect(page.get_by_role("region", name="Text of dynamo_output_graph")).to_contain_text("GraphModule")
    # a second tab, and a reload of what is open
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_role("region", name="Text of dynamo_output_graph")).to_contain_text("GraphModule")
    page.goto(address + "#v=1&view=search&q=GraphModule&in=all")
    expect(page.locator("main")).to_contain_text("class GraphModule(torch.nn.Module)")
    # shared from the page: a zip of the same files
    page.get_by_role("button", name="More ways to share").click()
    expect(page.get_by_role("menu")).to_contain_text("in this browser, until you remove the bundle")
    with page.expect_download() as downloads:
        page.get_by_role("menuitem", name="Download bundle").click()
    native = bundle_of("graph_breaks")
    with zipfile.ZipFile(downloads.value.path()) as archive:
        assert downloads.value.suggested_filename == "trace.zip" and archive.testzip() is None
        assert sorted(archive.namelist()) == sorted(
            f"trace/{path.relative_to(native).as_posix()}" for path in native.rglob("*") if path.is_file()
        )
        archive.extractall(tmp_path)
    assert first_screen(tmp_path / "trace") == first_screen(native)
    # the list, which the name links to; the zip is opened there as well
    page.get_by_role("link", name="trace").first.click()
    expect(entries(page)).to_have_text(["trace"])
    with page.expect_download() as pages:
        page.get_by_role("button", name="Save trace as one file").click()
    alone = page.context.new_page()
    alone.goto(Path(pages.value.path()).rename(tmp_path / "trace.html").as_uri())
    expect(headline(alone)).to_have_text(first_screen(native))
    alone.close()
    (tmp_path / "run 7.zip").write_bytes(Path(downloads.value.path()).read_bytes())
    page.get_by_label("Choose files").set_input_files(tmp_path / "run 7.zip")
    expect(headline(page)).to_have_text(first_screen(native))
    page.goto(site + OPEN)
    expect(entries(page)).to_have_count(2)
    # removed: nothing is left, and the other tab reports it
    page.get_by_role("button", name="Remove all").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep").click()
    expect(entries(page)).to_have_count(2)
    page.get_by_role("button", name="Remove all").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(entries(page)).to_have_count(0)
    other.reload()
    expect(other.get_by_role("alert")).to_contain_text("This browser has no stored bundle for this link")
    other.get_by_role("link", name="All bundles").click()
    expect(headline(other)).to_have_text("Open a log or a bundle")
    assert {
        f"{part.scheme}://{part.netloc}/"
        for part in map(urlsplit, asked(page))
        if part.scheme in ("http", "https")
    } == {site}


def test_two_are_before_and_after_or_one_run(start, site, bundle_of, tmp_path):
    page = start()
    before, after = tmp_path / "before.log", tmp_path / "after.log"
    before.write_bytes(log_of("graph_breaks").read_bytes())
    after.write_bytes(log_of("recompiles").read_bytes())
    os.utime(before, (1_700_000_000,) * 2)
    drop(page, after, before)
    question = page.get_by_role("region", name="Two things to open")
    expect(question).to_contain_text(
        re.compile("before.*before.*after.*after", re.DOTALL)
    )  # the older one first
    question.get_by_role("button", name="Swap").click()
    expect(question.get_by_role("definition").first).to_contain_text("after")
    question.get_by_role("button", name="Swap").click()
    question.get_by_role("button", name="Compare", exact=True).click()
    expect_address(page, "compare/?stored=")
    expect(page.locator("header.shell")).to_contain_text("before → after")
    comparison = page.url
    page.get_by_role("link", name="new: after").click()
    expect(headline(page)).to_have_text(first_screen(bundle_of("recompiles")))
    page.goto(site + OPEN)
    expect(entries(page)).to_have_text(["before → after", "after", "before"])
    with page.expect_download() as downloads:
        page.get_by_role("button", name="Save before → after as one file").click()
    assert b"tlparse-comparison" in Path(downloads.value.path()).read_bytes()
    expect(page.get_by_role("button", name="Compare two")).to_be_disabled()
    page.get_by_role("checkbox", name="Compare after").check()
    page.get_by_role("checkbox", name="Compare before").check()
    page.get_by_role("button", name="Compare before → after").click()  # again, from storage
    expect(page.locator("header.shell")).to_contain_text("before → after")
    assert page.url != comparison
    page.goto(site + OPEN)
    page.get_by_role("button", name="Remove before → after").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(entries(page)).to_have_text(["before → after", "after", "before"])
    page.get_by_role("button", name="Remove before", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(entries(page)).to_have_count(2)
    page.get_by_role("button", name="Save before → after as one file").click()
    expect(page.get_by_role("alert")).to_contain_text("One of the two runs was removed")
    page.goto(comparison)
    expect(page.locator("header.shell")).to_contain_text("before → after")  # its own report can still be read


def test_logs_are_opened_where_a_bundle_is_asked_for_and_on_the_list(new_page, site, bundle_of):
    page = new_page(errors=True)  # it requests 'bundle/' in vain
    page.goto(site + "viewers/default/")
    expect(headline(page)).to_have_text("Open a bundle")
    drop(page, trace("graph_breaks"), trace("recompiles"))
    expect(page.get_by_role("alert")).to_contain_text("These are two bundles or runs")
    expect(page.get_by_role("link", name="Compare two runs")).to_have_attribute("href", f"{site}{OPEN}")
    page.get_by_label("Zip or log").set_input_files(log_of("graph_breaks"))
    expect(headline(page)).to_have_text(first_screen(bundle_of("graph_breaks")))
    expect_address(page, "default/?stored=")
    page.reload()
    expect(headline(page)).to_have_text(first_screen(bundle_of("graph_breaks")))
    page.goto(f"{site}viewers/home/")
    expect(headline(page)).to_have_text(
        "1 bundle"
    )  # written by the script that also takes drops, unlike the link
    job = FIXTURES / "jobs" / "other_reduce_op"  # ranks are one run, with the same report as a native build
    drop(page, *sorted(job.glob("**/*.log"))) if list(job.glob("*.log")) else drop(page, job)
    expect_address(page, "default/?stored=")
    verdict = Bundle.open(bundle_of(job)).job["text"].replace("`", "")
    expect(headline(page)).to_have_text(verdict)
    page.get_by_role("link", name=re.compile("^Ranks")).first.click()
    expect_address(page, "multirank/?stored=")
    expect(headline(page)).to_have_text(verdict)


def test_a_file_that_cannot_be_opened_is_reported_and_the_next_may_open(start, tmp_path, bundle_of):
    page = start()
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "broken.zip").write_bytes(b"PK no zip")
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "manifest.json").write_text(
        '{"format": {"name": "tlparse-bundle", "major": 99, "minor": 0}}'
    )
    for name, words in (
        ("notes.txt", "'notes.txt' is not a TORCH_TRACE log: no record found in its first 256 kB."),
        ("broken.zip", "The zip could not be read"),
        ("half", "format version 99"),
    ):
        drop(page, tmp_path / name)
        expect(page.get_by_role("alert")).to_contain_text(words)
    (tmp_path / "long.log").write_bytes(log_of("transformer").read_bytes() * 40)
    drop(page, tmp_path / "long.log")
    expect(page.get_by_role("progressbar", name="Building long")).to_have_attribute(
        "value", re.compile("0[.]")
    )
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Drop files anywhere")).to_be_visible()
    expect(page.get_by_text("Python is ready")).to_be_visible()
    expect(entries(page)).to_have_count(0)
    drop(page, log_of("graph_breaks"))
    expect(headline(page)).to_have_text(first_screen(bundle_of("graph_breaks")))


def test_without_python_bundles_are_opened_and_without_storage_they_are_saved(start, bundle_of, tmp_path):
    page = start(
        script=(
            "globalThis.Worker = class { constructor() { throw new DOMException('no module workers',"
            " 'SecurityError'); } };"
        )
    )
    expect(page.locator("main")).to_contain_text(
        "This browser cannot run Python in the background. Build a bundle on the command line and drop"
        " it here: tlparse-bundle LOG"
    )
    drop(page, log_of("graph_breaks"))
    expect(page.locator(".place-of-work").get_by_role("alert")).to_contain_text("cannot run Python")
    drop(page, bundle_of("graph_breaks"))
    expect(headline(page)).to_have_text(first_screen(bundle_of("graph_breaks")))
    page = start(changed=("lib/local/store.js", "navigator.storage?.getDirectory", "false"))
    expect(page.locator("main")).to_contain_text("This browser does not store files for this page")
    drop(page, log_of("graph_breaks"))
    with page.expect_download() as downloads:
        page.get_by_role("button", name="Save as zip").click()
    with zipfile.ZipFile(downloads.value.path()) as archive:
        archive.extractall(tmp_path)
    assert first_screen(tmp_path / "dedicated_log_torch_trace_fixture0") == first_screen(
        bundle_of("graph_breaks")
    )
    with page.expect_download():
        page.get_by_role("button", name="Save as one file").click()


def test_an_address_names_a_log(start, site, bundle_of, servers, tmp_path):
    (tmp_path / "a run.log").write_bytes(log_of("graph_breaks").read_bytes())
    page = start(search=f"?log={servers.enter_context(plain_server(tmp_path))}/a%20run.log")
    expect(page.get_by_role("alert")).to_contain_text("is on a different host")
    expect(page.get_by_role("alert")).to_contain_text("connect-src")
    page.goto(f"{site}{OPEN}?log=../../a%20run.log")
    expect(headline(page)).to_have_text(first_screen(bundle_of("recompiles")))
    page.go_back()  # past the address that would rebuild it
    page.goto(site + OPEN)
    expect(entries(page)).to_have_text(["a run"])


def test_it_can_be_used_by_everybody(start):
    page = start()
    expect(page.get_by_text("Python is ready")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="All bundles")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Choose files")).to_be_focused()
    drop(page, trace("graph_breaks"), trace("recompiles"))
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_focused()
    assert violations_in_both_themes(page) == []
    page.keyboard.press("Enter")
    expect_address(page, "compare/?stored=")
    page.go_back()
    page.get_by_role("button", name="Remove all").click()
    expect(page.get_by_role("dialog").get_by_role("button", name="Keep")).to_be_focused()
    assert violations_in_both_themes(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    page.keyboard.press("Escape")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert violations_in_both_themes(page) == []


def test_a_site_works_without_its_server_and_a_new_version_takes_its_place(new_page, bundle_of, tmp_path):
    site = tmp_path / "site"
    write_site([], site)
    page = new_page(errors=True)  # a missing file

    def becomes_of(title, worker):
        """Return the fate of a version with this title.

        Only then a page is loaded: with a debugger, as in tests, Chromium forgets loads while it ends a
        worker.
        """
        page.evaluate(
            """navigator.serviceWorker.ready.then((registration) => { window.end = new Promise((done) => {
          registration.onupdatefound = () => {
            const { installing } = registration;
            installing.onstatechange = () => { if (["activated", "redundant"].includes(installing.state)) done(installing.state); };
          };
        }); })"""
        )
        shown = site / "viewers" / "open" / "index.html"
        later = (site / "sw.js").stat().st_mtime + 10  # a server reports changes by the second
        shown.write_text(re.sub("<title>.*</title>", f"<title>{title}</title>", shown.read_text()))
        (site / "sw.js").write_bytes(worker(service_worker(site)))
        for path in (shown, site / "sw.js"):
            os.utime(path, (later, later))
        return page.evaluate(
            bounded(
                "navigator.serviceWorker.ready.then((registration) => registration.update()).then(() =>"
                " window.end)"
            )
        )

    with plain_server(site) as base:
        address = base + "/"
        page.goto(address + OPEN)
        page.evaluate(bounded("navigator.serviceWorker.ready.then(() => {})"))
        assert becomes_of("a new version", lambda worker: worker) == "activated"
        page.goto(address + OPEN)
        assert page.title() == "a new version"
        assert (
            becomes_of(
                "half a version", lambda worker: worker.replace(b'open/index.html":"', b'open/index.html":"0')
            )
            == "redundant"
        )  # its hashes do not name it
        page.goto(address + OPEN)
        assert page.title() == "a new version"
    page.goto(address + OPEN)  # nobody answers: all of it comes from the browser now
    assert page.title() == "a new version"
    drop_when_ready(page, log_of("graph_breaks"))
    expect(headline(page)).to_have_text(first_screen(bundle_of("graph_breaks")))


def test_another_server_of_the_same_port_is_not_hidden(new_page, tmp_path):
    site = tmp_path / "site"
    write_site([], site, python=False)
    page = new_page(errors=True)
    with plain_server(site) as address:
        page.goto(f"{address}/{OPEN}")
        page.evaluate(bounded("navigator.serviceWorker.ready.then(() => {})"))
        page.goto(f"{address}/{OPEN}")
        behind = page.context.new_page()
        behind.goto(f"{address}/{OPEN}")
        (site / "sw.js").unlink()
        (site / "viewers" / "open" / "index.html").write_text("<!doctype html><title>another server</title>")
        page.goto(f"{address}/{OPEN}")
        assert page.title() == "another server"
        # The registration stays until its last page is closed. A registration by that page in the meantime
        # reuses it.
        behind.evaluate(
            "navigator.serviceWorker.register(new URL('../../sw.js', location.href)).then(() => {})"
        )
        behind.close()

        def registered():
            page.goto(f"{address}/{OPEN}")
            return page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)")

        until(registered, 0, seconds=60)


def drop_when_ready(page, path):
    expect(page.get_by_text("Python is ready")).to_be_visible()
    drop(page, path)


def test_a_log_and_its_profiler_trace_are_joined(start, bundle_of):
    page = start()
    expect(page.get_by_text("Python is ready")).to_be_visible()
    (log,), (profile,) = (
        (FIXTURES / "profiler" / "lines" / name).iterdir() for name in ("trace", "profiles")
    )
    drop(page, log, profile)
    page.get_by_role("link", name="Run time", exact=True).first.click()
    row = Bundle.open(bundle_of("profiler/lines")).logs[0].table("line_times")[0]
    line = page.get_by_role("region", name="5 most expensive source lines").locator("ol > li").first
    expect(line).to_contain_text(row["code"])
    expect(line).to_contain_text(f"in {row['count']} calls")
