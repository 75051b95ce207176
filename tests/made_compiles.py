"""Records of compiles and recompiles that are made, and the findings about them."""

import json

from jsonschema import Draft202012Validator
from log_builder import record
from tlparse_bundle.bundle.schemas import schema


def start(compile_id, function, line, file=0):
    return record(
        f'dynamo_start {compile_id} {{"stack": [{{"line": {line}, "name": "{function}", "filename":'
        f" {file}}}]}}"
    )


def metrics(compile_id, function="f", **values):
    values = {
        "co_name": function,
        "co_filename": "/p/a.py",
        "co_firstlineno": 1,
        "start_time_us": 1,
        "dynamo_cumulative_compile_time_us": 1000,
        **values,
    }
    return record(f"compilation_metrics {compile_id} {json.dumps(values)}")


def compiled(compile_id, *reasons, function="f", **values):
    """Return the records of a function's compile, and the reasons of its recompile."""
    payload = None
    if reasons:
        payload = reasons[0] if len(reasons) == 1 else "[\n" + ",\n".join(map(json.dumps, reasons)) + "\n]"
    why = record(f"artifact:recompile_reasons {compile_id}", payload=payload) if reasons else b""
    return why + start(compile_id, function, 1) + metrics(compile_id, function, **values)


FILE = record('str ["/p/a.py", 0]')


def size(failed, expected, actual, name="x"):
    return f"{failed}: tensor '{name}' size mismatch at index 0. expected {expected}, actual {actual}"


def of(log, kind):
    rows = [row for row in log.findings() if row["kind"] == kind]
    about = Draft202012Validator(
        {**schema("findings")["$defs"]["details"]["properties"][kind], "$defs": schema("findings")["$defs"]}
    )
    assert [error.message for row in rows for error in about.iter_errors(row["details"])] == []
    return rows
