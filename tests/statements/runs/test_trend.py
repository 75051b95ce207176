"""``trend``: runs of many bundles over time, from their manifests alone; unrecorded numbers stay unknown."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import urllib.request

import pytest
import traces
from jsonschema import Draft202012Validator
from made_runs import DAY_US, FIRST_US, made_runs
from tlparse_bundle.bundle.schemas import shared_files
from tlparse_bundle.statements.runs.trend.document import document
from tlparse_bundle.statements.runs.trend.metrics import METRICS
from tlparse_bundle.statements.runs.trend.run import Location, read_run, read_runs
from tlparse_bundle.statements.runs.trend.series import series_of
from waiting import HANG_S
from warm_command import run_warm

SCHEMA = json.loads((shared_files() / "schema" / "documents" / "trend.schema.json").read_text())


@pytest.fixture(scope="module")
def manifest(built):
    return built(traces.ROOT / "fixtures" / "train_step" / "trace").manifest


def seen(folder, **options):
    """Return the document that the command prints for a folder."""
    done = run_warm(["trend", folder, "--json"], folder.parent)
    assert done.returncode == 0, done.stderr
    trend = json.loads(done.stdout)
    assert list(Draft202012Validator(SCHEMA).iter_errors(trend)) == []
    return trend


def location(folder):
    return Location(f"{folder.parent.name}/{folder.name}", folder.parent.name, str(folder))


def noisy(seed, count, jump_at=None, ratio=1.5):
    """Return summaries of runs that take about 40 s, and that much longer from ``jump_at`` on."""
    draw = random.Random(seed)
    for number in range(count):
        took = int(
            40e6 * (1 + draw.gauss(0, 0.03)) * (ratio if jump_at is not None and number >= jump_at else 1)
        )
        yield {
            "compile_us": took,
            "phase_times_us": {
                "dynamo": took // 10,
                "aot": took // 10,
                "inductor": took * 7 // 10,
                "backward": took // 10,
            },
        }


# ---- one run


def test_a_real_bundle(built):
    bundle = built(traces.ROOT / "fixtures" / "train_step" / "trace")
    run = read_run(location(bundle.folder))
    summary = bundle.logs[0].summary
    assert run.start_epoch_us == bundle.logs[0].directory["clock"]["origin_epoch_us"]
    assert run.label is None and run.commit is None and run.location.folder == bundle.folder.parent.name
    assert {key: run.values[key] for key in ("compile_us", "compile_count", "graph_break_count", "fx_graph_miss_count", "inductor_time_us")} == {
        "compile_us": summary["compile_us"], "compile_count": 1, "graph_break_count": 0, "fx_graph_miss_count": 2,
        "inductor_time_us": summary["phase_times_us"]["inductor"],
    }  # fmt: skip
    assert list(run.values) == [metric.key for metric in METRICS]


def test_numbers_that_are_not_recorded_are_unknown(built):
    """torch 2.4 logs no graph breaks; a killed run has no metrics of its last compile; breaks.py uses no
    cache.
    """
    old = read_run(
        location(built(traces.ROOT / "fixtures" / "versions" / "2.4.1" / "breaks.log.zst").folder)
    ).values
    assert old["graph_break_count"] is None and old["recompile_count"] is None and old["compile_count"] == 17
    killed = read_run(location(built(traces.ROOT / "fixtures" / "killed" / "trace").folder)).values
    assert (
        killed["dynamo_time_us"] is None
        and killed["compile_us"] > 0
        and killed["fx_graph_hit_count"] is None
        and killed["unfinished_count"] == 1
    )


def test_times_are_those_of_the_slowest_log(tmp_path, manifest):
    logs = [
        {
            "compile_us": 10_000_000,
            "phase_times_us": {"dynamo": 9, "aot": 1, "inductor": 0, "backward": 0},
            "graph_break_count": 4,
            "cache_counts": {"fx_graph": {"hit": 9, "miss": 0, "bypass": 0}},
        },
        {
            "compile_us": 12_000_000,
            "phase_times_us": {"dynamo": 3, "aot": 2, "inductor": 7, "backward": 0},
            "graph_break_count": 1,
            "cache_counts": {"fx_graph": {"hit": 5, "miss": 4, "bypass": 0}},
        },
        {"compile_us": None, "phase_times_us": None, "graph_break_count": None, "cache_counts": {}},
    ]
    run = read_run(location(made_runs(tmp_path / "runs", manifest, [logs])[0]))
    values = run.values
    assert (
        values["compile_us"],
        values["dynamo_time_us"],
        values["inductor_time_us"],
        values["graph_break_count"],
    ) == (12_000_000, 3, 7, 4)
    assert (
        values["fx_graph_hit_count"],
        values["fx_graph_miss_count"],
        values["aot_autograd_hit_count"],
    ) == (5, 4, None)
    assert run.log_count == 3 and run.start_epoch_us == FIRST_US


@pytest.mark.parametrize(
    "change", [{"compile_us": 1 << 60}, {"start_epoch_us": 1 << 62}, {"start_epoch_us": -5}]
)
def test_numbers_that_nobody_can_show_are_unknown(tmp_path, manifest, change):
    run = read_run(location(made_runs(tmp_path / "runs", manifest, [change])[0]))
    assert (run.values | {"start_epoch_us": run.start_epoch_us})[next(iter(change))] is None


# ---- many


def test_two_hundred_bundles(tmp_path, manifest):
    """The jump is found at its place, none elsewhere, and only manifests are read: nothing else exists."""
    made_runs(
        tmp_path / "nightly",
        manifest,
        [{**row, "graph_break_count": 6 + (n >= 120)} for n, row in enumerate(noisy(1, 200, jump_at=120))],
        label="bert-train",
    )
    trend = seen(tmp_path / "nightly")
    assert [series["name"] for series in trend["series"]] == ["bert-train"] and trend["series"][0][
        "run_indexes"
    ] == list(range(200))
    (jump,) = trend["jumps"]
    assert (
        trend["runs"][jump["run_index"]]["name"] == "nightly/run-120"
        and trend["runs"][jump["base_run_index"]]["name"] == "nightly/run-119"
    )
    assert [part["metric"] for part in jump["changes"][:2]] == ["compile_us", "graph_break_count"] and jump[
        "run_count"
    ] == 80
    assert all(part["is_worse"] for part in jump["changes"]) and trend["latest"] == trend["skipped"] == []
    assert trend["runs"][5] == {
        "name": "nightly/run-005",
        "url": None,
        "label": "bert-train",
        "commit": "0000005",
        "start_epoch_us": FIRST_US + 5 * DAY_US,
        "log_count": 1,
        "ends_early": False,
        "torch_versions": ["2.13.0+cpu"],
    }


def test_noise_in_two_hundred_bundles(tmp_path, manifest):
    made_runs(tmp_path / "nightly", manifest, noisy(2, 200))
    trend = seen(tmp_path / "nightly")
    assert trend["jumps"] == trend["latest"] == []


def test_runs_are_ordered_by_log_time_and_those_without_one_are_left_out(tmp_path, manifest):
    made_runs(
        tmp_path / "runs",
        manifest,
        [{"graph_break_count": 1, "start_epoch_us": None if n == 2 else FIRST_US - n} for n in range(8)],
    )
    trend = seen(tmp_path / "runs")
    assert [run["name"][-1] for run in trend["runs"]] == list("76543102")
    assert trend["runs"][-1]["start_epoch_us"] is None and trend["values"]["graph_break_count"] == [1] * 8
    done = run_warm(["trend", tmp_path / "runs"], tmp_path)
    assert b"1 run left out: the start time is not recorded." in done.stdout


def test_series_are_labels_else_folders(tmp_path, manifest):
    made_runs(tmp_path / "a", manifest, [{}] * 3, label=lambda number: "bert" if number < 2 else None)
    made_runs(tmp_path / "b", manifest, [{}] * 2, label="bert", name="other-{}")
    single = made_runs(tmp_path / "c", manifest, [{}], name="alone")[0]
    done = run_warm(["trend", tmp_path / "a", tmp_path / "b", single, "--json"], tmp_path)
    trend = json.loads(done.stdout)
    names = {
        series["name"]: sorted(trend["runs"][index]["name"] for index in series["run_indexes"])
        for series in trend["series"]
    }
    assert names == {
        "bert": ["a/run-000", "a/run-001", "b/other-0", "b/other-1"],
        "a": ["a/run-002"],
        "c": ["alone"],
    }


def functions(*names, recompiles=0, breaks=0):
    """Return a summary with these functions, the first of which recompiles and breaks."""
    return {
        "functions": [
            {
                "function": name,
                "file": "model.py",
                "recompile_count": 0 if number else recompiles,
                "graph_break_count": 0 if number else breaks,
            }
            for number, name in enumerate(names)
        ]
    }


def test_programs_of_one_folder_are_series_of_their_own(tmp_path, built, manifest):
    """Two real programs, and runs that compile less, or nothing, or under a label."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(3):
        for name in ("graph_breaks", "recompiles"):
            source = built(traces.ROOT / "fixtures" / name / "trace").manifest
            (folder / f"{name}-{number}").mkdir()
            (folder / f"{name}-{number}" / "manifest.json").write_text(json.dumps(source))
    trend = seen(folder)
    names = {one["name"]: one["run_indexes"] for one in trend["series"]}
    runs = [run["name"].partition("/")[2].rpartition("-")[0] for run in trend["runs"]]
    assert {tuple(sorted({runs[index] for index in indexes})) for indexes in names.values()} == {
        ("graph_breaks",),
        ("recompiles",),
    }
    firsts = {
        name: built(traces.ROOT / "fixtures" / name / "trace").logs[0].summary["functions"][0]["function"]
        for name in ("graph_breaks", "recompiles")
    }
    assert set(names) == {f"runs: {first}" for first in firsts.values()}


