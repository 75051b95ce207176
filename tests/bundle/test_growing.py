"""Commands on a bundle whose logs are still being written: they first report that it grows, and no failure
for an open compile.
"""

import json
import re

import pytest
from click.testing import CliRunner
from following import content_of
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.sql.in_process import query_result
from tlparse_bundle.cli.main import cli
from tlparse_bundle.follow import Follower
from tlparse_bundle.mcp.open_bundles import Opened
from tlparse_bundle.mcp.tools import Tools

FIRST = re.compile(
    r"The logs of this bundle are still being written\. Last read: \d{4}-\d\d-\d\d"
    r" \d\d:\d\d:\d\d UTC\. Running: "
)
OPEN = re.compile(r"did not end|unfinished|is inside")


def written_so_far(source, share, folder):
    """Logs cut between two records."""
    folder.mkdir()
    for log in discover([source]):
        data = content_of(log)
        begins = [found.start() for found in re.finditer(rb"^[VI]\d{4} ", data, re.MULTILINE)]
        (folder / log.path.name.removesuffix(".zst")).write_bytes(data[: begins[int(len(begins) * share)]])
    return folder


def followed(trace, out):
    """A bundle that follows these logs and is not finished."""
    sizes = {path.name: path.stat().st_size for path in trace.iterdir()}
    seen = {}

    def ended():
        if {row["source"]["name"]: row["source"]["size_bytes"] for row in seen.get("logs", ())} == sizes:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        Follower([trace], out).run(ended, seen.update)
    return out


@pytest.fixture(scope="module")
def growing(root, tmp_path_factory):
    """{name: growing bundles}, with finished bundles of the same logs beside them."""
    folder = tmp_path_factory.mktemp("growing")
    found = {}
    for name, share in (("graph_breaks", 0.7), ("ranks4", 0.6)):
        trace = written_so_far(root / "fixtures" / name / "trace", share, folder / f"{name}-trace")
        found[name] = followed(trace, folder / name)
        build(discover([trace]), folder / f"{name}-cut", jobs=1)
    return found


def run(*arguments):
    """Run a command; return (exit code, stdout, stderr)."""
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    return done.exit_code, done.stdout, done.stderr


def in_one_line(text):
    return " ".join(text.split())


@pytest.mark.parametrize("name", ["graph_breaks", "ranks4"])
def test_the_first_line_reports_growth_and_an_open_compile_is_not_a_failure(name, growing):
    bundle = growing[name]
    for words in (["info"], ["report"]):
        code, out, _ = run(words[0], bundle, *words[1:])
        assert code == 0 and FIRST.match(in_one_line(out)), out
        assert not OPEN.search(out)
    code, out, _ = run("report", bundle, "--format", "markdown")
    assert FIRST.match(out.removeprefix("**").replace("\\", "")) and not OPEN.search(out)
    code, out, _ = run("report", bundle, "--format", "github")
    assert FIRST.match(out.removeprefix("::notice title=still growing::")) and not OPEN.search(out)


@pytest.mark.parametrize("name", ["graph_breaks", "ranks4"])
def test_the_same_logs_in_a_finished_bundle_have_compiles_that_did_not_end(name, growing):
    for words in (["info"], ["report"], ["report", "--format", "github"]):
        code, out, _ = run(words[0], f"{growing[name]}-cut", *words[1:])
        assert code == 0 and OPEN.search(out) and "still being written" not in out


def test_an_open_compile_has_place_phase_and_start(growing):
    _, out, _ = run("info", growing["ranks4"])
    running = re.findall(
        r"1/0 gathers \(program.py:24\) on ranks? [0-9–, ]+ in `[\w.]+` for [\d.]+ m?s \(since \d\d:\d\d:\d\d"
        r" UTC\)",
        out.split("\n")[0],
    )
    assert len(running) == 2  # two of the ranks are in one span, two in another
    _, out, _ = run("info", growing["graph_breaks"])
    assert re.search(r"Running: 10/0 in `dynamo` for [\d.]+ \w+ \(since ", out)


