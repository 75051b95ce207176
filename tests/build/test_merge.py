"""The bundle of several bundles is the bundle of all their logs, byte for byte."""

import json

import pytest
import traces
from click.testing import CliRunner
from log_builder import log
from tlparse_bundle import BundleError, build, discover
from tlparse_bundle.build.merge import merge
from tlparse_bundle.cli.main import cli


@pytest.fixture
def parts(root, tmp_path):
    """(bundle of all logs, bundles of parts of them): the ranks of a fixture, and two processes without rank."""
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
    assert (result.file_count, result.stored_bytes) == (len(traces.files(whole)), sum(map(len, traces.files(whole).values())))
    assert "ranks" in result.manifest, "which no part could tell"


def test_merged_bundles_merge_on(parts, tmp_path):
    whole, (one, two, three) = parts
    merge([three, one], tmp_path / "some", jobs=1)
    merge([tmp_path / "some", two], tmp_path / "all", jobs=1)
    assert traces.files(tmp_path / "all") == traces.files(whole)


def test_logs_of_one_name_are_an_error_that_names_both(parts, tmp_path):
    whole, places = parts
    with pytest.raises(BundleError, match="two bundles have a log") as error:
        merge([whole, places[0]], tmp_path / "out")
    assert str(whole) in error.value.message and str(places[0]) in error.value.message
    assert not (tmp_path / "out").exists()


def test_codecs_and_formats_must_be_the_same(tmp_path):
    for name, codec in (("a", "zstd"), ("b", "gzip"), ("c", "none")):
        path = tmp_path / f"{name}.log"
        path.write_bytes(log("x"))
        build(discover([path]), tmp_path / name, codec=codec, jobs=1)
    with pytest.raises(BundleError, match="codec zstd, .* with gzip"):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "out")
    traces.rewrite(tmp_path / "c", "manifest.json", lambda manifest: manifest["format"].update(minor=0))
    with pytest.raises(BundleError, match="has the format 1.0"):
        merge([tmp_path / "c"], tmp_path / "out")


def test_paths_of_a_foreign_bundle_stay_inside(tmp_path):
    (tmp_path / "a.log").write_bytes(log("x"))
    build(discover([tmp_path / "a.log"]), tmp_path / "a", codec="none", jobs=1)
    (tmp_path / "a" / "logs" / "evil.txt").write_text("{}")
    traces.rewrite(tmp_path / "a", "logs/a/log.json", lambda directory: directory["tables"].update(more="logs/evil.txt"))
    with pytest.raises(BundleError, match="is no path of a bundle"):
        merge([tmp_path / "a"], tmp_path / "out", jobs=1)


def test_the_command(parts, tmp_path):
    whole, places = parts
    out = tmp_path / "merged"
    done = CliRunner().invoke(cli, ["merge", *map(str, places), str(out), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert (said["ok"], said["path"], len(said["logs"])) == (True, str(out), 5)
    assert traces.files(out) == traces.files(whole)
    again = CliRunner().invoke(cli, ["merge", *map(str, places), str(out)])
    assert "exists already" in str(again.exception)
    assert CliRunner().invoke(cli, ["merge", *map(str, places), str(out), "--overwrite", "-q"]).exit_code == 0
    assert "Where should" in CliRunner().invoke(cli, ["merge", str(out)]).output
    with pytest.raises(BundleError, match="one of the bundles"):
        merge([out], out, overwrite=True)