def test_runs_of_one_program_may_compile_more_or_less(tmp_path, manifest):
    changes = [
        functions("step", "loss", "norm"),
        functions("step", "loss"),
        functions("step", "loss", "norm", "log"),
        functions("other", "third"),
        functions("other"),
        functions(),
    ]
    made_runs(tmp_path / "runs", manifest, changes)
    trend = seen(tmp_path / "runs")
    assert [(one["name"], one["run_indexes"]) for one in trend["series"]] == [
        ("runs: step", [0, 1, 2]),
        ("runs: other", [3, 4]),
        ("runs: no functions", [5]),
    ]
    made_runs(tmp_path / "one", manifest, [changes[0], functions(), changes[1]])
    assert [(one["name"], one["run_indexes"]) for one in seen(tmp_path / "one")["series"]] == [
        ("one", [0, 1, 2])
    ]


def test_a_jump_in_words(tmp_path, manifest):
    """With the functions whose numbers changed between the two runs."""
    before = {"compile_us": 12_000_000, "recompile_count": 2, "graph_break_count": 3, "phase_times_us": None}
    after = {**before, "compile_us": 31_000_000, "recompile_count": 6, "graph_break_count": 2}
    rows = [
        {**before, **functions("forward", "loss", recompiles=2, breaks=3)},
        {**after, **functions("forward", "loss", recompiles=6, breaks=2)},
    ]
    made_runs(tmp_path / "runs", manifest, [rows[number >= 6] for number in range(12)], name="run{}")
    (jump,) = seen(tmp_path / "runs")["jumps"]
    assert jump["text"] == (
        "Compile time rose from 12 s to 31 s between run5 and run6; 1 fewer graph break in `forward`; 4 more"
        " recompiles of `forward`"
    )
    text = run_warm(["trend", tmp_path / "runs"], tmp_path).stdout.decode()
    assert "Compile time rose from 12 s to 31 s between run5 and run6; 1 fewer" in text
    made_runs(tmp_path / "back", manifest, [rows[number < 6] for number in range(12)], name="run{}")
    (jump,) = seen(tmp_path / "back")["jumps"]
    assert jump["text"].startswith("Compile time fell from 31 s to 12 s between run5 and run6; 1 more graph")


