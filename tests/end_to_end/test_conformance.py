"""The same compiles and artifacts in the same order as in tlparse 0.4.3, for every log.

Differences are listed here with their reasons. An unlisted difference fails, and so does a listed one that is
gone.
"""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import traces
from tlparse_bundle.bundle.row_objects import id_of

TLPARSE = shutil.which("tlparse", path=str(Path(sys.executable).parent)) or shutil.which("tlparse")
VERSION = "0.4.3"

# Artifacts that tlparse does not show: {log: {compile id: {name: count}}}.
UNKNOWN_TO_TLPARSE = "it does not know the event type, and only keeps the payload"
ONLY_WITH_E = "it shows exports only with -e, which leaves the rest out"
OTHER_ENCODING = "it shows no artifact of an encoding other than string and json"
NOT_SHOWN = {
    UNKNOWN_TO_TLPARSE: {
        "exec_order/rank_0_a74od7a1.log": {
            "[0/0]": {"compilation_metrics_runtime": 1},
            "[0/1]": {"compilation_metrics_runtime": 1},
        },
        "exec_order/rank_1_fglwclht.log": {
            "[0/0]": {"compilation_metrics_runtime": 1},
            "[0/1]": {"compilation_metrics_runtime": 1},
        },
        **{
            f"multi_rank_runtime/rank_{rank}.log": {
                f"[0/{i}]": {"compilation_metrics_runtime": 1} for i in range(4)
            }
            for rank in (0, 1, 4)
        },
        "provenance/inductor_provenance_jit_cuda_log.txt": {"[0/0]": {"compilation_metrics_runtime": 1}},
        "nonascii/trace/fixture0.log": {"[-/-]": {"unknown_event": 1}},
        "export_dtrace/trace/fixture0.log": {"[-/-]": {"export": 2}},
    },
    ONLY_WITH_E: {
        "single/export.log": {"[-/-]": {"exported_program": 1}},
        "export_dtrace/trace/fixture0.log": {"[-/-]": {"exported_program": 1}},
        "export_dtrace/trace/fixture1.log": {"[-/-]": {"exported_program": 1}},
    },
    OTHER_ENCODING: {"nonascii/trace/fixture0.log": {"[-/-]": {"other_encoding": 1}}},
}

# Logs for which tlparse does not group the records without a compile id.
STRINGS_ONLY = "these records are interned strings, which tlparse does not count as records"
OTHER_RANK = (
    "this record, torch_version, has no rank and comes after one with a rank; tlparse takes it for another"
    " rank's"
)
NO_GROUP = {
    STRINGS_ONLY: {
        "single/artifacts.log",
        "single/cache_hit_miss.log",
        "single/comp_metrics.log",
        "single/links.log",
    },
    OTHER_RANK: (
        {f"ranks4/trace/rank_{rank}_fixture0.log" for rank in range(4)}
        | {f"overlap_scheduling/trace/rank_{rank}_fixture0.log" for rank in (0, 1)}
    ),
}


def shown_by_tlparse(path, folder):
    """Return {compile id: names of artifacts} of compile_directory.json, without numbers and file endings."""
    done = subprocess.run(
        [TLPARSE, str(path), "-o", str(folder), "--no-browser"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    directory = json.loads((folder / "compile_directory.json").read_text())
    return {
        compile_id: [_plain(artifact) for artifact in group["artifacts"]]
        for compile_id, group in directory.items()
    }


def _plain(artifact):
    if artifact["url"].startswith("dump_file/"):  # has no number
        return artifact["name"].removesuffix(".html")
    if "://" in artifact["url"]:  # neither does a link
        return artifact["name"]
    return re.sub(r"_\d+\.(txt|html|json)$", "", artifact["name"])


def shown_by_us(log):
    """Return the same for a bundle, with names and ids in tlparse's notation."""
    groups = {}
    for event in log.events():  # tlparse has a group for each id with a record, even without artifacts
        groups.setdefault(_display(event.row), [])
    for a in log.artifacts:  # an id that repeats after a reset is one group in tlparse
        groups[_display(a.row)].append((a.event, _tlparse_name(log, a)))
    return {compile_id: [name for _, name in sorted(names)] for compile_id, names in groups.items()}


def _display(row):
    """Write an id as tlparse does: [!0/-/-] is !0, [-/-] are the records without an id."""
    if row["compile"] is None:
        return "[-/-]"
    id = id_of(row)
    return f"[{id}/-/-]" if id.startswith("!") and "/" not in id else f"[{id}]"


def _tlparse_name(log, artifact):
    metadata = (log.metadata(artifact.event) or {}).get(artifact.type) or {}
    if artifact.type == "inductor_output_code" and metadata.get(
        "filename"
    ):  # the name of the file is part of it
        return f"{artifact.name}_{Path(metadata['filename']).stem}"
    if artifact.type == "dump_file":  # <eval_with_key>.5
        return re.sub(r"<eval_with_key>\.(\d+)", r"eval_with_key_\1", artifact.name)
    return artifact.name.split("/")[-1]


def key_of(path):
    base = traces.PUBLIC if path.is_relative_to(traces.PUBLIC) else traces.ROOT / "fixtures"
    return str(path.relative_to(base)).replace("dedicated_log_torch_trace_", "")


@pytest.mark.skipif(TLPARSE is None, reason="tlparse is not installed (pip install tlparse==0.4.3)")
def test_the_tlparse_version_matches_the_listed_differences():
    assert VERSION in subprocess.run([TLPARSE, "--version"], capture_output=True, text=True).stdout


@pytest.mark.skipif(TLPARSE is None, reason="tlparse is not installed (pip install tlparse==0.4.3)")
@pytest.mark.parametrize("path", traces.ALL_LOGS)
def test_compiles_and_artifacts_are_those_of_tlparse(path, built, tmp_path):
    theirs = shown_by_tlparse(path, tmp_path / "report")
    (log,) = built(path).logs
    ours, key = shown_by_us(log), key_of(path)

    absent = {"[-/-]"} if any(key in logs for logs in NO_GROUP.values()) else set()
    assert set(ours) - set(theirs) == absent and set(theirs) <= set(ours)
    if key in NO_GROUP[STRINGS_ONLY]:
        assert {event.type for event in log.events() if event.compile is None} == {"str"}
    if key in NO_GROUP[OTHER_RANK]:
        assert ours["[-/-]"] == ["torch_version"]

    for compile_id, names in theirs.items():
        not_shown = Counter()
        for logs in NOT_SHOWN.values():
            not_shown.update(logs.get(key, {}).get(compile_id, {}))
        assert Counter(ours[compile_id]) - Counter(names) == not_shown
        assert [name for name in ours[compile_id] if name not in not_shown] == names


def test_every_listed_difference_names_an_existing_log():
    known = {key_of(path) for path in traces.FIXTURE_LOGS + traces.PUBLIC_LOGS}
    listed = {key for logs in (*NOT_SHOWN.values(), *NO_GROUP.values()) for key in logs}
    missing = {key for key in listed - known if traces.PUBLIC_LOGS or "/trace/" in key}
    assert missing == set()
