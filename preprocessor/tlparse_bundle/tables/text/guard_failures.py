"""Parses guard failures: torch's text for one cache entry.

torch/_dynamo/guards.py (get_guard_fail_reason_helper, get_verbose_code_part) puts the id of the entry's
compile before the guard; torch/csrc/dynamo/guards.cpp (TensorCheck::check_verbose) writes tensor
mismatches. Since torch 2.7 ``L['x']`` is written as ``x`` (strip_local_scope).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypedDict

from tlparse_bundle.bundle.json_codec import loads
from tlparse_bundle.guards.expressions import normalised
from tlparse_bundle.guards.predicates import without_comment
from tlparse_bundle.log.json_text import parse_json
from tlparse_bundle.tables.text.record_values import cut, frames_in

if TYPE_CHECKING:

    class ChangeFields(TypedDict):
        change: Change
        dimension: int | None
        expected: int | str | None
        actual: int | str | None

    class ReasonFields(ChangeFields):
        entry: str | None
        guard: str
        source: str | None
        comment: str | None
        file: str | None
        line: int | None
        function: str | None
        source_line: str | None
        user_traceback: str | None


Change = Literal[
    "size",
    "stride",
    "rank",
    "dtype",
    "device",
    "requires_grad",
    "dispatch_keys",
    "shape",
    "value",
    "flag",
    "type",
    "identity",
    "length",
    "keys",
    "attribute",
    "aliasing",
    "global_state",
    "backend",
    "other",
]

_TUPLE = "[("  # as the key of a dict
_MAX_GUARD = 2000  # characters in which the change is looked for
_USER_STACK = "\nUser stack trace:\n"
_ID = re.compile(r"(?P<id>!?\d{1,15}(?:/\d{1,15}){0,2})(?:_\d{1,15})?: (?P<rest>.*)$", re.DOTALL)
_PLACE = re.compile(r"(?:^|  # )(?P<file>[^#\n]*?):(?P<line>\d{1,9}) in (?P<function>\S+)")
_NUMBER = re.compile(r"-?\d{1,15}$")

_TENSOR = re.compile(
    r"(?:tensor )?'(?P<source>.*)' (?:Tensor )?(?P<what>size|stride|rank|dtype|requires_grad|dispatch key"
    r" set|device index)s? mismatch"
    r"(?: at index (?P<index>\d{1,4}))?[.:]? ?(?P<rest>.*)$",
    re.DOTALL,
)
_EXPECTED = re.compile(
    r"expected (?:requires_grad=|device index to be )?(?P<expected>.*?)(?:, actual"
    r" (?P<actual>.*?))?(?P<advice>\. Guard failed on .*)?$",
    re.DOTALL | re.IGNORECASE,
)
_TENSOR_CHANGES: dict[str, Change] = {
    "size": "size",
    "stride": "stride",
    "rank": "rank",
    "dtype": "dtype",
    "requires_grad": "requires_grad",
    "dispatch key set": "dispatch_keys",
    "device index": "device",
}
_NO_TENSOR = re.compile(
    r"expected type of '(?P<source>.*)' to be (?:a tensor type|(?P<expected><class '[^']*'>))(?:, )?'? ?"
    r"(?:but found (?P<actual>.*))?",
    re.DOTALL,
)
_SIZE = re.compile(r"\.size\(\)\[(?P<index>\d{1,4})\]")
_FACTORS = re.compile(r"^(?:[(*-]|\d+\*)+")  # before a name, as in "3*x.size()[0]"
_STATIC_SIZE = re.compile(
    r"(?P<source>\S+)\.(?P<what>size|stride)\(\)\[(?P<index>\d{1,4})\] == (?P<expected>\d{1,15})$"
)
# A condition on one number, whose value in the entry is not in the text: "(1.0 + ((-1)*m)) == 0.5", "2 <= n"
_NAME = r"(?<![\w.])[A-Za-z_][\w.\[\]'\"]*"
_NAMES = re.compile(_NAME)
_AT_LEAST_TWO = re.compile(rf"2 <= ({_NAME})")
_ARITHMETIC = re.compile(r"[-+*/(). \de]*")
_FLOAT = re.compile(r"-?\d[-+.\de]*")
_FORMS: tuple[tuple[Change, str], ...] = (
    ("global_state", r"GLOBAL_STATE changed: (?P<source>.*)"),
    (
        "global_state",
        r"___check_(?:global_state|torch_function_mode_stack|current_backend)\(|utils_device\.CURRENT_DEVICE|"
        r"torch\._functorch|torch\.autograd",
    ),
    ("aliasing", r"Duplicate tensors? found:? ?(?P<source>.*)"),
    ("aliasing", r"(?:Duplicate tensor|check_no_aliasing|check_overlapping)"),
    ("backend", r"BACKEND_MATCH failure"),
    # A source can end with a key, as in "x[(1, 2)]", and a type with the value of an Enum.
    ("identity", r"___check_obj_id\((?P<source>.*?), \d+\)(?=, type=|\s|$)"),
    (
        "type",
        r"___check_(?:type_id|fake_script_type)\((?P<source>.*?), \d+\)(?:, type=(?P<expected>.*)|(?=\s|$))",
    ),
    ("type", r"(?:\w+: Not a \w+ on (?P<source>.*)|TYPE_MISMATCH\((?P<source2>.*)\)$)"),
    ("keys", r"(?P<no>not )?___dict_contains\((?P<expected>.*), (?P<source>[^,]+)\)"),
    ("keys", r"list\((?:dict\.keys\((?P<source>.*)\)|(?P<source2>.*)\.keys\(\))\) == (?P<expected>.*)"),
    ("keys", r"___dict_version\((?P<source>.*)\) == |KeyError on (?P<source2>.*)"),
    ("attribute", r"(?:not )?hasattr\((?P<source>.*), (?P<expected>'\w*')\)"),
    ("length", r"(?:len|___tuple_iterator_len)\((?P<source>.*)\) [!=]= (?P<expected>\d+)"),
    ("length", r"not (?P<source>[^\s=]+)$|IndexError on (?P<source2>.*)"),
    ("flag", r"(?P<source>.+?) == (?P<expected>True|False)$"),
    ("value", r"(?P<source>.+?) (?:is|==) (?P<expected>(?:not )?None)$"),
    ("aliasing", r"(?P<source>\S+ is \S+)$"),
    ("value", r"(?P<source>.+?) == (?P<expected>.+)"),
)
_PATTERNS = tuple((change, re.compile(form, re.DOTALL)) for change, form in _FORMS)


def read_reasons(text: str) -> tuple[list[str], bool]:
    """Return (reasons, whether the whole payload was understood) of recompile_reasons.

    One reason is plain text, several are a JSON list with an element per line, both labeled json. From a
    damaged list, complete elements count.
    """
    if not text.startswith("["):
        return [text], _ID.match(text) is not None
    try:
        reasons = parse_json(text)
    except ValueError:
        lines: list[str] = []
        complete = True
        for line in text.split("\n"):
            if line.startswith('"'):
                try:
                    lines.append(loads(line.removesuffix(",")))
                except ValueError:
                    complete = False
        return lines, complete and bool(lines)
    texts = [reason for reason in reasons if type(reason) is str]
    return texts, len(texts) == len(reasons)


def parse_reason(text: str) -> ReasonFields:
    """Return the fields of a row of 'recompile_reasons' from the text of a reason; 'entry' is torch's
    compile id.
    """
    text, _, user_stack = text.partition(_USER_STACK)
    match = _ID.match(text)
    guard, comment = match["rest"] if match else text, ""
    condition, after = without_comment(guard)
    if after is not None:
        guard, comment = condition, after
    elif " (HINT: " in guard:
        guard, _, comment = guard.partition(" (HINT: ")
        comment = f"(HINT: {comment}"
    guard = guard.strip()
    source, change = parse_change(guard)
    fields: ReasonFields = {
        "entry": match and match["id"],
        "guard": cut(guard),
        "source": cut(source),
        **change,
        "comment": cut(comment.strip()) or None,
        "file": None,
        "line": None,
        "function": None,
        "source_line": None,
        "user_traceback": cut(user_stack.rstrip()) or None,
    }
    frames = frames_in(user_stack)
    place = _PLACE.search(comment)
    if frames:  # with the whole path, which the comment lacks
        fields["file"], fields["line"], fields["function"], fields["source_line"] = frames[-1]
    elif place:
        fields["file"] = cut(place["file"])
        fields["line"] = int(place["line"])
        fields["function"] = cut(place["function"])
        fields["source_line"] = cut(comment[: place.start()].strip()) or None
    return fields


def parse_change(guard: str) -> tuple[str | None, ChangeFields]:
    """Return source and change of a guard: 'change', 'dimension', 'expected' and 'actual' of
    'recompile_reasons'.
    """
    guard = guard[:_MAX_GUARD]
    match = _TENSOR.match(guard)
    if match:
        change = _TENSOR_CHANGES[match["what"]]
        values = _EXPECTED.match(match["rest"])
        expected, actual = (values["expected"], values["actual"]) if values else (None, None)
        if change == "requires_grad" and actual is None and expected in ("0", "1"):
            actual = "1" if expected == "0" else "0"  # torch does not write it
        source = match["source"]
        # In the spelling of guards: "d['a', 0]" for "d[('a', 0)]".
        source = normalised(source) if _TUPLE in source else source
        return source, _change_fields(change, expected, actual, match["index"])
    if match := _NO_TENSOR.match(guard):
        return match["source"], _change_fields("type", match["expected"] or "a tensor", match["actual"])
    if match := _STATIC_SIZE.match(guard):
        return match["source"], _change_fields(
            _TENSOR_CHANGES[match["what"]], match["expected"], None, match["index"]
        )
    if match := _SIZE.search(guard):
        source = _FACTORS.sub("", guard[: match.start()].rpartition(" ")[2])
        return source or None, _change_fields("shape", None, None, match["index"])
    if ".stride()[" in guard or ".storage_offset()" in guard:
        return None, _change_fields("shape", None, None)
    if (number := _conditioned_number(guard)) is not None:
        return number, _change_fields("value", None, None)
    for change, pattern in _PATTERNS:
        if match := pattern.match(guard):
            groups = match.groupdict()
            name = groups.get("source") or groups.get("source2")
            expected = groups.get("expected")
            if change == "keys" and expected is not None:
                expected = f"{groups.get('no') or ''}{expected}"
            if change == "length" and guard.startswith("not "):  # torch/_dynamo/guards.py, SEQUENCE_LENGTH
                expected = "0"
            return name and name.strip(), _change_fields(change, expected, None)
    return None, _change_fields("other", None, None)


def _conditioned_number(guard: str) -> str | None:
    """Return the only name in a condition that compares arithmetic on it with a number; None for others."""
    if match := _AT_LEAST_TWO.fullmatch(guard):
        return match[1]
    expression, _, value = guard.partition(" == ")
    if not (expression.startswith("(") and expression.endswith(")") and _FLOAT.fullmatch(value)):
        return None
    names = set(_NAMES.findall(expression))
    is_arithmetic = _ARITHMETIC.fullmatch(_NAMES.sub("", expression))
    return names.pop() if len(names) == 1 and is_arithmetic else None


def _change_fields(
    change: Change, expected: str | None, actual: str | None, index: str | None = None
) -> ChangeFields:
    return {
        "change": change,
        "dimension": None if index is None else int(index),
        "expected": _value(expected),
        "actual": _value(actual),
    }


def _value(text: str | None) -> int | str | None:
    if text is None:
        return None
    text = text.strip()
    return int(text) if _NUMBER.match(text) else cut(text)
