"""Real bundles, real servers, a real Chromium.

A page fails its test on any console error, any script error, any failed request and any request to another
host. Tests that expect errors use ``page_with_errors``.
"""

import hashlib
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest
from chromium import OPTIONS, chromium
from once import once_in_a_session
from plain_server import plain_server
from tlparse_bundle import Bundle, build, discover
from unguarded import unguarded

sync_api = pytest.importorskip("playwright.sync_api", reason="the tests of the viewers need playwright")
from followed import following
from one_server import BLANK, OneServer
from pages import asked, open_page
from running_server import running
from tab import Tab
from waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]
VIEWERS = ROOT / "viewers"
FIXTURES = ROOT / "fixtures"
DECODER = VIEWERS / "lib" / "vendor" / "fzstd.js"
NO_DECODER = (
    f"{DECODER.relative_to(ROOT)} is missing: install the checkout with Node present, or run npm ci in"
    " viewers/ and copy it"
)


@pytest.fixture(scope="session")
def browser():
    executable = chromium()
    if not executable:
        pytest.skip("no Chromium: install one, or name it in the environment variable CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=OPTIONS, timeout=HANG_S * 1000)
        yield browser
        browser.close()


def watched(page):
    """Record errors and requests of a page in two growing lists."""
    problems = []
    # Chromium also logs there that a request ended with 400 or more.
    page.on(
        "console",
        lambda message: (
            message.type in ("error", "warning")
            and problems.append(f"console {message.type}: {message.text}")
        ),
    )
    page.on("pageerror", lambda error: problems.append(f"script error: {error.stack}"))
    page.on(
        "requestfailed",
        lambda request: (
            request.failure != "net::ERR_ABORTED"
            and problems.append(f"failed: {request.url} {request.failure}")
        ),
    )
    return problems, asked(page)


def _nothing_wrong(problems, addresses, errors):
    parts = map(urlsplit, addresses)
    assert [
        part
        for part in parts
        if part.scheme.startswith("http") and part.hostname not in ("127.0.0.1", "localhost")
    ] == [], "the page asked other hosts"
    assert errors or not problems, "\n".join(problems)


@pytest.fixture
def new_page(browser, servers):
    """Return new_page(errors=False, **context options): a page in a new context."""
    pages = []

    def make(errors=False, **options):
        page = open_page(browser, **options)
        pages.append((page, *watched(page), errors))
        return page

    yield make
    for page, *noted in pages:
        page.context.close()
        _nothing_wrong(*noted)


@pytest.fixture(scope="session")
def blank(one_server):
    """Return the address of an empty page.

    A page that follows on the same server starts from scratch in the same process.
    """
    return one_server[0] + BLANK


@pytest.fixture(scope="session")
def tab_of(browser, blank):
    """Return tab_of(context options): the tab with these options that tests share."""
    tabs = {}
    yield lambda options: tabs.setdefault(repr(options), Tab(browser, options, blank, watched))
    for tab in tabs.values():
        tab.close()


@pytest.fixture
def page_that(tab_of, servers):
    """Return page_that(errors=False, **context options): a reused page, reset to new.

    A test gets one page per set of options.
    """
    taken = []

    def make(errors=False, **options):
        tab = tab_of(options)
        assert not any(tab is other for other, *_ in taken), "new_page() makes a further one"
        page, *noted = tab.open()
        taken.append((tab, *noted, errors))
        return page

    yield make
    for tab, *_ in taken:
        tab.leave()
    for _, *noted in taken:
        _nothing_wrong(*noted)


@pytest.fixture
def page(page_that):
    return page_that()


@pytest.fixture
def page_with_errors(page_that):
    return page_that(errors=True)


@pytest.fixture
def follow(tmp_path):
    """The Following of a growing bundle."""
    with following(tmp_path) as made:
        yield made


@pytest.fixture
def open_viewer(new_page, served):
    """Return open_viewer(folder of a bundle, hash, viewer): the page, from its own server."""

    def open_it(folder, hash="", viewer="default", *, silent=False, **options):
        """``silent``: events about new states never arrive."""
        page = new_page(**options)
        if silent:
            page.clock.install()
            page.route("**/*.events", lambda route: None)
        page.goto(f"{served({'run': folder})}/viewers/{viewer}/?bundle=/bundles/run/{hash}")
        return page

    return open_it


@pytest.fixture(scope="session")
def bundle_of(tmp_path_factory):
    """Return bundle_of(fixture name | path | bytes, codec): the bundle, built once per session, for tests to
    read.
    """
    once = once_in_a_session(tmp_path_factory)

    def make(source, codec="zstd"):
        path = source
        if isinstance(source, str):
            path = FIXTURES / source if source.endswith(".zst") else FIXTURES / source / "trace"
        if isinstance(path, Path) and not path.exists():
            pytest.skip(f"there is no {path}")

        def fill(folder):
            log = folder / "dedicated_log_torch_trace_made.log"
            if isinstance(path, bytes):
                log.write_bytes(path)
            profiles = path.parent / "profiles" if isinstance(path, Path) else log
            with unguarded():
                build(
                    discover([log if isinstance(path, bytes) else path]),
                    folder / "bundle",
                    codec=codec,
                    jobs=1,
                    profile=[str(profiles)] if profiles.is_dir() else (),
                )

        return (
            once(("web", hashlib.sha256(path).hexdigest() if isinstance(path, bytes) else path, codec), fill)
            / "bundle"
        )

    return make


@pytest.fixture(scope="session")
def one_server():
    """The address of the server for all bundles, and the application."""
    app = OneServer()
    with run_app(app) as address:
        yield address, app


@pytest.fixture(scope="session")
def address_of(one_server):
    """Return address_of(bundle folder, server): its address in the default viewer.

    Servers: 'serve' is ours, 'static' a plain one, 'export' a file.
    """
    address, app = one_server
    starters = {"static": _static, "export": _export}
    known = {}
    with ExitStack() as stack:

        def start(folder, server="serve"):
            if (folder, server) not in known:
                if server == "serve":
                    known[folder, server] = f"{address}/viewers/default/?bundle=/bundles/{app.add(folder)}/"
                else:
                    known[folder, server] = stack.enter_context(starters[server](Path(folder)))
            return known[folder, server]

        yield start


@contextmanager
def run_app(app):
    """Return the address of an application of ours, on its own port."""
    with running(app) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def served(servers):
    """Return served(bundles by name, viewers by name, allowed origins): the address of our server with them."""
    from tlparse_bundle.serve.http.app import create_app

    return lambda *args, **options: servers.enter_context(run_app(create_app(*args, **options)))


@contextmanager
def _static(folder):
    with TemporaryDirectory() as own:  # other workers have the same bundle
        site = Path(own)
        (site / "viewers").symlink_to(VIEWERS)
        (site / "bundle").symlink_to(folder)
        with plain_server(site) as address:
            yield f"{address}/viewers/default/?bundle=/bundle/"


@contextmanager
def _export(folder):
    from tlparse_bundle.serve.publish.export import export, viewers_of

    bundle = Bundle.open(folder)
    with TemporaryDirectory() as own:
        report = Path(own) / f"{folder.name}.html"
        report.write_bytes(b"".join(export(bundle, viewers_of(bundle))))
        yield report.as_uri()


@pytest.fixture
def show(page, bundle_of, address_of):
    """Return show(source, hash, codec, server): open the viewer on a bundle; return (page, the bundle in
    Python).
    """

    def open_it(source, hash="", *, codec="zstd", server="serve"):
        folder = (
            source
            if isinstance(source, Path) and (source / "manifest.json").exists()
            else bundle_of(source, codec)
        )
        if server == "static" and codec == "zstd" and not DECODER.exists():
            pytest.skip(NO_DECODER)
        page.goto(address_of(folder, server) + hash)
        return page, Bundle.open(folder)

    return open_it
