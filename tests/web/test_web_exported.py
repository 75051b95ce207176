"""The exported file, opened from disk without a server.

It has the same modules, and every view shows the same as from a server (test_web_every_view). Differences:
the source of bytes, the start of modules and workers, the policy, and addresses with file:. So only tests of
these run for both: all payloads and downloads, large ones, starting and stopping workers, no log and several,
links, reloads and going back.
"""

import base64
import functools
import re
import shutil

import pytest
import zstandard
from conftest import VIEWERS
from log_builder import record
from pages import asked, settle
from playwright.sync_api import expect
from test_web_artifacts import (  # noqa: F401
    long_text,
    test_a_hundred_thousand_lines,
    test_artifact_is_reached_by_clicks,
    test_artifacts_of_every_name_open_and_are_the_payload,
    test_line_has_an_address,
)
from test_web_overview import test_bundle_without_logs, test_picker_keeps_the_view  # noqa: F401
from test_web_search import (  # noqa: F401
    test_all_logs_at_once,
    test_large_logs_are_searched_when_asked_and_can_be_stopped,
    test_many_lines_are_counted_and_shown_when_asked,
    test_text_leads_to_the_line,
)
from test_web_stack import (  # noqa: F401
    test_walking_shows_the_compile_beside_the_tree,
)
from tlparse_bundle import Bundle, BundleError
from tlparse_bundle.serve.publish import export as export_module
from tlparse_bundle.serve.publish.export import export


@pytest.fixture
def show(show):
    """Show a bundle from a file."""
    return functools.partial(show, server="export")


@pytest.fixture
def exported(page, bundle_of, tmp_path):
    """Return exported(fixture, compiles, viewer): the page of an exported file."""

    def open_it(fixture, compiles=(), viewer="default"):
        report = tmp_path / "report.html"
        report.write_bytes(b"".join(export(Bundle.open(bundle_of(fixture)), VIEWERS / viewer, compiles)))
        page.goto(report.as_uri())
        return page

    return open_it


def test_nothing_is_fetched(exported):
    page = exported("train_step")
    expect(page.get_by_role("heading", level=1)).to_contain_text("compile")
    before = len(asked(page))
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("compile")
    assert [url for url in asked(page)[before:] if not url.startswith(("file:", "blob:"))] == []
    assert len([url for url in asked(page)[before:] if url.startswith("file:")]) == 1


def test_its_policy_is_strict(exported):
    page = exported("basic_inference")
    policy = page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content")
    assert "default-src 'none'" in policy and "connect-src 'none'" in policy
    assert not re.search(r"unsafe|data:[^;]*script|http|\*", policy)
    assert re.fullmatch(
        r"script-src 'sha256-[^']+' blob:",
        next(part.strip() for part in policy.split(";") if "script-src" in part),
    )


@pytest.fixture(scope="session")
def two_compiles():
    return b"".join(
        record(f"artifact:code 0/{n}", payload="\n".join(f"{word} {i}" for i in range(900)))
        for n, word in enumerate(["kept", "private"])
    )


def test_chosen_compiles_only(exported, two_compiles):
    page = exported(two_compiles, ["0/0"])
    settle(page)
    assert "the compiles 0/0" not in page.inner_text("body")
    here = page.url.split("#")[0]
    page.goto(f"{here}#v=1&view=compile&compile=0/0&artifact=code")
    expect(page.get_by_role("region", name="Text of code")).to_contain_text("kept 3")
    page.goto(f"{here}#v=1&view=compile&compile=0/1&artifact=code")
    expect(page.get_by_role("alert")).to_contain_text(
        "This payload was left out. This file contains only part of the bundle: the compiles 0/0."
    )


def test_unselected_compiles_are_not_in_the_file(bundle_of, two_compiles):
    bundle = Bundle.open(bundle_of(two_compiles))
    pages = {keys: b"".join(export(bundle, VIEWERS / "default", keys)) for keys in [(), ("0/0",), ("0/1",)]}
    assert len({artifact.row["blob"] for artifact in bundle.logs[0].artifacts}) == 1, "one blob holds both"
    for keys, page in pages.items():
        held = b"".join(
            zstandard.decompress(base64.b64decode(data))
            for data in re.findall(
                rb'<script type="application/octet-stream" data-file="blobs/[^"]*">([^<]*)<', page
            )
        )
        assert (b"kept 899" in held) is (keys != ("0/1",)) and (b"private 899" in held) is (keys != ("0/0",))
    assert len(pages["0/0",]) < len(pages[()])


def test_the_provenance_viewer_can_be_exported(exported):
    page = exported("provenance", viewer="provenance")
    expect(page.get_by_role("heading", name="Provenance")).to_be_visible()
    expect(
        page.get_by_text("triton_", exact=False).or_(page.get_by_text("cpp_fused", exact=False)).first
    ).to_be_visible()


@pytest.mark.parametrize("codec", ["zstd", "gzip", "none"])
@pytest.mark.parametrize("decoder", [True, False])
def test_every_codec_with_and_without_the_decoder(page, bundle_of, tmp_path, monkeypatch, codec, decoder):
    """Including large payloads, which one worker decodes and another searches."""
    source = record("artifact:big 0/0", payload="\n".join(f"{n} {n * n}" for n in range(200_000)))
    viewers = tmp_path / "viewers"
    shutil.copytree(
        VIEWERS, viewers, ignore=shutil.ignore_patterns("node_modules", *([] if decoder else ["vendor"]))
    )
    monkeypatch.setattr(export_module, "viewers_folder", lambda: viewers)
    report = tmp_path / "report.html"
    report.write_bytes(b"".join(export(Bundle.open(bundle_of(source, codec)), viewers / "default")))
    page.goto(report.as_uri() + "#v=1&view=compile&compile=0/0&artifact=big")
    expect(page.get_by_text("200,000 lines")).to_be_visible()
    page.goto(report.as_uri() + "#v=1&view=search&q=199999&in=all")
    expect(page.locator(".search-line").first).to_contain_text("199999 39999600001")


def test_limits_and_mistakes_are_reported_in_a_sentence(bundle_of):
    bundle = Bundle.open(bundle_of("train_step"))
    with pytest.raises(
        BundleError, match=r"larger than 0.45 MB: with .* files it has \d\.\d MB already"
    ) as caught:
        export(bundle, VIEWERS / "default", max_bytes=450_000)
    assert "--compile" in caught.value.hint
    with pytest.raises(BundleError, match="no log has a compile '7/7'"):
        export(bundle, VIEWERS / "default", ["7/7"])


def test_measured_times_and_memory(exported, bundle_of):
    page = exported("profiler/steps")
    page.get_by_role("link", name="Run time", exact=True).first.click()
    rows = Bundle.open(bundle_of("profiler/steps")).logs[0].table("kernel_calls")
    kernels = page.get_by_role("region", name="Kernels: table").get_by_role("row")
    expect(kernels).to_have_count(1 + len(rows))
    expect(kernels.nth(1)).to_contain_text(rows[0]["kernel"])
    expect(page.get_by_role("application", name="Flame graph of a step")).to_be_visible()
    page.get_by_role("link", name="Memory", exact=True).first.click()
    expect(page.get_by_text("4.33 MB in 3 calls, as computed")).to_be_visible()
