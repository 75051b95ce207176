"""Download a whole bundle as one HTML file or as a zip, for pages of the server and holders of the token."""

import io
import os
import re
import zipfile

import pytest
from following import without_gaps
from log_builder import log
from starlette.testclient import TestClient
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.follow import Follower
from tlparse_bundle.serve.http import downloads
from tlparse_bundle.serve.http.app import create_app
from tlparse_bundle.serve.publish.export import export, viewers_of
from tlparse_bundle.serve.publish.fork import fork
from tlparse_bundle.serve.viewers import fitting, holds
from traces import ROOT, files

BASE = "http://127.0.0.1:8000"


@pytest.fixture
def client_of(bundle):
    """Return client_of(bundles by name, options of create_app)."""
    return lambda bundles=None, **options: TestClient(
        create_app(bundles or {"out": bundle}, **options), base_url=BASE, follow_redirects=False
    )


def test_the_manifest_lists_available_downloads(client_of):
    assert (
        client_of().head("/bundles/out/manifest.json").headers["tlparse-bundle-share"] == "html, zip, redact"
    )


def test_a_zip_has_all_files_of_the_bundle_and_no_others(client_of, bundle, tmp_path):
    runs = tmp_path / "runs"
    (runs / "a run & more").parent.mkdir()
    os.symlink(bundle, tmp_path / "outside")
    build(discover([bundle.parent]), runs / "a run & more", jobs=1)
    (runs / "a run & more" / "notes.txt").write_text("mine")
    (runs / "a run & more" / "logs" / "x" / "link.json").symlink_to(bundle / "manifest.json")
    (runs / "out").symlink_to(bundle)  # leads out of the folder of bundles, so it is not part of it
    client = client_of({"runs": runs})
    response = client.get("/bundles/runs/a%20run%20%26%20more.zip")
    assert (
        response.headers["content-disposition"]
        == "attachment; filename=\"a_run___more.zip\"; filename*=UTF-8''a_run___more.zip"
    )
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {f"a_run___more/{path}": data for path, data in files(bundle).items()}
    for path in (
        "runs/out.zip",
        "runs.zip",
        "runs/nothing.zip",
        "runs/a run & more/logs.zip",
        "nothing.html",
        "..%2fout.zip",
        ".zip",
        "runs/.zip",
        "runs/out.tar",
    ):
        assert client.get(f"/bundles/{path}").status_code == 404, path


