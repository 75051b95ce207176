"""The table of sources: fixtures checked against their programs, and records without a fixture."""

import json

import pytest
from log_builder import log


@pytest.fixture(scope="session")
def fixture_log(built, root):
    return lambda name: built(root / "fixtures" / name / "trace").logs[0]


def test_a_dumped_source_is_that_of_the_compile_after_it(fixture_log):
    it = fixture_log("compiled_autograd")
    (dump,) = [row for row in it.table("sources") if row["kind"] == "dump_file"]
    compiled = it.compile(dump["compile"])
    assert (compiled.key, compiled.row["function"]) == ("!0/1/0", "forward")
    assert dump["name"] == compiled.row["file"] == compiled.stack[-1]["file"]
    assert dump["functions"] == ["forward"]


def test_captures_of_compiled_autograd(fixture_log):
    it = fixture_log("compiled_autograd")
    (capture,) = it.table("autograd_captures")
    names = {artifact.event: artifact.name for artifact in it.artifacts}
    assert (capture["compile"], capture["attempt"]) == ("!0", 0)
    assert names[capture["graph_event"]] == "compiled_autograd_graph"
    assert names[capture["pre_reordering_event"]] == "compiled_autograd_graph_pre_reordering"


def test_parts_of_a_split_graph(fixture_log):
    it = fixture_log("ddp_split")
    parts = it.table("ddp_splits")
    names = {artifact.event: artifact.name for artifact in it.artifacts}
    assert {names[part["split_event"]] for part in parts} == {"optimize_ddp_split_graph"} and len(
        {part["split_event"] for part in parts}
    ) == 1
    assert [(part["position"], part["name"], names[part["event"]]) for part in parts] == [
        (0, "submod_0", "optimize_ddp_split_child_submod_0"), (1, "submod_1", "optimize_ddp_split_child_submod_1"),
    ]  # fmt: skip


def test_bytecode_of_resume_functions(fixture_log):
    it = fixture_log("graph_breaks")
    rows = it.table("bytecode")
    texts = {artifact.event: artifact.text() for artifact in it.artifacts}
    assert {row["function"] for row in rows if "prints_once" in row["function"]} == {
        "torch_dynamo_resume_in_prints_once_at_17"
    }
    for row in rows:
        for which in ("original", "modified"):
            index = row[f"{which}_event"]
            if index is not None:
                assert texts[index].count("RETURN_VALUE") and row[f"{which}_instruction_count"] >= texts[
                    index
                ].count("LOAD_FAST")
    # After the last print nothing is left to compile.
    assert [row["function"] for row in rows if row["modified_event"] is None] == [
        "torch_dynamo_resume_in_prints_last_at_24"
    ]


def test_side_effects_and_wrappers(fixture_log):
    it = fixture_log("wrappers")
    (effects,) = it.table("side_effects")
    assert any("self.calls += 1" in message for message in effects["messages"])
    codes = [row for row in it.table("sources") if row["kind"] == "code"]
    names = {row["name"] for row in codes}
    assert {"subclass_wrapper", "output_alias_wrapper", "backward_prologue"} <= names
    assert all(row["functions"] for row in codes)
    configs = [row["config"] for row in it.table("functorch_configs")]
    assert all(config == configs[0] for config in configs)  # one configuration for the whole process
    assert "activation_memory_budget" in configs[0]


def test_configurations_are_distinguished(fixture_log):
    """regional_inductor changes the configuration in its region."""
    configs = [row["config"] for row in fixture_log("regions").table("functorch_configs")]
    assert len({json.dumps(config) for config in configs}) > 1


def test_links(shared_traces, built):
    (it,) = built(shared_traces / "single/links.log").logs
    (link,) = it.table("links")
    assert (link["name"], link["safe"]) == ("manifold_url", True)


# From torch's sources; no fixture has them.


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://example.org/a?b=c", True), ("HTTP://example.org", True), ("javascript:alert(1)", False), ("//example.org", False),
        (" https://example.org", False), ("https://", False), ("java\\nscript:https://x", False), ("https://a b", False), ("file:///etc", False),
    ],
)  # fmt: skip
def test_only_web_addresses_are_safe(log_of, url, safe):
    (link,) = log_of(log(f'link {{"name": "cprofile_manifold_url", "url": "{url}"}}')).table("links")
    assert link["safe"] is safe and link["url"] == url.replace("\\n", "\n")


def test_captures_with_reasons(log_of):
    it = log_of(
        log("""
        artifact:compiled_autograd_compile_reasons !0 {"encoding": "json"}
            | ["cache miss", "size 3 -> 4"]
        artifact:compiled_autograd_graph_pre_reordering !0
            | class A(torch.nn.Module):
        compiled_autograd_graph !0
            | class A(torch.nn.Module):
        compiled_autograd_graph !0
            | class A(torch.nn.Module):
        """)
    )
    first, second = it.table("autograd_captures")
    assert (first["reasons_event"], first["pre_reordering_event"], first["graph_event"]) == (0, 1, 2)
    assert first["reasons"] == ["cache miss", "size 3 -> 4"]
    assert (second["graph_event"], second["pre_reordering_event"], second["reasons"]) == (3, None, [])


def test_hostile_records(log_of, found):
    it = log_of(
        log("""
        dump_file [1]
        dump_file {"name": "../../x"}
            | def f(
        link {"url": 5}
        optimize_ddp_split_child 0/0 {"name": 3}
            | x
        artifact:compiled_autograd_compile_reasons !0
            | {}
        artifact:torch._functorch.config
            | 5
        artifact:x_ORIGINAL_BYTECODE
        """)
    )
    assert [(row["name"], row["functions"]) for row in it.table("sources") if row["kind"] == "dump_file"] == [
        (None, []),
        ("../../x", ["f"]),
    ]
    assert [(row["url"], row["safe"]) for row in it.table("links")] == [(None, False)]
    assert [(row["split_event"], row["position"], row["name"]) for row in it.table("ddp_splits")] == [
        (None, 0, None)
    ]
    assert it.table("functorch_configs")[0]["config"] is None
    assert [code for code, *_ in found(it)] == [
        "table-parse"
    ] * 3  # including the part of a graph that is not a graph