def test_unknown_numbers_are_skipped_by_jumps(tmp_path, manifest):
    made_runs(
        tmp_path / "runs",
        manifest,
        [{"graph_break_count": None if number in (7, 9, 10) else 6 + (number > 10)} for number in range(20)],
    )
    trend = seen(tmp_path / "runs")
    (jump,) = trend["jumps"]
    assert (jump["run_index"], jump["base_run_index"]) == (11, 8)
    assert trend["values"]["graph_break_count"][7:12] == [None, 6, None, None, 7]


def test_runs_that_were_killed_in_a_compile_did_less_and_are_not_faster(tmp_path, manifest):
    made_runs(
        tmp_path / "runs",
        manifest,
        [
            (
                {"compile_us": 40_000_000, "compile_count": 9}
                if number < 20
                else {"compile_us": 9_000_000, "compile_count": 2, "unfinished_count": 1}
            )
            for number in range(30)
        ],
    )
    trend = seen(tmp_path / "runs")
    assert [[change["text"] for change in jump["changes"]] for jump in trend["jumps"]] == [
        ["unfinished compiles 0 → 1"]
    ]
    assert (
        trend["latest"] == [] and [run["ends_early"] for run in trend["runs"]] == [False] * 20 + [True] * 10
    )
    printed = run_warm(["trend", tmp_path / "runs", "--last", "2"], tmp_path).stdout
    assert printed.count(b"(ends inside a compile)") == 2


