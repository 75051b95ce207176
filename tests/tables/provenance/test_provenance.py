"""Provenance: related lines, checked against the programs of the fixtures and against tlparse."""

import json
import re

import pytest
import traces
from legacy_tlparse import run_tlparse
from provenance_graphs import graphs_of, text_of

FIXTURES = ["provenance", "provenance_training", "provenance_aoti", "provenance_graphs"]


def fixture(built, root, name):
    (it,) = built(root / "fixtures" / name / "trace").logs
    (truth,) = json.loads((root / "fixtures" / name / "truth.json").read_text())["logs"].values()
    return graphs_of(it), truth["facts"]


@pytest.mark.parametrize("name", FIXTURES)
def test_known_lines_become_known_kernels(built, root, name):
    graphs, facts = fixture(built, root, name)
    assert facts["known_pairs"]
    for known in facts["known_pairs"]:
        graph = graphs[known["compile"], known["graph"]]
        place = ("program.py", known["source"])
        kernel = graph.kernels[known["kernel"]]
        (call,) = kernel["call_lines"]
        assert known["call"] in graph.line("code", call), known
        handle = f"[Provenance debug handles] {known['kernel']}\n"
        assert any(
            handle in line + "\n" for line in graph.texts["code"].split("\n")[max(0, call - 12) : call]
        ), known
        assert place in [frame for stack in kernel["stacks"] for frame in stack], known
        post = {graph.name("post", line): line for line in kernel["post_lines"]}
        assert set(known["post"]) <= set(post), known
        callees = {stack[-1] for stack in kernel["stacks"] if place in stack}
        sources = graph.sources("post")
        assert all(sources[post[node]] in callees for node in known["post"]), known
        pre = {graph.name("pre", line) for line, source in graph.sources("pre").items() if source in callees}
        assert set(known["pre"]) <= pre, known


@pytest.mark.parametrize("name", FIXTURES)
def test_coverage(built, root, name):
    graphs, facts = fixture(built, root, name)
    for address, known in facts["coverage"].items():
        compile, number = address.split(" ")
        coverage = graphs[compile, int(number)].row
        assert [coverage["post_in_kernel_count"], coverage["post_node_count"]] == known["post_in_kernel"], (
            address
        )
        assert [coverage["kernel_in_post_count"], coverage["kernel_count"]] == known["kernels"], address
    for compile, number in facts["unmapped_graphs"]:
        graph = graphs[compile, number]
        assert graph.pairs == [] and graph.row["version"] == 2
        assert graph.row["kernel_with_source_count"] == graph.row["kernel_count"] > 0


def test_forward_and_backward_are_two_graphs_of_one_pre_grad_graph(built, root):
    graphs, _ = fixture(built, root, "provenance_training")
    forward, backward = graphs["0/0", 1], graphs["0/0", 2]
    assert [forward.row["direction"], backward.row["direction"]] == ["forward", "backward"]
    assert forward.row["pre_graph_event"] == backward.row["pre_graph_event"] is not None
    assert "tangents_1" in backward.texts["post"] and "tangents_1" not in forward.texts["post"]
    assert forward.names == [
        ("hidden", "permute"),
        ("hidden", "addmm"),
        ("tanh", "tanh"),
        ("gated", "mul"),
        ("sum_1", "sum_1"),
    ]


def test_backward_has_no_kernels_of_the_forward(built, root):
    """torch lists the forward's kernels again, with the backward's exp."""
    graphs, _ = fixture(built, root, "provenance_training")
    backward = graphs["1/0", 2]
    mapping = json.loads(text_of_event(built, root, "provenance_training", backward.row["mapping_event"]))
    assert mapping["postToCppCode"]["exp"] == ["cpp_fused_exp_sum_0:2", "cpp_fused_exp_expand_mul_0:3"]
    assert list(backward.kernels) == ["cpp_fused_exp_expand_mul_0:3", "extern_kernels.mm:4"]


def text_of_event(built, root, name, event_index):
    (it,) = built(root / "fixtures" / name / "trace").logs
    return text_of(it, event_index)


def test_graphs_inside_of_a_graph(built, root):
    """Both branches have a node sum_1; the stacks of the kernels distinguish them."""
    graphs, _ = fixture(built, root, "provenance_graphs")
    graph = graphs["2/0", 1]
    yes, no = graph.kernels["cpp_fused_add_cos_sum_0:1"], graph.kernels["cpp_fused_sin_sub_sum_1:2"]
    lines = graph.texts["post"].split("\n")
    start = next(number for number, line in enumerate(lines, 1) if "class false_graph_0" in line)
    sums = [number for number, line in enumerate(lines, 1) if line.strip().startswith("sum_1:")]
    assert len(sums) == 2 and sums[0] < start < sums[1]
    assert sums[0] in yes["post_lines"] and sums[1] not in yes["post_lines"]
    assert sums[1] in no["post_lines"] and sums[0] not in no["post_lines"]


