"""The bundle of several bundles is the bundle of all their logs, byte for byte."""

import json

import pytest
import traces
from click.testing import CliRunner
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.cli.main import cli
from tlparse_bundle.pipeline.merge import merge


@pytest.fixture
def parts(root, tmp_path):
    """Return (bundle of all logs, bundles of parts of them): the ranks of a fixture, and two processes
    without rank.
    """
    folders = [root / "fixtures" / "ranks4" / "trace", root / "fixtures" / "basic_inference" / "trace"]
    logs = discover(folders)
    build(logs, tmp_path / "whole", jobs=1)
    places = []
    for number, some in enumerate((logs[1:3], logs[:1], logs[3:])):
        places.append(tmp_path / f"part{number}")
        build(some, places[-1], jobs=1)
    return tmp_path / "whole", places


def test_the_same_bytes_as_one_build(parts, tmp_path):
    whole, places = parts
    result = merge(places, tmp_path / "merged", jobs=2)
    assert traces.files(tmp_path / "merged") == traces.files(whole)
    assert (result.file_count, result.stored_bytes) == (
        len(traces.files(whole)),
        sum(map(len, traces.files(whole).values())),
    )
    assert {"job", "rank_tables"} <= set(result.manifest), "which no part could tell"


def test_merged_bundles_merge_on(parts, tmp_path):
    whole, (one, two, three) = parts
    merge([three, one], tmp_path / "some", jobs=1)
    merge([tmp_path / "some", two], tmp_path / "all", jobs=1)
    assert traces.files(tmp_path / "all") == traces.files(whole)


def test_logs_of_one_name_are_an_error_that_names_both(parts, tmp_path):
    whole, places = parts
    with pytest.raises(BundleError, match="two bundles have the same log") as error:
        merge([whole, places[0]], tmp_path / "out")
    assert str(whole) in error.value.message and str(places[0]) in error.value.message
    assert not (tmp_path / "out").exists()


def test_codecs_and_formats_must_be_the_same(tmp_path):
    for name, codec in (("a", "zstd"), ("b", "gzip"), ("c", "none")):
        path = tmp_path / f"{name}.log"
        path.write_bytes(log("x"))
        build(discover([path]), tmp_path / name, codec=codec, jobs=1)
    with pytest.raises(BundleError, match=r"codec zstd, but .* has gzip"):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "out")
    traces.rewrite(tmp_path / "c", "manifest.json", lambda manifest: manifest["format"].update(minor=9))
    with pytest.raises(BundleError, match=r"has format 2\.9"):
        merge([tmp_path / "c"], tmp_path / "out")


@pytest.fixture
def foreign(tmp_path):
    """Return foreign(change): merge a bundle of log a, one file of which ``change`` altered, with one of log
    b that has the same payload.
    """

    def merged(path=None, change=None, **options):
        text = "x 0/0\n | " + "some payload " * 30_000 + "\n dynamo_start 0/0"
        for name in ("a", "b"):
            (tmp_path / f"{name}.log").write_bytes(log(text))
            build(discover([tmp_path / f"{name}.log"]), tmp_path / name, codec="none", jobs=1)
        if change:
            change(tmp_path / "a") if path is None else traces.rewrite(tmp_path / "a", path, change)
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "out", jobs=1, **options)
        return Bundle.open(tmp_path / "out")

    return merged


@pytest.mark.parametrize("path", ["logs/evil.txt", "../a.log", "/etc/passwd", "manifest.json", "schemas.json", "ranks/rank_findings.jsonl", "logs/b/log.json",
                                  "logs/b/events/0000.json", "blobs/ab/ab" + "0" * 62])  # fmt: skip
def test_paths_of_a_foreign_bundle_stay_in_the_folder_of_their_log(path, foreign, tmp_path):
    """Otherwise one log could put another one's tables or blobs in place first."""

    def change(folder):
        target = folder / path
        if path not in ("manifest.json", "schemas.json", "/etc/passwd", "../a.log"):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("{}")
        traces.rewrite(
            folder,
            "logs/a/log.json",
            lambda directory: directory["tables"].update(
                more={"rows": 1, "files": [{"path": path, "rows": 1}]}
            ),
        )

    with pytest.raises(BundleError, match="is not a path of one of its files"):
        foreign(change=change)
    assert not (tmp_path / "out").exists()


def spoil(folder):
    for path in (folder / "blobs").rglob("*"):
        if path.is_file():
            path.write_bytes(
                path.read_bytes().replace(b"some payload", b"other things", 1)[: path.stat().st_size]
            )


def test_a_blob_that_was_changed_does_not_get_into_the_bundle(foreign, tmp_path):
    """Both logs have the same blob; that of the first was changed, and would be that of the second too."""
    with pytest.raises(BundleError, match="hash of its content differs") as error:
        foreign(change=spoil)
    assert error.value.code == "damaged" and not (tmp_path / "out").exists()


def test_without_verification_it_does(foreign):
    merged = foreign(change=spoil, verify=False)
    with pytest.raises(BundleError, match="hash of its content differs"):
        merged.log("b").artifacts[0].bytes()


@pytest.mark.parametrize("path, change", [
    ("logs/a/log.json", lambda t: t["kinds"][0].update(descriptor="nothing")),
    ("logs/a/log.json", lambda t: t.update(event_count=7)),
    ("logs/a/log.json", lambda t: t["source"].update(size_bytes=7)),
    ("logs/a/compiles.jsonl", lambda t: t[0].update(stack=9)),
    ("logs/a/compiles.jsonl", lambda t: 5),
    ("logs/a/artifacts.jsonl", lambda t: t[0].update(offset=10**9)),
    ("logs/a/artifacts.jsonl", lambda t: t[0].update(blob="manifest.json")),
    ("logs/a/events.jsonl", lambda t: t[0].update(blob=None)),
    ("logs/a/compiles.jsonl", lambda t: []),
    ("logs/a/artifacts.jsonl", lambda t: [{}]),
    ("manifest.json", lambda m: m["logs"][0].update(rank="0")),
    ("manifest.json", lambda m: m["descriptors"].clear()),
    ("manifest.json", lambda m: m["logs"][0].update(diagnostics={"nothing-known": 1})),
])  # fmt: skip
def test_invalid_tables_are_not_merged(path, change, foreign, tmp_path):
    with pytest.raises(BundleError) as error:
        foreign(path, change)
    assert error.value.code == "damaged" and not (tmp_path / "out").exists()


def test_a_link_in_a_bundle_is_not_followed(foreign, tmp_path):
    (tmp_path / "secret").write_text("secret")

    def change(folder):
        (path,) = (path for path in (folder / "blobs").rglob("*") if path.is_file())
        path.unlink()
        path.symlink_to(tmp_path / "secret")

    with pytest.raises(BundleError, match="is not a regular file"):
        foreign(change=change)


def test_the_command(parts, tmp_path):
    whole, places = parts
    out = tmp_path / "merged"
    done = CliRunner().invoke(cli, ["merge", *map(str, places), str(out), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert (said["ok"], said["path"], len(said["logs"])) == (True, str(out), 5)
    assert traces.files(out) == traces.files(whole)
    again = CliRunner().invoke(cli, ["merge", *map(str, places), str(out)])
    assert "already exists" in str(again.exception)
    assert CliRunner().invoke(cli, ["merge", *map(str, places), str(out), "--overwrite", "-q"]).exit_code == 0
    assert "OUT, the bundle to write, is missing." in CliRunner().invoke(cli, ["merge", str(out)]).output
    with pytest.raises(BundleError, match="one of the bundles"):
        merge([out], out, overwrite=True)
