"""Compare: guards by source and kind, graphs by node, generated code by kernel."""

import re

from log_builder import record
from pages import becomes, expect_address
from playwright.sync_api import expect
from test_web_compare import PLACE

ROWS = """(all) => all.map((part) => [part.querySelector("h3, summary").textContent,
  [...part.querySelectorAll(".meaning-row")].map((row) => [...row.querySelector(".meaning-head").children].map((e) => (e.querySelector(".cut-whole") ?? e).textContent.trim()))])"""


def comparison(page, name):
    return page.get_by_role("region", name=f"Difference of {name}", exact=True)


def sections(page, name):
    """Return heading and rows of each part of a comparison; a row is kind, subject, and change."""
    parts = comparison(page, name).locator("section, details")
    expect(parts.first).to_be_visible()
    return {heading.strip().split(" ", 1)[1].strip(): rows for heading, rows in parts.evaluate_all(ROWS)}


def compare(page, bundle, left, right, artifact):
    log = bundle.logs[0].id
    page.evaluate(
        "hash => { location.hash = hash }",
        PLACE.format(f"{log}/{left}", f"{log}/{right}") + f"&artifact={artifact}",
    )


def test_guards_of_a_recompile(show):
    page, bundle = show("recompiles")
    compare(page, bundle, "0/0", "0/1", "dynamo_cpp_guards_str")
    found = sections(page, "dynamo_cpp_guards_str")
    assert list(found) == ["1 changed guard", "2 guards only on the right", "9 equal guards"]
    assert found["1 changed guard"] == [["TENSOR_MATCH", "L['x']", "size=[4 → None, 2]"]]
    assert [row[:2] for row in found["2 guards only on the right"]] == [
        ["LAMBDA_GUARD"],
        ["TYPE_MATCH", "L['x']"],
    ]
    assert found["9 equal guards"] == [], "folded, and not made yet"
    region = comparison(page, "dynamo_cpp_guards_str")
    assert region.locator(".differs").all_inner_texts() == ["4", "None"], "marked within the line"
    expect(region).to_contain_text("10 guards in the tree dump on the left, 12 on the right")
    expect(region).to_contain_text(
        "Not compared: order, source lines, check latency (61.30 us and 75.31 us)."
    )
    region.get_by_text("9 equal guards").click()
    expect(region.locator("details .meaning-row")).to_have_count(9)
    page.keyboard.press("n")
    expect(region.locator(".meaning-row:focus")).to_contain_text("TENSOR_MATCH")
    page.keyboard.press("Shift+N")
    expect(region.locator(".meaning-row:focus")).to_contain_text("TYPE_MATCH")
    region.get_by_role("link", name="line 10 on the right").first.click()
    expect(page.locator(".code-line.marked")).to_contain_text("TENSOR_MATCH: check_tensor(L['x']")
    page.go_back()
    page.get_by_role("button", name="By line").click()
    expect_address(page, "by=line")
    expect(page.get_by_text("3 changes", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="By line")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("navigation", name="Artifacts").get_by_role("link", name="dynamo_output_graph").click()
    expect(page.get_by_role("button", name="By line")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="By meaning").click()
    found = sections(page, "dynamo_output_graph")
    assert list(found) == [
        "2 changed nodes",
        "1 node only on the right",
        "1 node with the same computation and different sizes: 4 → s77",
        "2 equal nodes",
    ]
    assert found["2 changed nodes"] == [
        ["input", "L_x_", "size=[4 → s77, 2]"],
        ["+", "add", "size=[4 → s77, 2]", "arguments"],
    ]
    page.go_back()
    expect_address(page, "by=line")
    for left, right, changed in [("1/0", "1/1", ["FALSE_MATCH"]), ("2/0", "2/1", ["TENSOR_MATCH", "dtype"])]:
        compare(page, bundle, left, right, "dynamo_cpp_guards_str")
        expect(page.get_by_role("button", name="By meaning")).to_have_attribute("aria-pressed", "true")
        becomes(
            lambda words=changed: all(
                word in comparison(page, "dynamo_cpp_guards_str").inner_text() for word in words
            )
        )


def test_the_counted_guards_are_named(show):
    page, bundle = show("recompiles", "#v=1&view=guards")
    tree = bundle.logs[0].table("guard_trees")[1]
    compile = bundle.logs[0].compile(tree["compile"])
    assert (compile.key, tree["guard_count"], compile.row["guard_count"]) == ("0/1", 12, 9)
    page.get_by_role("grid", name="Guards of the compiles").get_by_role(
        "row", name="12 guards in the tree dump"
    ).click()
    region = page.locator(".guard-detail")
    expect(region).to_contain_text(re.compile("Guards in the tree dump.*12, on"))
    expect(region).to_contain_text(
        re.compile("Guards in the metrics.*9 guard_count in the compilation metrics: .*several checks")
    )
    expect(region.get_by_role("row", name="TENSOR_MATCH 1")).to_contain_text(
        "8.3 %"
    )  # of the 12, not of the most
    compare(page, bundle, "0/0", "0/1", "")
    expect(
        page.get_by_role("region", name="Summary").get_by_role("row", name="Guards in the metrics")
    ).to_contain_text("9")
    compare(page, bundle, "0/0", "0/1", "~frame")
    expect(page.get_by_role("columnheader", name="Guards in the metrics")).to_be_visible()


# Meaningless differences between two real texts, and one real change.
COMPARED = """async ([language, left, right, sameProcess]) => {
  const { meaningOf } = await import("/viewers/lib/diff/by-meaning.js");
  const result = await meaningOf({ language, left, right, sameProcess });
  return result && Object.fromEntries(result.sections.map(({ title, pages }) => [title, pages.flatMap(({ rows }) => JSON.parse(rows)).map((row) => [row.kind, row.subject])]));
}"""


def texts_of(bundle, language):
    """Return each distinct text of this kind in a bundle."""
    found = {a.text(): a.name for log in bundle.logs for a in log.artifacts if a.language == language}
    return [
        (name, text)
        for text, name in found.items()
        if text and (language != "python" or "output_code" in name)
    ]


def subtrees(text):
    """Return the lines of a guard tree before, within and after the parts whose order does not matter."""
    lines = text.split("\n")
    begins = [i for i, line in enumerate(lines) if line.startswith("| +- ")]
    ends = [*begins[1:], next(i for i in range(begins[-1] + 1, len(lines)) if not lines[i].startswith("| "))]
    return lines[: begins[0]], [lines[a:b] for a, b in zip(begins, ends, strict=True)], lines[ends[-1] :]


def test_meaningless_changes_are_not_a_difference(show):
    seen = dict.fromkeys(("guards", "fx", "python"), 0)
    for fixture in (
        "recompiles",
        "graph_breaks",
        "transformer",
        "dynamic_shapes",
        "train_step",
        "wrappers",
        "ranks4",
    ):
        page, bundle = show(fixture)

        def differences(language, left, right, page=page, same_process=False):
            return page.evaluate(COMPARED, [language, left, right, same_process])

        for name, text in texts_of(bundle, "guards"):
            head, parts, tail = subtrees(text)
            other = "\n".join([*head, *(line for part in reversed(parts) for line in part), *tail])
            other = re.sub(r"(___check_\w+\(.*, )\d+\)", r"\g<1>140000000000000)", other)
            other = re.sub(r"(\w+\.py):\d+", r"\1:9999", other)
            other = re.sub(r"Guard latency = [\d.]+", "Guard latency = 0.07", other)
            assert other != text
            found = differences("guards", text, other)
            assert len(found) == 1 and "equal guard" in next(iter(found)), (fixture, name, found)
            without = "\n".join([*head, *(line for part in parts[:-1] for line in part), *tail])
            found = differences("guards", text, without, same_process=True)
            guards = sum(
                ": " in line and re.search(r"\+- [A-Z_0-9]+: ", line) is not None for line in parts[-1]
            )
            assert sum(len(rows) for title, rows in found.items() if "only on the left" in title) == guards, (
                fixture,
                name,
            )
            assert not any("changed" in title or "right" in title or "id of" in title for title in found), (
                fixture,
                name,
            )
            seen["guards"] += 1
        for name, text in texts_of(bundle, "fx"):
            names = set(re.findall(r"^ +([a-z]\w*)(?:: \"[^\"]*\")? = ", text, re.M)) - set(
                re.findall(r"[(,] ?(\w+) ?= ?", text)
            )
            other = (
                re.sub(
                    r"(?<![.\w'\"/])(%s)\b(?!['\"/])" % "|".join(sorted(names, key=len, reverse=True)),
                    r"\1_x",
                    text,
                )
                if names
                else text
            )
            other = re.sub(r"(# File: .*?):\d+ in", r"\1:9999 in", other)
            found = differences("fx", text, other)
            assert len(found) == 1 and "equal node" in next(iter(found)), (fixture, name, found)
            seen["fx"] += 1
        for name, text in texts_of(bundle, "python"):
            kernels = sorted(
                set(re.findall(r"^(\w+_)\d+ = async_compile", text, re.M)), key=len, reverse=True
            )
            other = (
                re.sub(r"\b(%s)(\d+)\b" % "|".join(kernels), lambda m: f"{m[1]}{int(m[2]) + 40}", text)
                if kernels
                else text
            )
            other = re.sub(r"# AOT ID: \['\d+", "# AOT ID: ['77", other)
            found = differences("python", text, other)
            assert len(found) == 1 and "equal part" in next(iter(found)), (fixture, name, found)
            seen["python"] += 1
    assert seen["guards"] > 20 and seen["fx"] > 50 and seen["python"] > 5, seen


def test_one_real_change_is_one_difference(show):
    page, bundle = show("transformer")
    names = {}
    for artifact in bundle.logs[0].artifacts:
        names.setdefault(artifact.name, artifact.text())
    graph, guards, code = (
        names["aot_forward_graph"],
        names["dynamo_cpp_guards_str"],
        names["inductor_output_code"],
    )

    def differences(language, left, right):
        found = page.evaluate(COMPARED, [language, left, right, True])
        return {title: rows for title, rows in found.items() if "equal" not in title}

    lines = graph.split("\n")
    at, *_ = [
        i for i, line in enumerate(lines) if "aten.gelu" in line or "aten.relu" in line or "aten.mul" in line
    ]
    name = lines[at].split(":")[0].strip()
    changed = "\n".join(
        [
            *lines[:at],
            re.sub(r"torch\.ops\.aten\.\w+\.\w+", "torch.ops.aten.sigmoid.default", lines[at]),
            *lines[at + 1 :],
        ]
    )
    assert differences("fx", graph, changed) == {"1 changed node": [["torch.ops.aten.sigmoid.default", name]]}
    assert differences(
        "fx",
        graph,
        "\n".join(
            [
                *lines[: at + 1],
                '        extra: "f32[1][1]cpu" = torch.ops.aten.full.default([1], 1.0)',
                *lines[at + 1 :],
            ]
        ),
    ) == {"1 node only on the right": [["torch.ops.aten.full.default", "extra"]]}

    first, *_ = re.finditer(r"TENSOR_MATCH: check_tensor\((L.*?), .*requires_grad=(\w+)", guards)
    flipped = guards[: first.start(2)] + str(first[2] == "False") + guards[first.end(2) :]
    assert differences("guards", guards, flipped) == {"1 changed guard": [["TENSOR_MATCH", first[1]]]}
    first, *_ = re.finditer(r"___check_obj_id\(([^,]+), (\d+)\)", guards)
    assert differences("guards", guards, guards[: first.start(2)] + "1" + guards[first.end(2) :]) == {
        "1 guard that differs only in an object id": [["ID_MATCH", first[1]]]
    }

    kernel = re.search(r"^(cpp_fused_native_layer_norm_\d+) = ", code, re.M)
    at = code.index("0L", kernel.end())
    assert differences("python", code, code[:at] + "5L" + code[at + 2 :]) == {
        "1 changed part": [["C++ kernel", kernel[1]]]
    }
    at = code.index("async_compile.wait")
    assert differences("python", code, code[:at] + "print()\n" + code[at:]) == {
        "1 changed part": [["code outside kernels", ""]]
    }


def test_sides_that_are_not_alike_are_shown_by_line(show):
    page, bundle = show(
        record("dynamo_cpp_guards_str 0/0", payload=tree())
        + record("dynamo_cpp_guards_str 0/1", payload="no tree at all")
    )
    compare(page, bundle, "0/0", "0/1", "dynamo_cpp_guards_str")
    expect(page.get_by_text("Compared by line: one side has no readable guards.")).to_be_visible()
    expect(comparison(page, "dynamo_cpp_guards_str")).to_contain_text("no tree at all")
    page, bundle = show("recompiles")
    compare(page, bundle, "0/0", "0/1", "put_local_code_state")
    expect(page.get_by_text("change", exact=False).first).to_be_visible()
    expect(page.get_by_role("button", name="By meaning")).to_have_count(0)
    compare(page, bundle, "0/0", "0/1", "recompile_reasons")  # of one side
    expect(comparison(page, "recompile_reasons")).to_contain_text("tensor 'x' size mismatch")
    expect(page.get_by_role("button", name="By meaning")).to_have_count(0)


def test_large_trees_are_compared_by_a_worker_and_shown_by_pages(show):
    many = "".join(
        f"| +- LENGTH_CHECK: len(L['x{n}']) == {{}}  # f()  # model.py:3 in forward\n" for n in range(20_000)
    )
    left, right = (
        "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n" + many.replace("{}", size) for size in ("1", "2")
    )
    page, bundle = show(
        record("dynamo_cpp_guards_str 0/0", payload=left) + record("dynamo_cpp_guards_str 0/1", payload=right)
    )
    with page.expect_event("worker", lambda worker: worker.url.endswith("lib/diff/worker.js")):
        compare(page, bundle, "0/0", "0/1", "dynamo_cpp_guards_str")
    region = comparison(page, "dynamo_cpp_guards_str")
    expect(region.get_by_role("heading", name="changed guards")).to_contain_text("20,000 changed guards")
    rows = region.locator(".meaning-row")
    first = rows.count()
    assert 20 <= first <= 60, "a page of them"
    region.get_by_role("button", name=f"Show {first} more").click()
    expect(rows.nth(first)).to_be_focused()
    assert first < rows.count() <= 2 * first


TREE = """
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GLOBAL_STATE: ___check_global_state() against {{"grad_mode":{mode},"num_threads":1}}
| +- GuardManager: source=L['self'], accessed_by=FrameLocalsGuardAccessor(key='self', framelocals_idx=0), type=<class 'M'>, tag_safe=(False, False)
| | +- TYPE_MATCH: ___check_type_id(L['self'], {type_id}), type=<class 'M'>  # y = self.f(x)  # model.py:3 in forward
| | +- GuardManager: source=L['self'].f, accessed_by=GetAttrGuardAccessor(f), type=<class 'function'>, tag_safe=(False, False)
| | | +- ID_MATCH: ___check_obj_id(L['self'].f, {obj_id}), type=<class 'function'>  # y = self.f(x)  # model.py:3 in forward
| | | +- DICT_CONTAINS: not ___dict_contains('{key}', L['self'].f.__dict__)  # y = self.f(x)  # model.py:{line} in forward

Guard latency = {latency} us
"""


def tree(**values):
    return TREE.format(
        **(
            {
                "mode": "true",
                "type_id": 94023524306720,
                "obj_id": 140490959752304,
                "key": "a",
                "line": 3,
                "latency": 1.5,
            }
            | values
        )
    )


def test_ids_of_objects_count_for_little(show, tmp_path):
    left, right = tree(), tree(mode="false", obj_id=140490959750000, key="b", line=4, latency=2)
    page, bundle = show(
        record("dynamo_cpp_guards_str 0/0", payload=left) + record("dynamo_cpp_guards_str 0/1", payload=right)
    )
    compare(page, bundle, "0/0", "0/1", "dynamo_cpp_guards_str")
    found = sections(page, "dynamo_cpp_guards_str")
    assert found["1 changed guard"] == [["GLOBAL_STATE", "grad_mode true → false"]]
    assert found["1 guard that differs only in an object id"] == [
        ["ID_MATCH", "L['self'].f", "object id 140490959752304 → 140490959750000"]
    ]
    assert [row[:2] for row in found["1 guard only on the left"]] == [["DICT_CONTAINS", "L['self'].f"]], (
        "one of several about the same object is not another"
    )
    assert "1 equal guard" in found
    assert "1 guard only on the right" in found

    folder = tmp_path / "trace"  # two processes
    folder.mkdir()
    for name, text in (
        ("aaaaaaaa", left),
        ("bbbbbbbb", tree(type_id=93859348397056, obj_id=139000000000000, latency=9)),
    ):
        (folder / f"dedicated_log_torch_trace_{name}.log").write_bytes(
            record("dynamo_cpp_guards_str 0/0", payload=text)
        )
    page, bundle = show(folder)
    page.evaluate(
        "hash => { location.hash = hash }",
        PLACE.format(*(f"{log.id}/0/0" for log in bundle.logs)) + "&artifact=dynamo_cpp_guards_str",
    )
    expect(page.get_by_text("No differences.")).to_be_visible()
    assert list(sections(page, "dynamo_cpp_guards_str")) == ["4 equal guards"]
    region = comparison(page, "dynamo_cpp_guards_str")
    expect(region).to_contain_text("object ids, which differ between processes")
    region.get_by_text("4 equal guards").click()
    becomes(lambda: region.locator(".ignored").all_inner_texts(), ["93859348397056", "139000000000000"])


NODES = """class GraphModule(torch.nn.Module):
    def forward(self, {s}: "Sym({s})", x: "f32[{s}, 4][4, 1]cpu"):
        # File: /home/user/model.py:3 in forward, code: y = x.sin()
        {sin}: "f32[{s}, 4][4, 1]cpu" = torch.ops.aten.sin.default(x);  x = None
        cos: "f32[{s}, 4][4, 1]cpu" = torch.ops.aten.cos.default({sin})
{more}        add: "{type}[{s}, 4][4, 1]cpu" = torch.ops.aten.add.Tensor({sin}, cos);  {sin} = cos = None
        return (add,)
"""


def nodes(**values):
    return NODES.format(**({"s": "s0", "sin": "sin", "more": "", "type": "f32"} | values))


def test_graphs_are_compared_by_node(show):
    more = '        neg: "f32[s77, 4][4, 1]cpu" = torch.ops.aten.neg.default(cos)\n'
    graphs = [
        nodes(),
        nodes(s="s77", sin="sin_1"),
        nodes(s="s77", type="f64", more=more),
        nodes().replace("Tensor(sin, cos)", "Tensor(cos, cos)"),
    ]
    page, bundle = show(
        b"".join(record(f"aot_inference_graph 0/{n}", payload=text) for n, text in enumerate(graphs))
    )
    compare(page, bundle, "0/0", "0/1", "aot_inference_graph")
    expect(page.get_by_text("No differences.")).to_be_visible()
    assert list(sections(page, "aot_inference_graph")) == ["6 equal nodes"]
    expect(comparison(page, "aot_inference_graph")).to_contain_text(
        "2 equal nodes renamed. Symbols: s0 is s77."
    )
    compare(page, bundle, "0/0", "0/2", "aot_inference_graph")
    expect(page.get_by_text("1 node only on the right")).to_be_visible()
    found = sections(page, "aot_inference_graph")
    assert found["1 changed node"] == [["torch.ops.aten.add.Tensor", "add", "dtype f32 → f64"]]
    assert found["1 node only on the right"] == [["torch.ops.aten.neg.default", "neg"]]
    assert "5 equal nodes" in found
    compare(page, bundle, "0/0", "0/3", "aot_inference_graph")
    expect(page.get_by_text("arguments")).to_be_visible()
    assert sections(page, "aot_inference_graph")["1 changed node"] == [
        ["torch.ops.aten.add.Tensor", "add", "arguments sin → cos"]
    ]


CODE = """# AOT ID: ['{n}_inference']
import torch
cpp_fused_sin_{a} = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{{
    out_ptr0[0] = std::sin(in_ptr0[0]);
}}
''')
cpp_fused_add_{b} = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
extern "C"  void  kernel(const float* in_ptr0, float* out_ptr0)
{{
    out_ptr0[0] = in_ptr0[0] + {term};
}}
''')

def call(args):
    arg0_1, = args
    buf0 = empty_strided_cpu((4, ), (1, ), torch.float32)
    cpp_fused_sin_{a}(arg0_1, buf0)
    cpp_fused_add_{b}(buf0, buf0)
    return (buf0, )
"""


def test_generated_code_is_compared_by_kernel(show):
    left, right = CODE.format(n=0, a=0, b=1, term=1), CODE.format(n=3, a=1, b=0, term=2)
    page, bundle = show(
        record("inductor_output_code 0/0", payload=left) + record("inductor_output_code 0/1", payload=right)
    )
    compare(page, bundle, "0/0", "0/1", "inductor_output_code")
    found = sections(page, "inductor_output_code")
    assert list(found) == ["1 changed part", "2 equal parts"], "the call only calls kernels of another number"
    assert found["1 changed part"] == [["C++ kernel", "cpp_fused_add_1 → cpp_fused_add_0"]]
    region = comparison(page, "inductor_output_code")
    changed = region.locator(".meaning-left, .meaning-right").locator("code").all_inner_texts()
    assert [line.strip() for line in changed if "out_ptr0[0] =" in line] == [
        "out_ptr0[0] = in_ptr0[0] + 1;",
        "out_ptr0[0] = in_ptr0[0] + 2;",
    ]
    region.get_by_text("2 equal parts").click()
    expect(region.locator("details .meaning-head")).to_have_text(
        [re.compile(r"C\+\+ kernel.*cpp_fused_sin_0 → cpp_fused_sin_1"), re.compile("function.*call")]
    )
    expect(region).to_contain_text("The code outside kernels is equal.")