def test_log_without_provenance_has_empty_tables(built, root):
    (it,) = built(root / "fixtures" / "train_step" / "trace").logs
    assert [
        it.table(f"provenance_{name}") for name in ("groups", "lines", "nodes", "kernels", "sources")
    ] == [[]] * 5


# tlparse
# ------------------------------------------------------------------------------------------------------------

# Differences from the tables in tlparse's pages, with reasons. tlparse counts lines of code from the first
# non-empty one, and repeats a line for each of its kernels: lists are sets here.
REASONS = {
    (
        "provenance",
        "0/0",
        1,
    ): (
        "it has one page for a compile id, with the last graph of each kind: that of the backward, which is"
        " empty"
    ),
    ("provenance", "0/0", 2): "torch wrote no map of the backward; tlparse reads nothing off the code",
    ("provenance_training", "0/0", 1): "it has the last graph only",
    ("provenance_training", "0/0", 2): "the same",
    ("provenance_training", "1/0", 1): "it has the last graph only; the backward is not empty here",
    (
        "provenance_graphs",
        "2/0",
        1,
    ): "of several nodes of one name it takes the last in the text, in whatever graph that stands",
}
TABLES = ("preToPost", "postToPre", "pyCodeToPost", "postToPyCode", "cppCodeToPost", "postToCppCode")


def tlparse_tables(report):
    """Return {directory: its lineMappings} with sets of numbers."""
    out = {}
    for path, data in report.items():
        if path.startswith("provenance_tracking_"):
            tables = json.loads(
                re.search(rb'<script id="lineMappings"[^>]*>(.*?)</script>', data, re.DOTALL)[1]
            )
            directory = path.removeprefix("provenance_tracking_").removesuffix(".html")
            out[directory] = {
                name: {int(line): set(lines) for line, lines in tables.get(name, {}).items()}
                for name in TABLES
            }
    return out


def our_tables(graph):
    """Return the same from the table, with tlparse's numbering."""
    out = {name: {} for name in TABLES}

    def add(name, key, value):
        out[name].setdefault(key, set()).add(value)

    for pre, post in graph.pairs:
        add("preToPost", pre, post)
        add("postToPre", post, pre)
    cpp = (
        "cpp_wrapper_src" not in graph.texts["code"] and graph.row["code_language"] == "cpp"
    )  # otherwise C++ in a Python file
    blank = len(graph.texts["code"]) - len(graph.texts["code"].lstrip("\n"))
    for kernel in graph.kernels.values():
        for post in kernel["post_lines"]:
            for call in kernel["call_lines"]:
                add("cppCodeToPost" if cpp else "pyCodeToPost", call - blank, post)
                add("postToCppCode" if cpp else "postToPyCode", post, call - blank)
    return out


def directory_of(compile):
    frame, _, attempt = compile.partition("_")
    return "-_-_-_-" if compile == "-" else f"-_{frame.replace('/', '_')}_{attempt or 0}"


@pytest.mark.parametrize("path", traces.params(sorted(traces.PUBLIC.glob("provenance/*.txt")), traces.PUBLIC))
def test_equal_to_tlparse_on_the_public_traces(built, tmp_path, path):
    (it,) = built(path).logs
    theirs = tlparse_tables(run_tlparse(path, tmp_path / "report", "-i"))
    graphs = graphs_of(it)
    assert len(graphs) == 1
    for (compile, _), graph in graphs.items():
        found = theirs.pop(directory_of(compile))
        assert sum(map(len, found.values())) > 20
        assert our_tables(graph) == found
    assert all(not any(tables.values()) for tables in theirs.values()), (
        "ids without provenance have empty pages"
    )


@pytest.mark.parametrize("name", FIXTURES)
def test_differs_from_tlparse_on_the_fixtures_for_known_reasons_only(built, root, tmp_path, name):
    graphs, _ = fixture(built, root, name)
    (path,) = (root / "fixtures" / name / "trace").glob("*.log")
    theirs = tlparse_tables(run_tlparse(path, tmp_path / "report", "-i"))
    differs = {key for key, graph in graphs.items() if our_tables(graph) != theirs[directory_of(key[0])]}
    assert differs == {(compile, number) for fixture, compile, number in REASONS if fixture == name}
