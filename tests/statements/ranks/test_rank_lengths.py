"""Headlines about ranks have at most 120 characters, titles at most 100, texts at most three sentences."""

import pytest
import traces
from sentence_lengths import MOST_HEADLINE, MOST_SENTENCES, MOST_TITLE, counted, sentence_count

FOLDERS = [
    *sorted(path for path in (traces.ROOT / "fixtures" / "jobs").iterdir() if path.is_dir()),
    *sorted((traces.ROOT / "fixtures").glob("ranks*/trace")),
    traces.ROOT / "fixtures" / "pairs" / "new_break_on_a_rank" / "new",
    traces.ROOT / "fixtures" / "versions" / "2.4.1",
    traces.ROOT / "fixtures" / "vllm" / "llama-tp2-cold",
]
PUBLIC = ("multi_rank_runtime", "multi_rank_schedule", "exec_order")
QUOTING = {
    "failure",
    "failed-everywhere",
    "graph-break",
    "restart",
    "recompile",
    "guard",
}  # end with torch's text


def check_lengths(bundle):
    assert counted(bundle.job["text"]) <= MOST_HEADLINE, bundle.job["text"]
    for row in bundle.rank_table("rank_findings"):
        title = row["title"].partition(": `")[0] if row["kind"] in QUOTING else row["title"]
        assert counted(title) <= MOST_TITLE, row["title"]
        assert sentence_count(row["text"]) <= MOST_SENTENCES, row["text"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.relative_to(traces.ROOT).as_posix())
def test_sentences_are_short(built, folder):
    check_lengths(built(folder))


@pytest.mark.parametrize("name", PUBLIC)
def test_sentences_about_public_logs_are_short(built, shared_traces, name):
    check_lengths(built(shared_traces / name))