def test_json(growing):
    _, out, _ = run("report", growing["graph_breaks"], "--format", "json")
    found = json.loads(out)
    (log,) = found["logs"]
    assert found["growing"] is True and FIRST.match(found["note"])
    assert [row["compile"] for row in log["running"]] == ["10/0"] and log["running"][0]["since_epoch_us"]
    assert log["summary"]["unfinished_count"] == 0 and "unfinished-compile" not in [
        row["kind"] for row in log["findings"]
    ]
    counts = {
        severity: sum(row["severity"] == severity for row in log["findings"])
        for severity in ("error", "warning", "info")
    }
    assert log["summary"]["findings"] == counts
    _, out, _ = run("report", f"{growing['graph_breaks']}-cut", "--format", "json")
    finished = json.loads(out)
    assert "growing" not in finished and finished["logs"][0]["summary"]["unfinished_count"] == 1
    assert len(finished["logs"][0]["findings"]) == len(log["findings"]) + 1


def causes(findings):
    """Return (cause, effect) fingerprints of findings with a cause."""
    names = {row["id"]: row["fingerprint"] for row in findings}
    return {row["fingerprint"]: names[row["because_of"]] for row in findings if row["because_of"] is not None}


def test_findings_that_another_one_caused_still_name_it(growing):
    for name in growing:
        for log, whole in zip(
            Bundle.open(growing[name]).logs, Bundle.open(f"{growing[name]}-cut").logs, strict=True
        ):
            assert causes(log.findings()) == causes(whole.findings())


def test_check_reports_growth_and_does_not_fail_for_an_open_compile(growing):
    code, out, errors = run("check", growing["graph_breaks"], "--no-failures")
    assert code == 4 and FIRST.match(errors) and "0 failures, but the log is still being written" in out
    assert run("check", growing["graph_breaks"], "--no-failures", "--allow-unknown")[0] == 0
    assert run("check", f"{growing['graph_breaks']}-cut", "--no-failures", "--allow-unknown")[0] == 4


def test_sql(growing):
    _, out, errors = run("sql", growing["graph_breaks"], "select kind from findings", "--format", "json")
    assert FIRST.match(errors) and "unfinished-compile" not in [row["kind"] for row in json.loads(out)]
    with query_result(
        [("out", Bundle.open(growing["graph_breaks"]))], "select unfinished_count from logs"
    ) as result:
        assert result.fetchall() == [(0,)]


@pytest.mark.parametrize("name", ["graph_breaks", "ranks4"])
def test_mcp_reports_growth(name, growing):
    tools = Tools(Opened({"out": growing[name]}))
    for answer in (tools.overview(), tools.findings(), tools.compiles()):
        assert FIRST.match(answer["growing"]) and not OPEN.search(json.dumps(answer))
    finished = Tools(Opened({"out": f"{growing[name]}-cut"})).overview()
    assert "growing" not in finished and OPEN.search(json.dumps(finished))


def test_a_model_sees_the_newest_state(root, tmp_path):
    """A growing bundle is reopened each time."""
    trace = written_so_far(root / "fixtures" / "graph_breaks" / "trace", 0.3, tmp_path / "trace")
    tools = Tools(Opened({"out": followed(trace, tmp_path / "out")}))
    before = tools.overview()
    build(discover([root / "fixtures" / "graph_breaks" / "trace"]), tmp_path / "whole", jobs=1)
    (tmp_path / "out").rename(tmp_path / "old")
    (tmp_path / "whole").rename(tmp_path / "out")
    after = tools.overview()
    assert "growing" in before and "growing" not in after and after["logs"] != before["logs"]


def test_comparisons_name_the_growing_run(growing):
    _, out, _ = run("compare", f"{growing['graph_breaks']}-cut", growing["graph_breaks"])
    assert "The new run is still being recorded." in out and not re.search(r"new: .*did not end", out)
