"""Settings as fixes: torch 2.13 and later keep them for each thread."""

import json

import pytest
from log_builder import record
from made_compiles import metrics, of

CONFIG = "torch._dynamo.config.capture_scalar_outputs = True"
ITEM = (
    "Graph break in user code at /p/a.py:3\nGraph Break Reason: Unsupported Tensor.item() call with"
    f" capture_scalar_outputs=False\n  Explanation: no\n  Hint: Set `{CONFIG}`.\n"
)


def compile_in(thread, compile_id):
    frames = [("/usr/lib/threading.py", 1, "_bootstrap")] if thread else []
    texts = [*(file for file, _, _ in frames), "/p/a.py"]
    stack = [{"line": line, "name": name, "filename": texts.index(file)} for file, line, name in frames]
    stack.append({"line": 1, "name": "f", "filename": 0 if not thread else 1})
    names = b"".join(record(f"str {json.dumps([text, number])}") for number, text in enumerate(texts))
    start = record(f"dynamo_start {compile_id} {json.dumps({'stack': stack})}")
    return (
        names
        + start
        + record(f"artifact:dynamo_graph_break_reason {compile_id}", payload=ITEM)
        + metrics(compile_id, "f")
    )


@pytest.mark.parametrize("thread", [True, False])
def test_a_setting_is_set_in_the_thread_of_its_compiles(log_of, thread):
    (row,) = of(log_of(compile_in(thread, "0/0")), "graph-break")
    assert any(CONFIG in remedy["text"] for remedy in row["remedies"])
    assert ("set them in the thread that calls the function" in row["text"]) is thread
