"""fixtures/jobs: the table and the script have each folder, and no log has a path of the machine that ran it.

The compiles and collectives of each rank are read from the text of the logs, without the package.
"""

import importlib.util
import json
import re
import sys

import pytest
import traces
import zstandard

JOBS = traces.ROOT / "fixtures" / "jobs"
FOLDERS = sorted(path.name for path in JOBS.iterdir() if path.is_dir())
# Number of logs, where it is not one for each of four ranks.
LOGS = {
    "healthy8": 8,
    "restart": 8,
    "two_jobs": 6,
    "equal_logs": 3,
    "last_missing": 3,
    "last_missing_unknown": 3,
}

SUM = "all_reduce_(buf0, 'sum', '0')"
HEALTHY = ["embed", "block", f"reduce {SUM}"]
STEPS = [f"step_with_total {SUM}"] * 4
HEAD_STAGE = "head_stage all_gather_into_tensor(buf0, 2, '2')"
# The ranks' compiles with the collectives of the code: `f?` is a compile that did not end, `f!` a failed one.
COMPILED = {
    "extra_then_hang": {
        "013": ["embed", "exchange all_gather_into_tensor(buf0, 4, '0')"],
        "2": ["warmup", "embed", f"exchange {SUM}"],
    },
    "other_reduce_op": {
        "012": ["embed", f"reduce {SUM}", "head"],
        "3": ["embed", "reduce all_reduce_(buf0, 'max', '0')", "head"],
    },
    "other_group": {
        "023": ["embed", "reduce all_reduce_(buf0, 'sum', '1')"],
        "1": ["embed", "reduce all_reduce_(buf0, 'sum', '2')"],
    },
    "other_shape": {"0123": ["embed", f"reduce {SUM}"]},
    "pipeline": {
        "01": ["embed_stage all_reduce_(buf0, 'sum', '1')"],
        "23": [f"{HEAD_STAGE} all_reduce_(buf4, 'sum', '2')"],
    },
    "pipeline_broken": {
        "01": ["embed_stage all_reduce_(buf0, 'sum', '1')"],
        "2": [f"{HEAD_STAGE} all_reduce_(buf4, 'sum', '2')"],
        "3": [HEAD_STAGE],
    },
    "absent_caller": {"013": ["embed", f"sync {SUM}"], "2": ["embed"]},
    "inside_compile": {"013": ["embed", f"sync {SUM}"], "2": ["embed", "sync?"]},
    "all_unfinished": {"0123": ["embed", "block?"]},
    "one_short": {"012": ["step"] * 4, "3": ["step"] * 3},
    "one_short_waited": {"012": STEPS, "3": STEPS[:3]},
    "restart": {"023": HEALTHY, "1": ["embed"]},
    "two_jobs": {"0123": HEALTHY},
    "last_missing": {"012": ["embed", "gather all_gather_into_tensor(buf0, 4, '0')"]},
    "last_missing_unknown": {"012": ["embed", "block"]},
    "all_failed": {
        "0123": ["embed", "loss! TypeError: scale_loss() missing 1 required keyword-only argument: 'by'"]
    },
    "two_versions": {"0123": ["embed", f"sync {SUM}"]},
    "equal_logs": {"012": HEALTHY},
    "healthy8": {"01234567": [f"sync {SUM}", "gather all_gather_into_tensor(buf0, 8, '0')"]},
    "backend_fails_one": {"023": HEALTHY, "1": ["embed", "block! RuntimeError: broken backend"]},
    "late": {"0123": HEALTHY},
    "cached_before": {"0123": ["embed", f"sync {SUM}"]},
    "one_skips": {"012": ["embed", "step", "head"], "3": ["embed", "head"]},
    "swapped": {"023": ["warmup", "embed", "block"], "1": ["warmup", "block", "embed"]},
    "other_recompile": {"0123": ["scaled", "scaled"]},
    "no_wait": {"0123": [f"total {SUM}"]},
    "cut_log": {"012": HEALTHY, "3": ["embed", "block"]},
    "empty_log": {"012": HEALTHY, "3": []},
    "in_branch": {"0123": [f"total_twice_if all_reduce_(true_graph_0_buf0, 'sum', '0') {SUM}"]},
    "other_dynamic_size": {"0123": ["embed"]},
}
# The same for the second run in the folder.
COMPILED_SECOND = {
    "restart": {"0123": HEALTHY},
    "two_jobs": {"01": ["score", "collect all_gather_into_tensor(buf0, 2, '0')"]},
}


def text_of(path):
    return zstandard.decompress(path.read_bytes()).decode()


