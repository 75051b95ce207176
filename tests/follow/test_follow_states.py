"""Each state equals a fresh build of the same bytes, wherever the pieces end; the final bundle equals a build
byte for byte.
"""

import gzip
import random

import fsspec
import pytest
import traces
from following import NAME, appending, content_of, follow, fresh, same_as_fresh, snapshot, without_gaps
from hypothesis import given
from hypothesis import strategies as st
from log_builder import log, record
from log_strategies import any_bytes, cases, small_logs
from plain_server import plain_server
from tlparse_bundle.bundle.reader import Bundle
from tlparse_bundle.follow import Follower, follower, growing_log
from tlparse_bundle.log.discover import discover
from tlparse_bundle.log.record_reader import BLOCK_BYTES
from tlparse_bundle.pipeline.build import build


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    without_gaps(monkeypatch)


def states_of(folder, data, cuts, codec="none"):
    """Follow one log that comes in pieces, compare each state with a build, and return the manifests."""
    path, out, found = folder / "traces" / NAME, folder / "out", []

    def on_state(manifest):
        found.append(manifest)
        same_as_fresh(out, lambda row: data, folder / "fresh")

    result = follow([path], out, appending(path, data, cuts), on_state=on_state, codec=codec)
    assert snapshot(result.path) == snapshot(fresh(data, folder / "whole", codec=codec))
    return found


@cases(8)
@given(data=st.data())
def test_of_real_logs_cut_anywhere(data, tmp_path_factory):
    content = data.draw(st.sampled_from(small_logs()))
    cuts = data.draw(st.lists(st.integers(1, len(content)), max_size=3))
    found = states_of(tmp_path_factory.mktemp("cut"), content, cuts)
    assert found[-1]["live"]["logs"][0]["read_bytes"] == len(content)


