"""Rows of findings, changes and outcomes of checks, with the fields that reports print."""

from types import SimpleNamespace

from tlparse_bundle.statements.runs.check.limits import Outcome


def finding(**fields):
    return {
        "id": 0,
        "kind": "recompile",
        "severity": "warning",
        "title": "`f` recompiled twice",
        "text": "One paragraph.",
        "function": "f",
        "file": "train.py",
        "line": 12,
        "cost_us": None,
        "cost_of": None,
        "remedies": [],
        "because_of": None,
        "fingerprint": "0" * 16,
        "count": 2,
        **fields,
    }


def remedy(text, *, source="tlparse-bundle", code=None):
    return {"text": text, "source": source, "code": code}


def section(*findings, name="x", text="The headline.", left_out=0, log=None):
    return SimpleNamespace(name=name, summary={"text": text}, findings=findings, left_out=left_out, log=log)


def change(**fields):
    return {
        "kind": "finding",
        "change": "new",
        "severity": "warning",
        "title": "`f` recompiled",
        "text": "",
        "function": "f",
        "file": "train.py",
        "line": 12,
        "cost_us": None,
        "because_of": None,
        "details": {},
        **fields,
    }


def compared_log(*changes, id="x", rank=None, run_time=None):
    side = {"id": id}
    return {"base": side, "new": side, "rank": rank, "changes": list(changes), "run_time": run_time}


def document(*logs, text="The net result.", notes=()):
    return {"summary": {"text": text, "notes": list(notes)}, "logs": list(logs)}


def outcome(result, *findings, rule="max-breaks", log="", text="1 graph break, at most 0"):
    return Outcome(rule, log, result, text, findings)


CAUSE = finding(
    id=1,
    severity="error",
    text="First line\nsecond line.\n\nSecond paragraph.",
    cost_us=1_500_000,
    cost_of="compile time",
    remedies=[remedy("Do this.", code="mark_dynamic(x, 0)"), remedy("Or that.", source="torch")],
)
EFFECT = finding(id=2, title="`g` recompiled", file="model.py", line=3, because_of=1)
OTHER = finding(id=3, severity="info", title="A note", text="", file=None, line=None)

RUN_TIME = {
    "missing": None,
    "base_us": 2000,
    "new_us": 3000,
    "kernels": [
        {"change": "worse", "base_name": "k0", "new_name": "k1", "base_us": 1000, "new_us": 2000},
        {"change": "same", "base_name": "k", "new_name": "k", "base_us": 1, "new_us": 1},
        {"change": "new", "base_name": None, "new_name": "k2", "base_us": None, "new_us": 10},
        {"change": "gone", "base_name": "k3", "new_name": None, "base_us": 10, "new_us": None},
        {"change": "better", "base_name": "k4", "new_name": "k4", "base_us": 20, "new_us": 10},
    ],
    "lines": [
        {"change": "worse", "code": "y = x + 1", "file": "/p/a.py", "line": 3, "base_us": 1, "new_us": 2},
        {"change": "same", "code": "z", "file": "/p/a.py", "line": 4, "base_us": 1, "new_us": 1},
        {"change": "new", "code": None, "file": "/p/a.py", "line": 5, "base_us": None, "new_us": 2},
    ],
}
