"""Turn readable text into the bytes of a TORCH_TRACE log, so that a test shows its whole input.

    log('''
        str ["a.py", 0]
        dynamo_start 0/0 {"stack": [{"line": 1, "name": "f", "filename": 0}]}
        artifact:notes 0/0_1 @3
            | first line of the payload
            | and the second
        > a line that is kept as it is
    ''')

A record is an event, then a compile id, '@rank' and the JSON of its metadata, all of them optional.
Times increase by a millisecond per record.
"""

import hashlib
import json
import re
import textwrap

TIME = "0401 12:00:00.%06d"
_RECORD = re.compile(
    r"(?P<event>[\w.]+)(?::(?P<name>\S+))?(?: (?P<id>(?:!\d+/?)?(?:\d+/\d+)?(?:_\d+)?))?(?:"
    r" @(?P<rank>\d+))?(?: (?P<value>[{\[].*))?$"
)
_ID = re.compile(r"(?:!(\d+)/?)?(?:(\d+)/(\d+))?(?:_(\d+))?$")


def log(text):
    """Return the log that the text describes (see the module)."""
    out, pending, count = [], None, 0

    def flush():
        nonlocal pending, count
        if pending:
            head, payload = pending
            out.append(
                record(
                    head, payload=None if payload is None else "\n".join(payload), time=TIME % (count * 1000)
                )
            )
            pending, count = None, count + 1

    for line in textwrap.dedent(text).strip("\n").split("\n"):
        line = line.strip()
        if line.startswith("|"):
            pending = pending[0], [*(pending[1] or []), line[1:].removeprefix(" ")]
            continue
        flush()
        if line.startswith(">"):
            out.append(line[1:].removeprefix(" ").encode() + b"\n")
        elif line:
            pending = line, None
    flush()
    return b"".join(out)


def record(head, payload=None, *, md5=None, time=TIME % 0, pid=7, place="torch/a.py:1", **context):
    """Return one record; ``head`` as in the text. ``md5`` replaces the correct one, ``context`` adds keys."""
    part = _RECORD.match(head)
    assert part, f"not a record: {head!r}"
    value = json.loads(part["value"]) if part["value"] else {}
    if part["name"]:
        value = {"name": part["name"], "encoding": "string", **value}
    fields = {part["event"]: value}
    if part["id"]:
        ids = zip(
            ("compiled_autograd_id", "frame_id", "frame_compile_id", "attempt"),
            _ID.match(part["id"]).groups(default=None),
            strict=False,
        )
        fields |= {key: int(number) for key, number in ids if number is not None}
        fields.setdefault("attempt", 0)
    if part["rank"]:
        fields["rank"] = int(part["rank"])
    return raw_record(json.dumps({**fields, **context}), payload, md5=md5, time=time, pid=pid, place=place)


def raw_record(envelope, payload=None, *, md5=None, time=TIME % 0, pid=7, place="torch/a.py:1"):
    """Return a record with this text as its envelope, plus ``has_payload`` when there is a payload."""
    envelope = envelope.encode() if isinstance(envelope, str) else envelope
    lines = b""
    if payload is not None:
        payload = payload.encode() if isinstance(payload, str) else payload
        digest = md5 or hashlib.md5(payload).hexdigest()
        envelope = envelope[:-1] + b', "has_payload": "%s"}' % digest.encode()
        lines = b"\t" + payload.replace(b"\n", b"\n\t") + b"\n"
    return f"V{time} {pid} {place}] ".encode() + envelope + b"\n" + lines


def span(name, phase, ts, compile_id=""):
    """Return a chromium event at ``ts`` microseconds since 1970."""
    return record(
        f"chromium_event {compile_id}".strip(),
        payload=json.dumps({"name": name, "ph": phase, "ts": ts, "pid": 0, "tid": 0}),
    )


# Records missing from all fixtures, each with its own table.
RARE = log("""
link {"name": "cprofile_manifold_url", "url": "https://example.org"}
artifact:triton_kernel_info 0/0
    | {"triton_0": {"compile_time_us": 5, "num_configs": 2, "autotune_cache_state": "miss"}}
artifact:fx_bucketing_passes_all_gather_buckets 0/0
    | [[a, b]]
artifact:pre_bucketing_collective_sizes 0/0
    | [{"type": "AG", "size_mb": 1, "name": "a"}]
artifact:pge_profile_vs_analytical 0/0
    | {"collective_count": 0, "op_count": 0, "op_entries": []}
artifact:fx_compute_nodes_runtime_estimation 0/0
    | Node,Flops
    | mm,1
artifact:min_cut_failed_svg 0/0
    | <svg/>
artifact:aot_joint_graph_sync_decision_cross_ranks 0/0
    | picked_rank_idx=0, saved_nodes of current rank={'a': 1}
artifact:invoke_subgraph_backward_duplicate 0/0
    | {}
compilation_metrics_runtime 0/0 {"duration_us": 3}
""")
