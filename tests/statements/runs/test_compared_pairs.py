"""Real runs of a program before and after one change: the first sentence, required changes, and forbidden
ones.
"""

import json

import jsonschema
import pytest
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.statements.runs.compare.document import compare

# By pair: the beginning of the first sentence, all changes as (kind, change), and causes with effects.
TOLD = {
    "new_break": (
        (
            "Compile time within run-to-run noise. New: Graph break in `forward` at `program.py:14`, "
            "once (+11.5 s)."
        ),
        [("finding", "new"), ("compile", "new"), ("graph", "changed")],
    ),
    "recompile_fixed": (
        ("26.1 s less compile time (2 min 8 s → 1 min 42 s). Gone: `forward` recompiled 3 times (−42.8 s)."),
        [("finding", "gone"), ("compile", "gone"), ("graph", "changed")],
    ),
    "slower_pass": (
        (
            "27.6 s more compile time (6.76 s → 34.4 s): `pass.post_grad_passes.post_grad_custom_post_pass`"
            " takes 27.5 s in total, was 3.57 ms."
        ),
        [("time", "worse")],
    ),
    "config_changed": (
        ("2.01 s more compile time (2.55 s → 4.56 s): `max_fusion_size` is `32`, was `64`."),
        [
            ("setting", "changed"),
            ("cache", "worse"),
            ("cache", "worse"),
            ("time", "worse"),
            ("time", "worse"),
            ("time", "worse"),
        ],
    ),
    "line_changed": (
        ("20.9 s more compile time (8.04 s → 29 s). `mix` (program.py:11): a different graph was captured."),
        [("graph", "changed"), ("cache", "worse"), ("cache", "worse"), ("time", "worse")],
    ),
    "new_break_on_a_rank": (
        (
            "49.2 s more compile time: unchanged compiles ran 1.7× slower. New: Graph break in "
            "`embed` at `program.py:18`, once."
        ),
        [("finding", "new"), ("compile", "new"), ("graph", "changed")],
    ),
    "nested_break": (
        (
            "Compile time within run-to-run noise (2.58 s → 2.48 s). New: Graph break in `scaled` at "
            "`program.py:7`, twice (+658 ms)."
        ),
        [
            ("finding", "new"),
            ("finding", "new"),
            ("compile", "new"),
            ("compile", "new"),
            ("compile", "new"),
            ("graph", "changed"),
        ],
    ),
    "nothing_changed": (
        (
            "53.9 s less compile time: unchanged compiles ran 2× faster, so the machine probably "
            "differs. No other change."
        ),
        [],
    ),
    "nothing_changed_training": (
        (
            "52.5 s less compile time: unchanged compiles ran 1.5× faster, so the machine probably "
            "differs. No other change."
        ),
        [],
    ),
    "backend_changed": (
        (
            "36.1 s less compile time. Different backend for `scale` and `loss`: AOTAutograd only "
            "(like `aot_eager`), was Inductor."
        ),
        [("backend", "changed")],
    ),
}


@pytest.fixture(scope="module")
def compared(built, root):
    def of(name):
        return compare(
            *([(side, built(root / "fixtures" / "pairs" / name / side))] for side in ("base", "new"))
        )

    return of


def test_every_pair_is_listed(root):
    assert {path.name for path in (root / "fixtures" / "pairs").iterdir() if path.is_dir()} == {
        *TOLD,
        "other_inputs",
        "renamed_script",
        "renamed_function",
        "autotuned",
        "dynamic_on",
        "many_settings",
    }


def test_other_sizes_and_no_gradients(compared):
    """Two changes in each function, neither of which causes the other."""
    document = compared("other_inputs")
    changes = document["logs"][0]["changes"]
    assert [(change["title"], change["text"]) for change in changes] == [
        (
            "`score` (program.py:6): a different graph was captured",
            "Changed input: `L_x_` is `f32[32, 16]` (was `f32[8, 16]`).",
        ),
        (
            "`loss` (program.py:11): a different graph was captured",
            "Changed input: `L_y_` is `f32[32, 4]` (was `f32[8, 4]`).",
        ),
        (
            "`score` (program.py:6) is compiled for inference, was for training",
            "AOTAutograd built no backward graph.",
        ),
        (
            "`loss` (program.py:11) is compiled for inference, was for training",
            "AOTAutograd built no backward graph.",
        ),
    ]
    assert (
        document["summary"]["text"]
        == "1.96 s less compile time, which no single change explains. `score`: a different graph was"
        " captured. 3 other changes."
    )
    assert document["summary"]["notes"][0] == "Total compile time: 3.76 s → 1.8 s."


def test_calls_that_are_new_or_gone(compared):
    (graph,) = (
        change for change in compared("nested_break")["logs"][0]["changes"] if change["kind"] == "graph"
    )
    assert graph["text"] == "3 inputs, was 5. Calls: `torch._C._nn.linear` 2 → 1 and `hidden.mean` 1 → 0."


@pytest.mark.parametrize("name", TOLD)
def test_reported_changes(compared, name):
    document = compared(name)
    jsonschema.validate(json.loads(json.dumps(document)), schema("comparison"))
    text, expected = TOLD[name]
    assert document["summary"]["text"].startswith(text)
    changes = [change for log in document["logs"] for change in log["changes"]]
    assert sorted((change["kind"], change["change"]) for change in changes) == sorted(expected)
    assert [change["because_of"] for change in changes] == (
        [None] + [0] * (len(changes) - 1) if changes else []
    )
    assert document["summary"]["root_count"] == bool(changes)


def changes_of(compared, name):
    return [change for log in compared(name)["logs"] for change in log["changes"]]


