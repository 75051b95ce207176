"""The same six programs with twelve minors of torch: findings agree with the processes' own reports."""

import json

import pytest
import traces
import version_table
import version_truths

FOLDER = traces.ROOT / "fixtures" / "versions"
VERSIONS = list(version_table.paths(FOLDER))
MINORS = ["2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "2.9", "2.10", "2.12", "2.13", "2.14", "2.15"]


def logs_of(built, version, name):
    path = FOLDER / version / (name if name == "ddp" else f"{name}.log.zst")
    return built(path)


def truth_of(version, name):
    return json.loads((FOLDER / version / "truth.json").read_text())[name]


def test_all_versions_exist():
    assert [version.rpartition(".")[0] for version in VERSIONS] == MINORS


@pytest.mark.parametrize("name", [name for name in version_truths.PROGRAMS if name != "ddp"])
@pytest.mark.parametrize("version", VERSIONS)
def test_findings_agree_with_the_process(built, version, name):
    bundle = logs_of(built, version, name)
    (log,) = bundle.logs
    assert version_truths.differences(name, log, truth_of(version, name), FOLDER / "programs") == []
    assert list(version_truths.undescribed(bundle)) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_two_ranks(built, version):
    """Both are healthy; rank 1 has one more graph break."""
    bundle = logs_of(built, version, "ddp")
    assert list(version_truths.undescribed(bundle)) == []
    for rank, log in enumerate(bundle.logs):
        assert (
            version_truths.differences("ddp", log, truth_of(version, f"ddp.rank{rank}"), FOLDER / "programs")
            == []
        )
        assert log.summary["findings"]["error"] == 0
    assert [row["title"] for row in bundle.rank_table("rank_findings") if row["severity"] == "error"] == []


def test_a_difference_is_noticed(built):
    """The comparison itself can fail, for each thing that it checks."""
    (log,) = logs_of(built, "2.15.0", "fail").logs
    truth = truth_of("2.15.0", "fail")
    index = {
        column: number
        for number, column in enumerate(("id", "function", "failure", "operators", "guards", "time_us"))
    }
    for column, value in (
        ("function", "other"),
        ("failure", "OtherError"),
        ("operators", 99),
        ("guards", 99),
        ("time_us", 1),
        ("id", "77/0"),
    ):
        metrics = [list(row) for row in truth["metrics"]]
        metrics[0][index[column]] = value
        assert version_truths.differences("fail", log, {**truth, "metrics": metrics}, FOLDER / "programs"), (
            column
        )
    assert version_truths.differences("killed", log, truth, FOLDER / "programs")  # it did end


def test_the_table_of_versions_matches_the_logs(built, root):
    logs = {
        version: [log for path in paths for log in built(path).logs]
        for version, paths in version_table.paths(FOLDER).items()
    }
    assert (root / "docs" / "reference" / "versions.md").read_text() == version_table.document(logs), (
        "scripts/versions --table writes it"
    )