def compiled(text):
    """Return the compiles of one rank, as in COMPILED."""
    found, calls, kind, name = {}, {}, "", None
    for line in text.split("\n"):
        if line.startswith("\t"):
            if kind == "inductor_output_code":
                calls.setdefault(name, []).extend(
                    re.findall(r"_c10d_functional\.(?!wait_tensor)(\w+)\.default(\(.*\))", line)
                )
            continue
        record = json.loads(line.partition("] ")[2] or "{}")
        kind = next(iter(record), "")
        name = record.get("frame_id"), record.get("frame_compile_id")
        if kind == "dynamo_start":
            found[name] = record[kind]["stack"][-1]["name"] + "?"
        elif kind == "compilation_metrics":
            reason = (record[kind]["fail_reason"] or "").partition("raised:\n")[2]
            found[name] = record[kind]["co_name"] + (f"! {reason}" if record[kind]["fail_type"] else "")
    return [
        " ".join([row, *(f"{call}{arguments}" for call, arguments in calls.get(name, []))])
        for name, row in found.items()
    ]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("regenerate", traces.ROOT / "fixtures" / "regenerate.py")
    module = sys.modules["regenerate"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_has_each_and_the_script_makes_it(script):
    text = (JOBS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)
    assert sorted(rows) == FOLDERS == sorted(script.JOBS)
    assert f"the logs of {len(FOLDERS)} jobs" in (JOBS.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FOLDERS)
def test_the_logs_are_small_and_whole_and_hold_no_path_of_a_machine(script, name):
    paths = sorted((JOBS / name).iterdir())
    assert len(paths) == LOGS.get(name, 4)
    for path in paths:
        assert (
            re.fullmatch(r"dedicated_log_torch_trace_rank_\d_fixture\d\.log\.zst", path.name)
            and path.stat().st_size < 40_000
        )
        data = zstandard.decompress(path.read_bytes())
        assert script.FOREIGN_PATH.search(data) is None
        if f"jobs/{name}" in script.SHORTENED and "_rank_3_" in path.name:
            assert not data.endswith(b"\n")
            continue
        assert script.make_neutral(data, []) == data, path


@pytest.mark.parametrize("name", FOLDERS)
def test_the_ranks_compiled_the_programs(name):
    for which, ranks in enumerate([COMPILED[name], COMPILED_SECOND.get(name, {})]):
        logs = {path.name.split("_")[5]: text_of(path) for path in (JOBS / name).glob(f"*_fixture{which}.*")}
        assert {rank: compiled(text) for rank, text in logs.items()} == {
            rank: rows for group, rows in ranks.items() for rank in group
        }


def test_other_differences_of_one_rank():
    def texts(name):
        return [text_of(path) for path in sorted((JOBS / name).iterdir())]

    rows = [re.findall(r"buf0 = empty_strided_cpu\((\(\d+, 8\))", text)[-1] for text in texts("other_shape")]
    assert rows == ["(16, 8)", "(16, 8)", "(17, 8)", "(16, 8)"]
    sizes = [re.search(r"rand_strided\((\(\d+, 8\))", text)[1] for text in texts("other_dynamic_size")]
    assert sizes == ["(16, 8)", "(16, 8)", "(16, 8)", "(17, 8)"]
    versions = [set(re.findall(r'"pytorch_version": "([\d.]+)', text)) for text in texts("two_versions")]
    assert versions == [{"2.13.0"}, {"2.13.0"}, {"2.13.0"}, {"2.12.0"}]
    for cache in ("fx_graph", "aotautograd"):
        hits = [f'"name": "{cache}_cache_hit"' in text for text in texts("cached_before")]
        misses = [f'"name": "{cache}_cache_miss"' in text for text in texts("cached_before")]
        assert (hits, misses) == ([True, True, True, False], [False, False, False, True])
    seconds = [
        [int(number) for number in re.search(r" (\d\d):(\d\d):(\d\d)\.", text).groups()]
        for text in texts("late")
    ]
    starts = [hour * 3600 + minute * 60 + second for hour, minute, second in seconds]
    assert (
        12 <= starts[2] - max(starts[:2] + starts[3:]) <= 20
        and max(starts[:2] + starts[3:]) - min(starts) <= 5
    )


def test_the_world_size_without_the_missing_rank():
    """The first log has the world size, the second does not."""
    for name, said in {"last_missing": True, "last_missing_unknown": False}.items():
        for path in sorted((JOBS / name).iterdir()):
            text = text_of(path)
            assert bool(re.search(r"all_gather_into_tensor\.default\(buf0, 4, '0'\)", text)) == said
            assert said or not re.search(
                r"_c10d_functional|world_?size|group_size|num_ranks", text, re.IGNORECASE
            )


def test_equal_logs_are_equal():
    first, second, third = sorted((JOBS / "equal_logs").iterdir())
    assert first.read_bytes() == second.read_bytes() != third.read_bytes()


def test_every_job_with_dumps_has_a_folder_a_truth_and_a_row(script):
    folder = traces.ROOT / "fixtures" / "flight_recorder"
    names = {path.parent.name for path in folder.glob("*/truth.json")}
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert names == set(script.DUMPED)
    assert names == set(re.findall(r"^\| `(\w+)` \|", readme, re.MULTILINE))
    assert all(f"def {name}():" in (folder / "program.py").read_text() for name in names)
    for name in names:
        assert {path.name for path in (folder / name).iterdir()} == {"trace", "dumps", "truth.json"}
        for path in (folder / name / "dumps").iterdir():
            script.check_foreign(path.read_bytes())
        for path in (folder / name / "trace").iterdir():
            script.check_neutral(zstandard.ZstdDecompressor().decompress(path.read_bytes()))