def test_a_time_belongs_to_the_count_that_changed_beside_it(tmp_path, manifest):
    took = [40_000_000] * 29 + [58_000_000] + [60_000_000] * 20  # slower from 29 on
    made_runs(
        tmp_path / "runs",
        manifest,
        [
            {"compile_us": us, "recompile_count": 3 if number < 30 else 9, "phase_times_us": None}
            for number, us in enumerate(took)
        ],
    )
    (jump,) = seen(tmp_path / "runs")["jumps"]
    assert jump["run_index"] == 30 and [part["metric"] for part in jump["changes"]] == [
        "compile_us",
        "recompile_count",
    ]
    assert [part["text"] for part in jump["changes"]] == [
        "compile time 40 s → 1 min (+50\u00a0%)",
        "recompiles 3 → 9",
    ]


def test_the_most_costly_is_first_and_what_saves_time_last(tmp_path, manifest):
    for name, ratio in (("faster", 0.5), ("worst", 3), ("worse", 1.5)):
        made_runs(tmp_path / "runs", manifest, noisy(3, 40, 20, ratio), label=name, name=f"{name}-{{:02d}}")
    trend = seen(tmp_path / "runs")
    assert [trend["series"][jump["series_index"]]["name"] for jump in trend["jumps"]] == [
        "worst",
        "worse",
        "faster",
    ]
    assert [jump["changes"][0]["is_worse"] for jump in trend["jumps"]] == [True, True, False]


# ---- output of the command


@pytest.fixture(scope="module")
def nightly(tmp_path_factory, manifest):
    """Thirty runs with a jump, the last of which has more breaks; and a broken bundle."""
    folder = tmp_path_factory.mktemp("trend") / "nightly"
    rows = [
        {
            **row,
            "graph_break_count": 6 + (number == 29),
            "torch_version": "2.14.0" if number >= 18 else "2.13.0",
        }
        for number, row in enumerate(noisy(4, 30, 18))
    ]
    made_runs(folder, manifest, rows, label="bert\u202e-train")
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("{")
    (folder / "notes").mkdir()
    return folder


def test_the_text(nightly):
    done = run_warm(["trend", "nightly", "--last", "2"], nightly.parent)
    text, errors = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 0
    assert "bert\\u202e-train: 30 runs, 2026-03-01 to 2026-03-30" in text
    assert "▲ Compile time rose from 4" in text
    assert "mostly in Inductor, between run-017 and run-018." in " ".join(text.split())
    assert (
        "at 2026-03-19 02:00 (nightly/run-018, commit 0000012, torch 2.13.0 → 2.14.0)" in text
        and text.count("torch ") == 1
    )
    assert "\n    tlparse-bundle compare nightly/run-017 nightly/run-018\n" in text
    assert (
        "1 more graph break between run-028 and run-029.\n    in the last run; it may be an outlier"
        " (nightly/run-029" in text
    )
    rows = [line.split() for line in text.splitlines() if line.startswith("  2026")]
    assert [row[-2] for row in rows] == ["nightly/run-028", "nightly/run-029"] and "28 earlier runs" in text
    assert errors.startswith("Left out: nightly/broken: ") and errors.count("\n") == 1


def test_json_names_what_was_left_out_without_paths(nightly):
    trend = seen(nightly)
    (row,) = trend["skipped"]
    assert row["name"] == "nightly/broken" and row["problem"].startswith("nightly/broken is not a bundle")
    assert str(nightly.parent) not in json.dumps(trend)


def test_nothing_to_see(tmp_path):
    (tmp_path / "empty").mkdir()
    for folder, code in (("empty", 1), ("missing", 1)):
        done = run_warm(["trend", folder], tmp_path)
        assert done.returncode == code and b"Error: " in done.stderr and done.stdout == b""
    done = run_warm(["trend", "empty", "--json"], tmp_path)
    assert json.loads(done.stdout)["error"]["code"] == "not-a-bundle"