def test_a_renamed_function_is_the_same_function(compared):
    """Its break, its recompile and its resume function have its name, and are neither new nor gone."""
    (change,) = changes_of(compared, "renamed_function")
    assert change["title"] == "`rescale` (program.py:6) was `scale`"
    assert (change["kind"], change["change"], len(change["pair_indexes"])) == ("compile", "changed", 4)
    (log,) = compared("renamed_function")["logs"]
    assert all(row["base"] and row["new"] and row["graph"] == "same" for row in log["compiles"])


def test_functions_of_a_file_with_a_different_name(compared):
    changes = changes_of(compared, "renamed_script")
    moved = [change for change in changes if change["kind"] == "compile"]
    assert [change["title"] for change in moved] == [
        "`embed`, `mix` and `head` moved from `train.py` to `train_new.py`"
    ]
    assert {change["kind"] for change in changes} == {"compile", "cache", "time"}
    (log,) = compared("renamed_script")["logs"]
    assert [row["graph"] for row in log["compiles"]] == ["same"] * 3


def test_a_setting_is_the_reason_of_what_it_decides(compared):
    changes = changes_of(compared, "dynamic_on")
    setting, recompile, compiled = changes
    assert setting["title"] == "`assume_static_by_default` off, was on"
    assert "`torch.compile(dynamic=True)` turns it off." in setting["text"]
    assert (recompile["kind"], recompile["change"], recompile["because_of"]) == ("finding", "gone", 0)
    assert recompile["text"].startswith("Reason: `assume_static_by_default` off, was on; it decides which")
    assert (compiled["kind"], compiled["because_of"]) == ("compile", 0)


def test_a_setting_without_an_effect_explains_nothing(compared):
    """Inductor has nothing to autotune here."""
    (change,) = changes_of(compared, "autotuned")
    assert change["title"] == "`max_autotune` on, was off" and change["cost_us"] is None


def test_many_settings_are_a_few_sentences(compared):
    changes = changes_of(compared, "many_settings")
    *settings, code = changes
    assert [change["title"] for change in settings] == [
        "`epilogue_fusion` off, was on",
        "`max_fusion_size` is `32`, was `64`",
        "`nan_asserts` on, was off",
        "`pattern_matcher` off, was on",
        "`permute_fusion` on, was off",
        "5 other settings changed",
    ]
    assert settings[0]["text"] == "The setting `torch._inductor.config.epilogue_fusion`."
    assert "`torch._inductor.config.pre_grad_fusion_options`" in settings[-1]["text"]
    assert max(len(change["title"]) + len(change["text"]) for change in settings) < 500
    assert code["kind"] == "code" and code["because_of"] is None and "Reason" not in code["text"]


def test_hits_elsewhere_are_not_a_change(compared):
    """A line of one function changed: the caches had the others."""
    (log,) = compared("line_changed")["logs"]
    assert [bool(row["lookups"]) for row in log["compiles"]] == [
        row["function"] == "mix" for row in log["compiles"]
    ]
    assert all(row["graph"] == "same" for row in log["compiles"] if row["function"] != "mix")


def test_the_part_of_the_key_that_differs_is_named_with_its_values(compared):
    (log,) = compared("config_changed")["logs"]
    (fx,) = (
        change
        for change in log["changes"]
        if change["kind"] == "cache" and change["details"]["cache"] == "fx_graph"
    )
    assert (
        fx["title"] == "FX graph cache: 4 hits became misses: the key differs in"
        " `inductor_config[max_fusion_size]`"
    )
    assert fx["text"] == "`inductor_config[max_fusion_size]` is `32`, was `64`."
    assert fx["cost_us"] == sum(row["new_us"] - row["base_us"] for row in log["compiles"])


def test_the_other_way_round(built, root, compared):
    """New findings are gone, and slower spans are faster."""
    for name in ("new_break", "slower_pass", "recompile_fixed"):
        folder = root / "fixtures" / "pairs" / name
        back = compare([("new", built(folder / "new"))], [("base", built(folder / "base"))])
        ours, theirs = (
            [change for log in document["logs"] for change in log["changes"]]
            for document in (compared(name), back)
        )
        opposite = {"new": "gone", "gone": "new", "worse": "better", "better": "worse", "changed": "changed"}
        assert sorted((change["kind"], opposite[change["change"]]) for change in ours) == sorted(
            (change["kind"], change["change"]) for change in theirs
        )
        assert [-(change["cost_us"] or 0) for change in ours] == [change["cost_us"] or 0 for change in theirs]


def test_two_ranks_of_one_run(built, root):
    bundle = built(root / "fixtures" / "pairs" / "new_break_on_a_rank" / "new")
    document = compare([("run", bundle)], [("run", bundle)], ranks=(0, 1))
    assert ". New: Graph break in `embed`" in document["summary"]["text"]


def test_several_runs_of_a_side_show_noise(built, root):
    sides = [built(root / "fixtures" / "pairs" / "slower_pass" / side) for side in ("base", "new")]
    document = compare([("a", sides[0]), ("b", sides[0])], [("c", sides[1]), ("d", sides[1])])
    step, *others = document["logs"][0]["changes"]
    compiles = [change for change in others if change["details"]["span"] is None]
    assert step["details"]["span"] == "pass.post_grad_passes.post_grad_custom_post_pass"
    assert {(change["kind"], change["change"], change["because_of"]) for change in compiles} == {
        ("time", "worse", 0)
    } and len(compiles) == 7  # the first one in the process was equally slow before
    mixed = compare([("a", sides[0]), ("b", sides[1])], [("c", sides[1]), ("d", sides[0])])
    assert mixed["logs"][0]["changes"] == []
