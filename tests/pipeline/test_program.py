"""--label, --commit and --source-url: recorded in the manifest as given, checked before anything is read or run."""

import json
import re

import pytest
import traces
from log_builder import log
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.pipeline.merge import merge
from warm_command import run_warm


@pytest.fixture
def trace(tmp_path):
    (tmp_path / "dedicated_log_torch_trace_rank_0_x.log").write_bytes(log("dynamo_start 0/0"))
    return tmp_path


def names_in(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    return {key: manifest.get(key) for key in ("label", "commit")}


URL = "https://github.com/o/r/blob/{commit}/{path}#L{line}"
LINKS = {"commit": "1", "source_url": URL, "source_roots": ["/me/repo/", "C:\\site\\model=src/model/"]}


def test_build_notes_label_and_commit(trace):
    done = run_warm([trace, "out", "-q", "--label", "bert, größe 2", "--commit", "9f3c2e1"], trace)
    assert done.returncode == 0, done.stderr
    assert names_in(trace / "out") == {"label": "bert, größe 2", "commit": "9f3c2e1"}
    assert validate(Bundle.open(trace / "out")) == []


def test_build_notes_where_the_sources_are(trace):
    build(discover([trace]), trace / "out", **LINKS)
    bundle = Bundle.open(trace / "out")
    assert bundle.manifest["source_links"] == {
        "url": URL,
        "roots": [
            {"folder": "/me/repo", "inside": ""},
            {"folder": "C:\\site\\model", "inside": "src/model"},
        ],
    }
    assert validate(bundle) == []
    bundle.manifest["source_links"]["url"] = "javascript:{path}"
    assert "source_links" in str(validate(bundle))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"source_url": "javascript:alert(1)//{path}"}, "must start with https"),
        ({"source_url": "data:text/html,{path}"}, "must start with https"),
        ({"source_url": " https://host/{path}"}, "must start with https"),
        ({"source_url": "https://host/{path}\n"}, "must start with https"),
        ({"source_url": "https://me:token@host/{path}"}, "without a user name"),
        ({"source_url": "https://{path}/"}, "must start with https"),
        ({"source_url": 'https://host/"><script>{path}'}, "must start with https"),
        ({"source_url": "https://host/{path}/{file}"}, "{file} is not one of {commit}, {path}, {line}"),
        ({"source_url": "https://host/{{path}}"}, "{ is not one of"),
        ({"source_url": "https://host/{line}"}, "it has no {path}"),
        ({"source_url": f"https://host/{'x' * 500}{{path}}"}, "longer than 500"),
        ({"commit": None}, "no commit is given"),
        ({"source_roots": []}, "--source-url needs --source-root"),
        ({"source_url": None}, "--source-root needs --source-url"),
        ({"source_roots": ["/"]}, "--source-root '/' is not valid"),
        ({"source_roots": ["=src"]}, "is not valid"),
        ({"source_roots": ["/me=../.."]}, "is not valid"),
        ({"source_roots": ["/me\x1b[2J"]}, "is not valid"),
        ({"source_roots": ["/me"] * 101}, "given 101 times"),
    ],
)
def test_sources_that_cannot_be_linked(trace, options, message):
    with pytest.raises(BundleError, match=re.escape(message)) as caught:
        build(discover([trace]), trace / "out", **(LINKS | options))
    assert caught.value.exit_code == 2 and "\x1b" not in str(caught.value) and not (trace / "out").exists()


def test_a_hundred_folders_can_be_linked(trace):
    build(discover([trace]), trace / "out", **LINKS | {"source_roots": [f"/me/{n}" for n in range(100)]})
    assert len(Bundle.open(trace / "out").manifest["source_links"]["roots"]) == 100


def test_without_them_nothing_is_noted(trace):
    build(discover([trace]), trace / "out")
    assert (
        not {"label", "commit", "source_links"}
        & json.loads((trace / "out" / "manifest.json").read_text()).keys()
    )


@pytest.mark.parametrize(
    "option, text",
    [
        ("--label", ""),
        ("--label", "  "),
        ("--label", "two\nlines"),
        ("--commit", "x" * 101),
        ("--commit", "\x1b[2J"),
        ("--label", "\u202eabc"),
    ],
)
def test_a_name_that_cannot_be_taken(trace, option, text):
    for before, after in (
        (["build"], [trace, "out"]),
        (["run", "--no-open"], ["--", "touch", trace / "ran"]),
    ):
        done = run_warm([*before, option, text, *after], trace)
        assert (
            done.returncode == 2
            and b"is not valid" in done.stderr
            and b"at most 100 characters" in done.stderr
        )
        assert b"\x1b" not in done.stderr
    assert not (trace / "ran").exists() and not (trace / "out").exists()


def test_the_longest_name(trace):
    build(discover([trace]), trace / "out", label="x" * 100)
    assert names_in(trace / "out")["label"] == "x" * 100
    with pytest.raises(BundleError, match="--label"):
        build(discover([trace]), trace / "other", label="x" * 101)


@pytest.mark.parametrize(
    "second, kept",
    [
        ({"label": "a", "commit": "1"}, {"label": "a", "commit": "1"}),
        ({"label": "a", "commit": "2"}, {"label": "a", "commit": None}),
        ({}, {"label": None, "commit": None}),
    ],
)
def test_merged_bundles_keep_what_they_have_in_common(tmp_path, second, kept):
    folders = []
    for rank, names in ((0, {"label": "a", "commit": "1"}), (1, second)):
        (tmp_path / f"dedicated_log_torch_trace_rank_{rank}_x.log").write_bytes(log("dynamo_start 0/0"))
        folders.append(tmp_path / f"part{rank}")
        build(discover([tmp_path / f"dedicated_log_torch_trace_rank_{rank}_x.log"]), folders[-1], **names)
    merge(folders, tmp_path / "whole")
    assert names_in(tmp_path / "whole") == kept


def test_phases_are_unknown_where_a_compile_has_no_metrics(built):
    numbers = {
        name: built(traces.ROOT / "fixtures" / name / "trace").logs[0].row["summary"]["phase_times_us"]
        for name in ("killed", "aoti", "train_step")
    }
    assert numbers["killed"] is None and numbers["aoti"] is None
    assert (
        numbers["train_step"]["inductor"]
        > numbers["train_step"]["backward"]
        > numbers["train_step"]["dynamo"]
        > 0
    )