def test_one_run(tmp_path, manifest):
    made_runs(tmp_path / "runs", manifest, [{}])
    done = run_warm(["trend", "runs"], tmp_path)
    assert (
        done.returncode == 0
        and b"runs: 1 run, 2026-03-01 to 2026-03-01" in done.stdout
        and b"no jumps" in done.stdout
    )


def test_bundles_at_a_url(manifest, tmp_path):
    """In the memory of this process; a series without a label is named after the folder there, too."""
    import fsspec
    from tlparse_bundle.serve.bundle_places import open_place
    from tlparse_bundle.serve.catalogue import Bundles

    files = fsspec.filesystem("memory")
    for folder in made_runs(tmp_path / "runs", manifest, [{}, {"graph_break_count": 5}]):
        files.pipe(
            f"/trend-test/nightly/{folder.name}/manifest.json", (folder / "manifest.json").read_bytes()
        )
    for place, name, names in (
        ("nightly", "memory://trend-test/nightly", ["nightly/run-000", "nightly/run-001"]),
        ("run-001", "memory://trend-test/nightly/run-001", ["run-001"]),
    ):
        runs, broken = read_runs(Bundles({place: open_place(name)}).locations())
        assert [run.location.name for run in runs] == names and broken == []
        assert [series.name for series in series_of(runs)] == ["nightly"] and runs[-1].values[
            "graph_break_count"
        ] == 5


# ---- the PyTorch benchmark database

TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
RECORD = {  # of oss_ci_benchmark_v3: names are required, values are a list of numbers, extra_info holds text
    "type": "object", "additionalProperties": False, "required": ["benchmark", "model", "metric"],
    "properties": {
        "benchmark": {"type": "object", "additionalProperties": False, "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}, "mode": {"type": "string"}, "dtype": {"type": "string"}, "extra_info": TEXTS}},
        "model": {"type": "object", "additionalProperties": False, "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}, "type": {"type": "string"}, "origins": {"type": "array", "items": {"type": "string"}}, "extra_info": TEXTS}},
        "metric": {"type": "object", "additionalProperties": False, "required": ["name", "benchmark_values"], "properties": {"name": {"type": "string"}, "unit": {"type": "string"}, "benchmark_values": {"type": "array", "minItems": 1, "items": {"type": "number"}}, "target_value": {"type": ["number", "null"]}, "extra_info": TEXTS}},
    },
}  # fmt: skip


def test_records_for_the_benchmark_database(nightly):
    def records(*more):
        done = run_warm(["trend", "nightly", "--format", "benchmark-database", *more], nightly.parent)
        assert done.returncode == 0
        return json.loads(done.stdout)

    every, last = records(), records("--last", "1")
    assert [error for row in every for error in Draft202012Validator(RECORD).iter_errors(row)] == []
    assert len(every) == 30 * len(last) and [row["metric"]["name"] for row in last][:2] == [
        "compile_us",
        "dynamo_time_us",
    ]
    assert {row["model"]["name"] for row in every} == {"bert\u202e-train"} and {
        row["benchmark"]["extra_info"]["run"] for row in last
    } == {"nightly/run-029"}
    assert [row["metric"] for row in last if row["metric"]["name"] == "graph_break_count"] == [
        {"name": "graph_break_count", "unit": "count", "benchmark_values": [7]}
    ]
    assert records("--last", "0") == []


def test_unknown_numbers_are_no_records(tmp_path, manifest):
    made_runs(tmp_path / "runs", manifest, [{"compile_us": None, "cache_counts": {}}])
    done = run_warm(["trend", "runs", "--format", "benchmark-database"], tmp_path)
    names = {row["metric"]["name"] for row in json.loads(done.stdout)}
    assert "compile_count" in names and not names & {"compile_us", "fx_graph_hit_count"}


# ---- served, in a site, as a folder


def test_a_server_and_a_site_have_the_document(nightly, tmp_path, built):
    from starlette.testclient import TestClient
    from tlparse_bundle.serve.http.app import create_app

    client = TestClient(create_app({"nightly": nightly}), base_url="http://127.0.0.1")
    trend = client.get("/trend.json").json()
    assert list(Draft202012Validator(SCHEMA).iter_errors(trend)) == []
    url = trend["runs"][3]["url"]
    assert url == "bundles/nightly/run-003/" and client.get(f"/{url}manifest.json").status_code == 200
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, name in zip(folders, ("train_step", "basic_inference"), strict=True):
        shutil.copytree(built(traces.ROOT / "fixtures" / name / "trace").folder, folder)
    done = run_warm(["site", *folders, "public"], tmp_path)
    assert done.returncode == 0, done.stderr
    trend = json.loads((tmp_path / "public" / "trend.json").read_text())
    assert [run["url"] for run in trend["runs"]] == ["bundles/one/", "bundles/two/"][
        :: 1 if trend["runs"][0]["name"] == "one" else -1
    ]
    assert trend["compare_url"] is None  # a static host compares nothing
    assert all((tmp_path / "public" / run["url"] / "manifest.json").exists() for run in trend["runs"])


def test_out_writes_the_page(nightly, tmp_path):
    assert run_warm(["trend", nightly, "--out", "page"], tmp_path).returncode == 0
    page = tmp_path / "page"
    assert {path.name for path in page.iterdir()} == {"index.html", "trend.json", "viewers", ".nojekyll"}
    assert sorted(path.name for path in (page / "viewers").iterdir()) == ["lib", "trend"]
    assert json.loads((page / "trend.json").read_text())["format"]["name"] == "tlparse-bundle-trend"
    done = run_warm(["trend", nightly, "--out", "page"], tmp_path)
    assert done.returncode == 1 and b"already exists" in done.stderr
    assert run_warm(["trend", nightly, "--out", "page", "--overwrite"], tmp_path).returncode == 0
    (page / "mine.txt").write_text("mine")
    done = run_warm(["trend", nightly, "--out", "page", "--overwrite"], tmp_path)
    assert done.returncode == 1 and b"contains other files" in done.stderr and (page / "mine.txt").exists()


def test_open_leads_to_the_page(nightly):
    command = [sys.executable, "-m", "tlparse_bundle", "trend", nightly, "--open", "--port", "0"]
    process = subprocess.Popen(
        command,
        env={**os.environ, "BROWSER": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/viewers/trend/\?token=\S+", address)
        with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(address) as response:
            assert (
                response.status == 200
                and b"Over time" in response.read()
                and response.url.endswith("/viewers/trend/")
            )
    finally:
        process.terminate()
        process.communicate(timeout=HANG_S)


def test_the_bundles_that_cannot_be_read_stay_unread(nightly):
    """A link to a manifest elsewhere is not followed."""
    (nightly.parent / "linked").mkdir()
    folder = nightly.parent / "linked" / "run"
    folder.mkdir()
    (folder / "manifest.json").symlink_to(nightly / "run-001" / "manifest.json")
    done = run_warm(["trend", "linked"], nightly.parent)
    assert done.returncode == 1 and b"no bundle found in" in done.stderr


def test_any_bundle_may_be_hostile(tmp_path, manifest):
    """Any manifest gives a run or a sentence."""
    for number, broken in enumerate(
        [
            [],
            {},
            {"format": 1},
            {**manifest, "logs": "x"},
            {**manifest, "label": ["x"]},
            {**manifest, "logs": [{**manifest["logs"][0], "summary": {"findings": 3}}]},
        ]
    ):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "manifest.json").write_text(json.dumps(broken))
    runs, skipped = read_runs([location(tmp_path / f"{number}") for number in range(6)])
    assert runs == [] and len(skipped) == 6
    assert document(runs, skipped)["series"] == []


def test_the_command_starts_fast():
    """It imports nothing that builds bundles."""
    code = (
        "import sys; from tlparse_bundle.serve.catalogue import Bundles; from"
        " tlparse_bundle.statements.runs.trend import document, run; from tlparse_bundle.render import"
        " terminal, json; print([name for name in sys.modules if"
        " name.startswith(('tlparse_bundle.pipeline', 'tlparse_bundle.tables',"
        " 'tlparse_bundle.statements.ranks', 'starlette'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_run_that_still_grows_does_not_count_yet(manifest, tmp_path):
    """Half a run would look like a faster one."""
    live = {"counter": 1, "written_epoch_us": 1, "logs": [], "problems": []}
    for name, said in {"whole": {}, "half": {"growing": True, "live": live}}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(json.dumps(manifest | said))
    runs, broken = read_runs(Location(name, "", str(tmp_path / name)) for name in ("whole", "half"))
    assert [run.location.name for run in runs] == ["whole"]
    assert [(location.name, error.code) for location, error in broken] == [("half", "growing")]
