"""The preview of a redaction: texts that a bundle has, and places that look like a secret."""

import pytest
from log_builder import log
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.redact import preview as preview_module
from tlparse_bundle.redact.policy import policy
from tlparse_bundle.redact.preview import _at, preview


@pytest.fixture
def bundle(tmp_path):
    path = tmp_path / "dedicated_log_torch_trace_x.log"
    path.write_bytes(log("dynamo_start 0/0\n artifact:a 0/0\n | text"))
    build(discover([path]), tmp_path / "out", jobs=1)
    return Bundle.open(tmp_path / "out")


@pytest.mark.parametrize("count", [0, 1, preview_module._SHOWN, preview_module._SHOWN + 1002])
def test_places_beyond_a_limit_are_counted(bundle, monkeypatch, count):
    monkeypatch.setattr(preview_module, "_found", lambda *_: [f"Key in {number}" for number in range(count)])
    lines = list(preview(bundle, policy(keep=["payloads"])))
    at = next(number for number, line in enumerate(lines) if line.startswith("Looks like a secret: "))
    shown = min(count, preview_module._SHOWN)
    noun = "place" if count == 1 else "places"
    assert lines[at] == f"Looks like a secret: {count:,} {noun}" + (":" if count else ".")
    assert lines[at + 1 : at + 1 + shown] == [f"  Key in {number}" for number in range(shown)]
    assert lines[at + 1 + shown :] == (["  … and 1,002 more"] if count > shown else [])


def test_nothing_is_searched_when_nothing_is_kept(bundle, monkeypatch):
    monkeypatch.setattr(preview_module, "_found", lambda *_: pytest.fail("nothing is kept"))
    assert not any("Looks like a secret" in line for line in preview(bundle, policy()))


@pytest.mark.parametrize(
    ("value", "keys", "expected"),
    [
        ("x", [], ["x"]),
        (3, [], ["3"]),
        (None, [], []),
        ("x", ["a"], []),
        ({"a": "x", "b": "y"}, ["a"], ["x"]),
        ({"a": [{"b": "x"}, {"b": None}, {"b": "y"}]}, ["a", "b"], ["x", "y"]),
        ({"k": {"b": "x"}, "l": {"b": "y"}}, ["b"], ["x", "y"]),
        ({"a": {"k": 1, "l": 2}}, ["a"], ["k=1", "l=2"]),
        (["x", ["y"]], [], ["x", "y"]),
    ],
)
def test_texts_at_a_path(value, keys, expected):
    assert list(_at(value, keys)) == expected