@cases(8)
@given(content=any_bytes(), cut=st.floats(0, 1))
def test_of_any_bytes(content, cut, tmp_path_factory):
    states_of(tmp_path_factory.mktemp("any"), content, [int(cut * len(content))])


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
def test_compressed(codec, tmp_path):
    data = small_logs()[-1]
    states_of(tmp_path, data, [len(data) // 2], codec)


def test_the_middle_of_a_record_waits_for_its_rest(tmp_path):
    """Cut in an envelope, a character and a payload: complete records are there, and nothing is reported as
    damaged.
    """
    first, second = record('first {"text": "x"}'), record('second {"text": "x"}', payload="line\nothér line")
    data = first + second + record("third {}")
    whole, payload, end = len(first), len(first) + second.index(b"\tline") + 2, len(first + second)
    character = len(first) + second.index("é".encode()) + 1
    found = states_of(tmp_path, data, [whole + 30, payload, character, end])
    events = {
        manifest["live"]["logs"][0]["read_bytes"]: manifest["logs"][0]["event_count"]
        for manifest in found
        if manifest["logs"]
    }
    assert events == {whole + 30: 1, payload: 1, character: 1, end: 2, len(data): 3}
    assert all(row["diagnostics"] == {"year-unknown": 1} for manifest in found for row in manifest["logs"])


def test_kernels_whose_infos_come_later(tmp_path):
    """The info of a kernel may change with each record: the last one before its code applies, until one
    follows it, or there is none.
    """
    code = """
        inductor_output_code %s {"filename": "/tmp/%s.py"}
            | triton_0 = async_compile.triton('triton_0', 1)
            |     extern_kernels.mm(a, b)"""
    info = """
        artifact:triton_kernel_info %s
            | {"triton_0": {"compile_time_us": %d, "num_configs": 2, "autotune_cache_state": "miss"}}"""
    parts = [
        code % ("0/0", "a"),
        info % ("0/0", 1),
        code % ("0/0", "b"),
        info % ("1/0", 2),
        info % ("0/0", 3),
        code % ("1/0", "c"),
        code % ("2/0", "d"),
        info % ("2/0", 4),
    ]
    cuts = [len(log("".join(parts[:count]))) for count in range(1, len(parts))]
    found = states_of(tmp_path, log("".join(parts)), cuts)
    assert len(found) >= len(parts)


def test_a_large_payload_at_the_end_is_there_when_its_last_byte_is(tmp_path):
    """A record that nothing follows, as before a hang, with a payload of several blocks."""
    text = (
        "".join(random.Random(1).choices("abc\n", k=3 * BLOCK_BYTES))
        .strip("\n")
        .replace("\n\n", "\n")
        .replace("\n\n", "\n")
    )
    data = record("first {}") + record("dynamo_output_graph 0/0 {}", payload=text)
    found = states_of(tmp_path, data, [BLOCK_BYTES + 7, len(data) - 2])
    assert [manifest["logs"][0]["event_count"] for manifest in found if manifest["logs"]] == [1, 1, 2]


def test_an_open_compile_is_listed_until_it_ends(tmp_path):
    data = (
        traces.ROOT / "fixtures" / "killed" / "trace" / "dedicated_log_torch_trace_fixture0.log"
    ).read_bytes()
    found = states_of(tmp_path, data, range(0, len(data), len(data) // 6))
    running = [
        [row["function"] for row in manifest["live"]["logs"][0]["running"]]
        for manifest in found
        if manifest["logs"]
    ]
    assert ["finishes"] in running and running[-1] == ["never_finishes"]
    last = found[-1]["live"]["logs"][0]
    assert [span["name"] for span in last["running"][0]["spans"]] == [
        "dynamo",
        "entire_frame_compile",
        "compile_attempt_0",
        "backend_compile",
    ]
    assert last["last_record"]["kind"] == "chromium_event" and last["last_record"]["compile"] == "1/0"


def test_ranks_that_come_one_after_another(tmp_path):
    """Each state of a job has the rank analyses of the bytes read so far."""
    logs = discover([traces.ROOT / "fixtures" / "jobs" / "inside_compile"])
    folder, out, steps, states = tmp_path / "traces", tmp_path / "out", [], []
    for one in logs:
        data = content_of(one)
        steps += appending(folder / one.path.name.removesuffix(".zst"), data, [len(data) // 2])

    def on_state(manifest):
        states.append(len(manifest["logs"]))
        data = {
            row["source"]["name"]: (folder / row["source"]["name"]).read_bytes()[
                : row["source"]["size_bytes"]
            ]
            for row in manifest["logs"]
        }
        if len(data) > 1:
            for name, content in data.items():
                at = tmp_path / f"prefix {manifest['live']['counter']}" / name
                at.parent.mkdir(exist_ok=True)
                at.write_bytes(content)
            other = Bundle.open(build(discover([at.parent]), at.parent / "out", jobs=1).path)
            grown = Bundle.open(out)
            assert grown.manifest["job"] == other.job  # as it is stored
            stored = grown.manifest["rank_tables"].get("rank_findings", {"files": []})["files"]
            assert [
                row for file in stored for row in grown.file_rows("rank_findings", file)
            ] == other.rank_table("rank_findings")

    result = follow([folder], out, steps, on_state=on_state, codec="none")
    assert sorted(set(states)) == list(range(1, len(logs) + 1))
    assert snapshot(result.path) == snapshot(
        build(discover([folder]), tmp_path / "built", codec="none", jobs=1).path
    )


def test_urls(tmp_path):
    """A folder that is listed again and gets a rank later, and a server that cannot serve ranges."""
    memory, data, found = fsspec.filesystem("memory"), small_logs()[3], []
    names = [f"dedicated_log_torch_trace_rank_{rank}_x.log" for rank in range(3)]
    folder = f"memory://follow/{tmp_path.name}"
    memory.pipe_file(f"{folder}/{names[0]}", data[:2000])
    (tmp_path / names[2]).write_bytes(data[:2000])

    def later():
        memory.pipe_file(f"{folder}/{names[1]}", data)
        (tmp_path / names[2]).write_bytes(data)

    steps = {
        (2000, 2000): later,
        (2000, len(data), len(data)): lambda: memory.pipe_file(f"{folder}/{names[0]}", data),
    }

    def on_state(manifest):
        found.append(manifest["live"])
        steps.pop(tuple(sorted(row["read_bytes"] for row in found[-1]["logs"])), lambda: None)()

    def ended():
        return bool(found) and [row["read_bytes"] for row in found[-1]["logs"]] == 3 * [len(data)]

    with plain_server(tmp_path) as url:
        result = Follower([folder, f"{url}/{names[2]}"], tmp_path / "out", codec="none").run(ended, on_state)
    assert [live["problems"] for live in found] == [[]] * len(found)
    for name in names:
        (tmp_path / "traces" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "traces" / name).write_bytes(data)
    assert snapshot(result.path) == snapshot(
        build(discover([tmp_path / "traces"]), tmp_path / "built", codec="none", jobs=1).path
    )


def test_a_compressed_log_is_read_when_complete(tmp_path):
    data = gzip.compress(log("dynamo_start 0/0 {}"), mtime=0)
    path, found = tmp_path / "traces" / f"{NAME}.gz", []
    cut, rest = appending(path, data, [len(data) // 2])
    cut()

    def on_state(manifest):
        found.append((len(manifest["logs"]), [problem["code"] for problem in manifest["live"]["problems"]]))
        if found[-1] == (0, ["cut"]):
            rest()

    result = Follower([path.parent], tmp_path / "out", codec="none").run(
        lambda: found[-1:] == [(1, [])], on_state
    )
    assert (0, ["cut"]) in found
    assert snapshot(result.path) == snapshot(build(discover([path]), tmp_path / "built", codec="none").path)


def test_file_names_that_another_log_defines(tmp_path):
    uses = record('dynamo_start 0/0 {"stack": [{"line": 5, "name": "f", "filename": 1}]}')
    defines = record('str ["/p/a.py", 1]')
    folder = tmp_path / "traces"
    steps = [
        *appending(folder / "dedicated_log_torch_trace_b.log", uses, []),
        *appending(folder / "dedicated_log_torch_trace_a.log", defines + uses, []),
        *appending(folder / "dedicated_log_torch_trace_b.log", uses, []),
    ]
    result = follow([folder], tmp_path / "out", steps, codec="none")
    assert snapshot(result.path) == snapshot(
        build(discover([folder]), tmp_path / "built", codec="none", jobs=1).path
    )
    assert Bundle.open(result.path).log("b").compiles[1].row["file"] == "/p/a.py"


def test_a_log_that_does_not_grow_gets_no_further_state(tmp_path, monkeypatch):
    """Each state has bytes that the one before lacks, also when several turns pass between them."""
    monkeypatch.setattr(follower, "_FIND_S", 0.0)
    data = small_logs()[3]
    steps = appending(tmp_path / NAME, data, [len(data) // 3, len(data) // 2])
    sizes, turns = [], []

    def on_state(manifest):
        sizes.append(sum(row["read_bytes"] for row in manifest["live"]["logs"]))
        turns.clear()

    def ended():
        turns.append(1)
        if len(turns) == 10 and sizes[-1:] == [(tmp_path / NAME).stat().st_size]:
            if not steps:
                return True
            steps.pop(0)()
        return False

    steps.pop(0)()
    Follower([tmp_path / NAME], tmp_path / "out", codec="none").run(ended, on_state)
    assert sizes == sorted(set(sizes)) and sizes[-1] == len(data)


def test_a_server_is_asked_less_often_than_a_disk(tmp_path, monkeypatch):
    """Between two questions nothing is read from it; at the end everything is."""
    monkeypatch.setattr(growing_log, "_REMOTE_S", 1e9)
    monkeypatch.setattr(follower, "_FIND_URL_S", 0.0)
    memory, data, seen, turns = fsspec.filesystem("memory"), small_logs()[3], [], []
    place = f"memory://asked/{tmp_path.name}"
    memory.pipe_file(f"{place}/{NAME}", data[:2000])

    def ended():
        turns.extend([1] if seen else [])
        if len(turns) == 1:
            memory.pipe_file(f"{place}/{NAME}", data)
        return len(turns) > 20

    result = Follower([place], tmp_path / "out", codec="none").run(ended, seen.append)
    assert {row["read_bytes"] for manifest in seen for row in manifest["live"]["logs"]} == {2000}
    assert snapshot(result.path) == snapshot(fresh(data, tmp_path / "whole"))
