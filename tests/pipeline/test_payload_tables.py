"""Tables copied from an equal log equal the ones that a new parse gives."""

import pytest
import traces
from log_builder import log, record
from tlparse_bundle import build, discover
from tlparse_bundle.pipeline import log_tables


@pytest.fixture(autouse=True)
def forget():
    log_tables._known.clear()


@pytest.fixture
def made(monkeypatch):
    """Names of the tables that were built, in order."""
    names, before = [], log_tables._Slot.__init__

    def watch(self, cls):
        before(self, cls)
        method = "tables" if hasattr(self.table, "tables") else "table"
        make, name = getattr(self.table, method), self.table.name
        setattr(self.table, method, lambda: (names.append(name), make())[1])

    monkeypatch.setattr(log_tables._Slot, "__init__", watch)
    return names


def bundle(logs, out):
    build(logs, out, jobs=1)
    return traces.files(out)


def without_memo(logs, out, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(log_tables, "RememberedPayloadTables", log_tables.PayloadTables)
        return bundle(logs, out)


def test_the_same_bytes_with_less_work(root, tmp_path, monkeypatch, made):
    logs = discover([root / "fixtures" / "ranks_healthy" / "trace"])
    assert bundle(logs, tmp_path / "memo") == without_memo(logs, tmp_path / "plain", monkeypatch)
    assert made.count("metrics") == 4, "times differ"
    assert made.count("partition") == made.count("communication") == 1, "what is equal is made once"


def test_any_input_of_a_table_makes_it_different(tmp_path, monkeypatch):
    """Ranks whose events differ in one thing: payload, metadata, compile, number of events before."""
    graph = (
        "aot_inference_graph 0/0\n | class G(torch.nn.Module):\n |     def forward(self, a):\n |        "
        " return (a,)\n"
    )
    ranks = [
        graph,
        graph.replace("(a,)", "(a, a)"),
        graph.replace("0/0", "0/1"),
        'str ["a.py", 0]\n' + graph,
        graph,
    ]
    for number, text in enumerate(ranks):
        (tmp_path / f"rank_{number}.log").write_bytes(log(text))
    logs = discover([tmp_path])
    files = bundle(logs, tmp_path / "memo")
    assert files == without_memo(logs, tmp_path / "plain", monkeypatch)
    graphs = [files[f"logs/rank_{number}/graphs.jsonl.zst"] for number in range(5)]
    assert len(set(graphs)) == 4 and graphs[0] == graphs[4]


def test_diagnostics_have_their_own_place(tmp_path, monkeypatch):
    for number in range(3):
        data = log("x") * number + record("dynamo_cpp_guards_str 0/0", payload="no tree")
        (tmp_path / f"rank_{number}.log").write_bytes(data)
    logs = discover([tmp_path])
    assert bundle(logs, tmp_path / "memo") == without_memo(logs, tmp_path / "plain", monkeypatch)
    assert log_tables._known.keys().isdisjoint({("guards", "zstd")})
    offsets = [
        traces.files(tmp_path / "memo")[f"logs/rank_{number}/diagnostics.jsonl.zst"] for number in range(3)
    ]
    assert len(set(offsets)) == 3


def test_a_log_that_is_too_large_to_wait(root, tmp_path, monkeypatch, made):
    logs = discover([root / "fixtures" / "ranks4" / "trace"])
    monkeypatch.setattr(log_tables, "MAX_WAITING_BYTES", 50_000)
    assert bundle(logs, tmp_path / "memo") == without_memo(logs, tmp_path / "plain", monkeypatch)
    assert made == []


def test_little_is_remembered(tmp_path):
    for number in range(40):
        (tmp_path / f"rank_{number}.log").write_bytes(
            log(f"artifact:before_pre_grad_graph 0/0\n | graph {number}")
        )
    build(discover([tmp_path]), tmp_path / "out", jobs=1)
    assert len(log_tables._known) <= log_tables._MAX_KNOWN
