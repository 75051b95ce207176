"""`tlparse-bundle redact --verify` searches the result, and writes nothing when text of the logs is in it."""

import shutil

import pytest
from click.testing import CliRunner
from log_builder import log
from tlparse_bundle import build, discover
from tlparse_bundle.cli.main import cli
from tlparse_bundle.redact.names import Names
from tlparse_bundle.redact.policy import keepable

LOG = log("""
    str ["/home/zofukix/shop/train.py", 0]
    dynamo_start 0/0 {"stack": [{"line": 12, "name": "zofukix_ledger", "filename": 0, "loc": "y = x"}]}
    artifact:notes 0/0
        | of zofukix
    compilation_metrics 0/0 {"co_name": "zofukix_ledger", "co_filename": "/home/zofukix/shop/train.py"}
""")


@pytest.fixture
def run(tmp_path):
    """Return run(*arguments): the result of `redact` with the bundle 'in' and the result 'out'."""
    (tmp_path / "dedicated_log_torch_trace_x.log").write_bytes(LOG)
    build(discover([tmp_path / "dedicated_log_torch_trace_x.log"]), tmp_path / "in", jobs=1)

    def run_it(*arguments):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        return CliRunner().invoke(
            cli, ["redact", str(tmp_path / "in"), str(tmp_path / "out"), "--verify", *arguments]
        )

    return run_it


def test_a_clean_result_is_written(run, tmp_path):
    done = run()
    assert (done.exit_code, (tmp_path / "out" / "manifest.json").is_file()) == (0, True), done.output


def test_a_leak_is_named_and_nothing_is_written(run, tmp_path, monkeypatch):
    monkeypatch.setattr(Names, "function", lambda self, name, depth=0: name)
    monkeypatch.setattr(Names, "_file", lambda self, path: path)
    done = run()
    assert not (tmp_path / "out").exists()
    said = done.output + str(done.exception)
    assert done.exit_code == 1
    assert "places of the result have text of the logs, so it was not written" in said
    assert "'zofukix_ledger' (word) of x:" in said and " at $.function" in said
    assert 1 < said.count(" is in logs/") <= 5


@pytest.mark.parametrize("kept", ["payloads", sorted(keepable())[0]])
def test_what_is_kept_cannot_be_searched_for(run, tmp_path, kept):
    done = run("--keep", kept)
    assert (done.exit_code, (tmp_path / "out").exists()) == (2, False)
    assert "--verify finds the text that --keep keeps" in done.output
