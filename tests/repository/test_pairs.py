"""fixtures/pairs: the table and the script have each folder, and the logs match the table.

Compiles are read from the text of the logs, without the package.
"""

import importlib.util
import json
import re
import sys

import pytest
import traces
import zstandard

PAIRS = traces.ROOT / "fixtures" / "pairs"
FOLDERS = sorted(path.name for path in PAIRS.iterdir() if path.is_dir())
LAYERS = ["embed", "attend", "normalize", "widen", "gate", "narrow", "head"]
MIX = ["embed", "mix", "project", "loss"]
# The compiles of each run in the order of the ids; an id that breaks ends in "!".
COMPILED = {
    "new_break": (["forward", "head"], ["forward!", "torch_dynamo_resume_in_forward_at_14", "head"]),
    "recompile_fixed": (["forward"] * 4 + ["score"] * 2, ["forward"] + ["score"] * 2),
    "slower_pass": ([f"f{number}" for number in range(8)],) * 2,
    "config_changed": (MIX,) * 2,
    "line_changed": ([*MIX[:3], "head"],) * 2,
    "nothing_changed": (
        [
            "noisy!",
            "noisy!",
            "torch_dynamo_resume_in_noisy_at_9",
            "torch_dynamo_resume_in_noisy_at_9",
            "quiet",
        ],
    )
    * 2,
    "new_break_on_a_rank": (["embed", "reduce"],) * 2,
    "nested_break": (
        ["forward"],
        [
            "forward!",
            "scaled!",
            "torch_dynamo_resume_in_scaled_at_7",
            "torch_dynamo_resume_in_scaled_at_7",
            "torch_dynamo_resume_in_forward_at_19",
        ],
    ),
    "other_inputs": (["score", "loss"],) * 2,
    "backend_changed": (["scale", "loss"],) * 2,
    "renamed_script": (["embed", "mix", "head"],) * 2,
    "renamed_function": (
        ["scale!", "scale!", *["torch_dynamo_resume_in_scale_at_9"] * 2, *["loss"] * 2],
        ["rescale!", "rescale!", *["torch_dynamo_resume_in_rescale_at_9"] * 2, *["loss"] * 2],
    ),
    "autotuned": (["embed", "mix", "head"],) * 2,
    "dynamic_on": (["scale"] * 2, ["scale"]),
    "many_settings": (["mix", "head"],) * 2,
}
# (hits, misses) of base and of new.
CACHES = {
    "config_changed": {"fx_graph": ((6, 0), (0, 6)), "aotautograd": ((4, 0), (0, 4))},
    "line_changed": {"fx_graph": ((4, 0), (3, 1)), "aotautograd": ((4, 0), (3, 1))},
    "backend_changed": {"fx_graph": ((0, 4), (0, 0)), "aotautograd": ((0, 2), (0, 0))},
    "renamed_script": {"fx_graph": ((0, 3), (3, 0)), "aotautograd": ((0, 3), (3, 0))},
}


def logs(name, side):
    return {
        path.name: zstandard.decompress(path.read_bytes()) for path in sorted((PAIRS / name / side).iterdir())
    }


def records(data):
    return [
        json.loads(line.partition("] ")[2])
        for line in data.decode().split("\n")
        if line and not line.startswith("\t")
    ]


def compiled(data):
    """Return the compiles of one log, as in COMPILED."""
    rows, breaks = {}, set()
    for record in records(data):
        key = record.get("frame_id"), record.get("frame_compile_id")
        if "dynamo_start" in record:
            rows[key] = record["dynamo_start"]["stack"][-1]["name"]
        if record.get("artifact", {}).get("name") == "dynamo_graph_break_reason":
            breaks.add(key)
    return [rows[key] + "!" * (key in breaks) for key in sorted(rows)]


def seconds(data, name):
    """Return the time in spans of a name."""
    total = began = 0
    for payload in re.findall(rb'"chromium_event": .*\n((?:\t.*\n)+)', data):
        row = json.loads(payload)
        if row["name"] == name and row["ph"] in "BE":
            total += (row["ts"] - began) * (row["ph"] == "E")
            began = row["ts"]
    return total / 1e6


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("regenerate", traces.ROOT / "fixtures" / "regenerate.py")
    module = sys.modules["regenerate"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_has_each_and_the_script_makes_it(script):
    text = (PAIRS / "README.md").read_text(encoding="utf-8")
    assert (
        sorted(re.findall(r"^\| `(\w+)` \|(?: [^|]+ \|){5}$", text, re.MULTILINE))
        == FOLDERS
        == sorted(script.PAIRS)
    )
    assert f"has {len(FOLDERS)} pairs of runs" in (PAIRS.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FOLDERS)
def test_the_logs_are_small_and_whole_and_of_other_machines(script, name):
    found = [logs(name, side) for side in ("base", "new")]
    assert [len(side) for side in found] == [2 if name == "new_break_on_a_rank" else 1] * 2
    for side in found:
        for path, data in side.items():
            assert re.fullmatch(r"dedicated_log_torch_trace_(rank_\d_)?fixture0\.log\.zst", path)
            assert script.FOREIGN_PATH.search(data) is None and script.make_neutral(data, []) == data, path
    assert all(path.stat().st_size < 200_000 for path in (PAIRS / name).rglob("*.zst"))
    base, new = (next(iter(side.values())) for side in found)
    assert (
        b"/home/user/project" in base and b"/srv/elsewhere/project" in new and b"/srv/elsewhere" not in base
    )
    assert base.split()[2] != new.split()[2], "the process ids are equal"


@pytest.mark.parametrize("name", sorted(COMPILED))
def test_the_runs_compiled_the_programs(name):
    for side, rows in zip(("base", "new"), COMPILED[name], strict=True):
        for path, data in logs(name, side).items():
            if (name, side) == ("new_break_on_a_rank", "new") and "rank_1" in path:
                rows = ["embed!", "torch_dynamo_resume_in_embed_at_18", "reduce"]
            assert compiled(data) == rows, (side, path)


def test_the_training_is_the_same_in_both_runs():
    base, new = (
        compiled(next(iter(logs("nothing_changed_training", side).values()))) for side in ("base", "new")
    )
    assert base == new
    resumed = {row for row in base if row.startswith("torch_dynamo_resume_in_")}
    assert set(base) == {*LAYERS, "loss_of!", "debug!", *resumed, "update", "accuracy"} and len(resumed) == 2


@pytest.mark.parametrize("name", sorted(CACHES))
def test_cache_hits(name):
    for cache, sides in CACHES[name].items():
        for side, expected in zip(("base", "new"), sides, strict=True):
            (data,) = logs(name, side).values()
            found = [
                data.count(b'{"artifact": {"name": "%s_cache_%s"' % (cache.encode(), outcome))
                for outcome in (b"hit", b"miss")
            ]
            assert tuple(found) == expected, (cache, side)


def test_the_pass_is_slower():
    base, new = (
        seconds(
            next(iter(logs("slower_pass", side).values())), "pass.post_grad_passes.post_grad_custom_post_pass"
        )
        for side in ("base", "new")
    )
    assert base < 0.1 and new > 3
