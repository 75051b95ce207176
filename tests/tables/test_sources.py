"""The table of sources: the fixtures against their programs, and records that they do not have."""

import pytest
from log_builder import log


@pytest.fixture(scope="session")
def fixture_log(built, root):
    return lambda name: built(root / "fixtures" / name / "trace").logs[0]


def test_a_dumped_source_is_that_of_the_compile_behind_it(fixture_log):
    it = fixture_log("compiled_autograd")
    (dump,) = it.table("sources")["dump_files"]
    compiled = it.compiles[dump["compile_index"]]
    assert (compiled.id, compiled.row["function"]) == ("!0/1/0", "forward")
    assert dump["name"] == compiled.row["filename"] == compiled.stack[-1]["file"]
    assert dump["functions"] == ["forward"]


def test_captures_of_compiled_autograd(fixture_log):
    it = fixture_log("compiled_autograd")
    (capture,) = it.table("sources")["autograd_captures"]
    names = {artifact.event: artifact.name for artifact in it.artifacts}
    assert it.compiles[capture["compile_index"]].id == "!0"
    assert names[capture["event_index"]] == "compiled_autograd_graph"
    assert names[capture["pre_reordering_event_index"]] == "compiled_autograd_graph_pre_reordering"


def test_parts_of_a_split_graph(fixture_log):
    it = fixture_log("ddp_split")
    (split,) = it.table("sources")["ddp_splits"]
    names = {artifact.event: artifact.name for artifact in it.artifacts}
    assert names[split["event_index"]] == "optimize_ddp_split_graph"
    assert [(part["name"], names[part["event_index"]]) for part in split["parts"]] == [
        ("submod_0", "optimize_ddp_split_child_submod_0"), ("submod_1", "optimize_ddp_split_child_submod_1"),
    ]  # fmt: skip


def test_bytecode_of_resume_functions(fixture_log):
    it = fixture_log("graph_breaks")
    rows = it.table("sources")["bytecode"]
    texts = {artifact.event: artifact.text() for artifact in it.artifacts}
    assert {row["function"] for row in rows if "prints_once" in row["function"]} == {"torch_dynamo_resume_in_prints_once_at_17"}
    for row in rows:
        for which in ("original", "modified"):
            index = row[f"{which}_event_index"]
            if index is not None:
                assert texts[index].count("RETURN_VALUE") and row[f"{which}_instruction_count"] >= texts[index].count("LOAD_FAST")
    # Behind the last print nothing is left to compile.
    assert [row["function"] for row in rows if row["modified_event_index"] is None] == ["torch_dynamo_resume_in_prints_last_at_24"]


def test_side_effects_and_wrappers(fixture_log):
    table = fixture_log("wrappers").table("sources")
    (effects,) = table["side_effects"]
    assert any("self.calls += 1" in message for message in effects["messages"])
    names = {row["name"] for row in table["codes"]}
    assert {"subclass_wrapper", "output_alias_wrapper", "backward_prologue"} <= names
    assert all(row["functions"] for row in table["codes"])
    assert {row["config_index"] for row in table["configs"]} == {0}  # one configuration for the whole process
    assert "activation_memory_budget" in table["config_values"][0]


def test_configurations_are_told_apart(fixture_log):
    """In a region of its own, regional_inductor changes the configuration."""
    table = fixture_log("regions").table("sources")
    assert len({row["config_index"] for row in table["configs"]}) == len(table["config_values"]) > 1


def test_links(shared_traces, built):
    (it,) = built(shared_traces / "single/links.log").logs
    (link,) = it.table("sources")["links"]
    assert (link["name"], link["safe"]) == ("manifold_url", True)


# Written from torch's sources; no fixture has them.


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://example.org/a?b=c", True), ("HTTP://example.org", True), ("javascript:alert(1)", False), ("//example.org", False),
        (" https://example.org", False), ("https://", False), ("java\\nscript:https://x", False), ("https://a b", False), ("file:///etc", False),
    ],
)  # fmt: skip
def test_only_web_addresses_are_safe(log_of, url, safe):
    (link,) = log_of(log(f'link {{"name": "cprofile_manifold_url", "url": "{url}"}}')).table("sources")["links"]
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
    first, second = it.table("sources")["autograd_captures"]
    assert (first["reasons_event_index"], first["pre_reordering_event_index"], first["event_index"]) == (0, 1, 2)
    assert first["reasons"] == ["cache miss", "size 3 -> 4"]
    assert (second["event_index"], second["pre_reordering_event_index"], second["reasons"]) == (3, None, [])


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
    table = it.table("sources")
    assert [(row["name"], row["functions"]) for row in table["dump_files"]] == [(None, []), ("../../x", ["f"])]
    assert [(row["url"], row["safe"]) for row in table["links"]] == [(None, False)]
    assert [(row["event_index"], [part["name"] for part in row["parts"]]) for row in table["ddp_splits"]] == [(None, [None])]
    assert table["configs"][0]["config_index"] is None
    assert [code for code, *_ in found(it)] == ["table-parse"] * 3  # the part of a graph that is none, too