def test_a_zip_of_a_bundle_that_grows_is_one_state_of_it(client_of, tmp_path, monkeypatch):
    """Files of earlier states stay for a while, and the next state may come while the zip is written."""
    without_gaps(monkeypatch)
    data = files(ROOT / "fixtures" / "recompiles" / "trace")["dedicated_log_torch_trace_fixture0.log"]
    path, found = tmp_path / "logs" / "dedicated_log_torch_trace_x.log", []

    def on_state(manifest):
        if len(manifest["logs"]) and len(found) < 3:
            found.append((manifest, client_of({"out": tmp_path / "out"}).get("/bundles/out.zip").content))
            with path.open("ab") as file:
                file.write(data[len(data) // 3 * len(found) : len(data) // 3 * (len(found) + 1)])

    path.parent.mkdir()
    path.write_bytes(data[: len(data) // 3])
    Follower([path], tmp_path / "out").run(lambda: len(found) == 3, on_state)
    for number, (manifest, archive) in enumerate(found):
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            opened.extractall(tmp_path / f"zip{number}")
        copy = tmp_path / f"zip{number}" / "out"
        assert Bundle.open(copy).manifest == manifest and validate(Bundle.open(copy)) == []
        assert {name.split("/")[1] for name in files(copy) if name.startswith("live/")} == {
            str(manifest["live"]["counter"])
        }


def test_the_html_file_is_that_of_export(client_of, bundle):
    made = client_of().get("/bundles/out.html")
    opened = Bundle.open(bundle)
    assert made.content == b"".join(export(opened, viewers_of(opened)))
    assert re.fullmatch(r'attachment; filename="out\.html"; .*', made.headers["content-disposition"])
    assert client_of().head("/bundles/out.html").content == b""


def test_a_viewer_of_ones_own_can_be_saved_too(client_of, bundle, tmp_path):
    fork("starter", tmp_path / "mine")
    client = client_of(viewers={"mine": tmp_path / "mine"})
    assert b'data-viewers="mine"' in client.get("/bundles/out.html?viewer=mine").content
    assert b'data-viewers="default"' in client.get("/bundles/out.html?viewer=../../etc").content
    (tmp_path / "mine" / "index.html").write_text("<body></body>")
    refused = client.get("/bundles/out.html?viewer=mine")
    assert refused.status_code == 500 and "cannot be exported" in refused.text


@pytest.mark.parametrize("kind", ["html", "zip"])
def test_others_are_refused(kind, client_of):
    path = f"/bundles/out.{kind}"
    for site in ("cross-site", "same-site"):
        for dest in ("document", "empty"):
            headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest, "Sec-Fetch-Mode": "navigate"}
            assert client_of().get(path, headers=headers).status_code == 403
    assert client_of().get(path, headers={"Host": "evil.example"}).status_code == 400
    assert client_of().post(path).status_code == 405
    assert client_of(token="a" * 32).get(path).status_code == 403
    assert (
        client_of(token="a" * 32).get(path, headers={"Authorization": f"Bearer {'a' * 32}"}).status_code
        == 200
    )
    assert client_of().get(path, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_impossible_files_are_reported_in_a_sentence(client_of, bundle, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "MAX_BYTES", 1000)
    answer = client_of().get("/bundles/out.html")
    assert answer.status_code == 413 and "larger than 0.001 MB" in answer.text and "--compile" in answer.text
    monkeypatch.undo()
    build(discover([bundle.parent]), tmp_path / "half", jobs=1)
    next((tmp_path / "half").glob("blobs/*/*")).unlink()
    answer = client_of({"half": tmp_path / "half"}).get("/bundles/half.html")
    assert (
        answer.status_code == 500
        and "tlparse-bundle validate" in answer.text
        and str(tmp_path) not in answer.text
    )


def test_which_viewers_have_something_to_show(built, tmp_path):
    found = {
        name: built(ROOT / "fixtures" / name / "trace").manifest
        for name in ("basic_inference", "provenance", "ranks_healthy")
    }
    assert {name: holds(manifest) for name, manifest in found.items()} == {
        "basic_inference": [],
        "provenance": ["provenance"],
        "ranks_healthy": ["ranks"],
    }
    viewers = ["mine", "default", "multirank", "provenance"]
    assert fitting(viewers, found["basic_inference"]) == ["mine", "default"]
    assert fitting(viewers, found["ranks_healthy"]) == ["mine", "default", "multirank"]
    assert [
        path.name for path in viewers_of(built(ROOT / "fixtures" / "provenance" / "trace"), "provenance")
    ] == ["provenance", "default"]
    assert holds({"rank_tables": [1], "descriptors": 3}) == []


def test_a_bundle_with_a_strange_name(tmp_path):
    (tmp_path / "dedicated_log_torch_trace_x.log").write_bytes(log("artifact:a 0/0\n | text"))
    build(discover([tmp_path]), tmp_path / "runs" / "läufe; x=\"y'", jobs=1)
    client = TestClient(create_app({"runs": tmp_path / "runs"}), base_url=BASE)
    assert client.get("/bundles.json").json()["bundles"] == []  # quotes are not part of a served name
    (tmp_path / "runs" / "läufe; x=\"y'").rename(tmp_path / "runs" / "läufe; x=y")
    answer = client.get("/bundles/runs/läufe; x=y.zip")
    assert (
        answer.headers["content-disposition"]
        == "attachment; filename=\"l_ufe__x_y.zip\"; filename*=UTF-8''l%C3%A4ufe__x_y.zip"
    )
