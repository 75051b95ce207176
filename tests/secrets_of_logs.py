"""Sixty secrets of all kinds, and one log that has each of them in each place that a log has for text."""

import base64
import json
import random
from dataclasses import dataclass
from unicodedata import normalize
from urllib.parse import quote

from log_builder import TIME, raw_record
from log_builder import record as record_of

_CONSONANTS, _VOWELS = "bcdfghjklmnpqrstvwxz", "aeiou"


@dataclass(frozen=True)
class Secret:
    kind: str
    text: str  # lone surrogates are bytes that are not UTF-8


def made(seed=7):
    """Return 60 secrets. The same seed gives the same ones."""
    some = random.Random(seed)

    def word(syllables=3):
        return "".join(some.choice(_CONSONANTS) + some.choice(_VOWELS) for _ in range(syllables)) + "x"

    def digits(count):
        return "".join(some.choices("123456789", k=count))

    def group(count, letters="ABCDEFGHJKLMNPQRSTUVWXYZ23456789"):
        return "".join(some.choices(letters, k=count))

    def hexadecimal(count):
        return "de" + "".join(some.choices("0123456789abcdef", k=count - 2))

    makers = {
        "a Chinese name of one character": lambda: chr(some.randrange(0x4E00, 0x9F00)),
        "a Chinese name of two characters": lambda: chr(some.randrange(0x4E00, 0x9F00)) * 2,
        "a Japanese name": lambda: "".join(chr(some.randrange(0x30A2, 0x30F0)) for _ in range(2)),
        "a Korean name": lambda: "".join(chr(some.randrange(0xAC00, 0xD7A0)) for _ in range(2)),
        "Devanagari with vowel signs": lambda: "".join(
            chr(some.randrange(0x0915, 0x0939)) + chr(some.randrange(0x093E, 0x0945)) for _ in range(3)
        ),
        "a Cyrillic name": lambda: "".join(chr(some.randrange(0x0430, 0x0450)) for _ in range(5)),
        "a name with accents": lambda: f"{word(2)}é{word(1)}ü",
        "text with zero-width spaces": lambda: "\u200b".join(word(4)),
        "a host name of a cloud": lambda: f"ip-10-{digits(2)}-{digits(2)}-2{digits(1)}4",
        "an address": lambda: f"10.{digits(2)}.{digits(2)}.2{digits(1)}4",
        "a card number": lambda: " ".join(digits(4) for _ in range(4)),
        "an account number": lambda: f"DE{digits(2)}{digits(16)}",
        "a phone number": lambda: f"+49 {digits(3)} {digits(4)}-{digits(4)}",
        "a MAC address with dashes": lambda: "-".join(hexadecimal(12)[at : at + 2] for at in range(0, 12, 2)),
        "a hexadecimal key": lambda: f"0x{hexadecimal(32).upper()}",
        "a license key in short groups": lambda: "-".join(group(3) for _ in range(5)),
        "a password of symbols": lambda: "".join(some.sample("!@#$%^&*~|?<>;+", 10)),
        "a password of all kinds": lambda: f"{group(2)}!{group(1)}@{group(2)}#{group(1)}$%{group(2)}",
        "a path that is not UTF-8": lambda: f"/srv/{word()}/caf\udce9_{word()}.py",
        "a fork of torch": lambda: f"/srv/{word()}/torch/_inductor/{word()}_pass.py",
        "a folder called torch": lambda: f"/home/{word()}/torch/{word()}/kernels.py",
        "a name of a function": lambda: f"{word()}_{word(2)}_forward",
        "a name of a class": lambda: f"{word().title()}{word(2).title()}Attention",
        "a token": lambda: f"ghp_{group(20, 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789')}",
        "an e-mail address": lambda: f"{word()}.{word(2)}@{word()}.example",
        "a URL": lambda: f"https://{word()}.example/{word()}?key={group(8)}",
        "a sentence": lambda: f"merge {word()} with the {word()} layers on {word()}",
        "a short name": lambda: some.choice(_CONSONANTS) + "y" + some.choice("qxz") + some.choice("qxz"),
        "JSON": lambda: json.dumps({word(): [word(), {"k": word()}]}),
        "a line of code": lambda: f"{word(2)} = self.{word()}({word(2)}, scale={digits(2)})",
    }
    return [Secret(kind, make()) for _ in range(2) for kind, make in makers.items()]


# How a redactor that copies or re-encodes text may leave it in a result.
WAYS = {
    "as it is": str,
    "escaped": lambda text: "".join(rf"\u{ord(unit):04x}" if ord(unit) < 0x10000 else unit for unit in text),
    "in base64": lambda text: base64.b64encode(
        f"some {text} more".encode("utf-8", "surrogateescape")
    ).decode(),
    "percent-encoded": lambda text: quote(text.encode("utf-8", "surrogateescape"), safe=""),
    "in nested JSON": lambda text: json.dumps({"a": json.dumps({"b": [text]})}),
    "with zero-width spaces": "\u200b".join,
    "decomposed": lambda text: normalize("NFD", text),
    "in capitals": lambda text: text if "\udce9" in text else text.upper(),
    "as bytes of Python": lambda text: repr(text.encode("utf-8", "surrogateescape")),
    "within a word": lambda text: f"kernel_{text}_0",
}


_json = json.dumps


def record(head, payload=None):
    return record_of(head, payload if payload is None else payload.encode("utf-8", "surrogateescape"))


def stacks(secrets):
    """Files, functions and lines of a stack, and the table of strings."""
    for number, secret in enumerate(secrets):
        yield record(f"str {_json([f'/w/{secret.text}/a.py', 900 + number])}")
    stack = [
        {"line": number, "name": secret.text, "filename": 900 + number, "loc": f"y = {secret.text}"}
        for number, secret in enumerate(secrets)
    ]
    for number, frame in enumerate(stack):
        yield record(f"dynamo_start 0/{number} {_json({'stack': [frame]})}")
    yield record(f"dynamo_start 1/0 {_json({'stack': stack})}")
    # Functions that torch does not have, in a file of torch.
    yield record(f"str {_json(['/opt/lib/python3.11/site-packages/torch/nn/modules/module.py', 800])}")
    patched = [{**frame, "filename": 800} for frame in stack]
    yield record(f"dynamo_start 1/1 {_json({'stack': patched})}")


def texts(secrets):
    """Guards, reasons of recompiles, graphs, generated code, graph breaks: payloads that tables parse."""
    all_lines = [secret.text.replace("\n", " ") for secret in secrets]
    guards = "\n".join(
        f"| +- GuardManager: source=L['{text}'], accessed_by=DictGetItemGuardAccessor('{text}')\n"
        f"| | +- EQUALS_MATCH: L['{text}'] == '{text}'  # {text}  # /w/{text}.py:3 in {text}"
        for text in all_lines
    )
    yield record(
        "artifact:dynamo_cpp_guards_str 1/0", f"\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n{guards}\n"
    )
    yield record(
        "artifact:recompile_reasons 1/1",
        _json([f"0/0: L['{text}'] == '{text}'  # {text}  # /w/{text}.py:3 in {text}" for text in all_lines]),
    )
    for event in ("dynamo_output_graph", "aot_forward_graph", "inductor_post_grad_graph"):
        body = "\n".join(
            f"        # File: /w/{text}.py:3 in {text}, code: y = {text}\n"
            f'        {text}: "f32[4]" = torch.ops.{text}.default(l_{text}_);  {text} = None'
            for text in all_lines
        )
        yield record(f"{event} 1/0", f"class GraphModule(torch.nn.Module):\n    def forward(self):\n{body}\n")
    code = "\n".join(
        f"# Source node to ATen node mapping:\n#   {text} => {text}\n"
        f"triton_poi_fused_{text}_0 = async_compile.triton('triton_poi_fused_{text}_0', '''{text}''')\n"
        f"        triton_poi_fused_{text}_0.run(arg0, '{text}')\n        torch.ops.{text}.default(buf0)"
        for text in all_lines
    )
    yield record(f"inductor_output_code 1/0 {_json({'filename': '/w/' + all_lines[0]})}", code)
    for text in all_lines:
        yield record(
            "artifact:dynamo_graph_break_reason 1/0",
            f'Graph break: {text}\n  Explanation: {text}\n  Hint: {text}\nUser stack:\n  File "/w/{text}.py", line 3,'
            f" in {text}\n    y = {text}\n",
        )


def metrics(secrets):
    """Fields of compilation_metrics, known and unknown, configurations, and messages of exceptions."""
    everything = {secret.text: secret.text for secret in secrets}
    for number, secret in enumerate(secrets):
        text = secret.text
        known = {
            "co_name": text,
            "co_filename": f"/w/{text}.py",
            "co_firstlineno": 3,
            "compile_id": f"2/{number}",
            "fail_type": text,
            "fail_reason": f"ValueError: {text}",
            "fail_user_frame_filename": f"/w/{text}.py",
            "restart_reasons": [text],
            "non_compliant_ops": [text],
            "stack_trace": [f"Line: 3, Name: {text}, Filename: /w/{text}.py"],
            "recompile_reason": f"0/0: L['{text}'] == 3",
            "exception_stack_trace": [f'File "/w/{text}.py", line 3, in {text}\n    {text}'],
            "graph_op_count": 3,
            "start_time_us": 1700000000000000 + number,
            "end_time_us": 1700000000000900 + number,
        }
        yield record(f"dynamo_start 2/{number} " + '{"stack": []}')
        yield record(f"compilation_metrics 2/{number} {_json({**known, text: text, 'of_ours': text})}")
    for key in ("dynamo_config", "inductor_config", "functorch_config", "compiler_config"):
        yield record(f"compilation_metrics 3/0 {_json({key: _json(everything)})}")


def spans(secrets):
    """Names and arguments of chromium events."""
    for number, secret in enumerate(secrets):
        for phase in "BE":
            event = {
                "name": secret.text,
                "ph": phase,
                "ts": 1700000000000000 + number,
                "pid": 0,
                "tid": secret.text,
                "cat": secret.text,
                "args": {
                    secret.text: secret.text,
                    "compile_id": "1/0",
                    "fn_name": secret.text,
                    "key": secret.text,
                },
            }
            yield record("chromium_event 1/0", _json(event))


def others(secrets):
    """Names of artifacts, tensors and sources, links, unknown events and keys, places of records, and lines
    that are not records.
    """
    for number, secret in enumerate(secrets):
        text = secret.text
        yield record(f"artifact 1/0 {_json({'name': text, 'encoding': 'json'})}", _json({text: [text]}))
        yield record(
            f"artifact 1/0 {_json({'name': 'notes', 'encoding': 'string'})}", text.replace("\n", " ")
        )
        tensor = {"id": number, "describer_id": 9, "ndim": 1, "dtype": text, "device": text, "size": [4]}
        yield record(
            f"describe_tensor 1/0 {_json({**tensor, 'stride': [1], 'storage': number, 'view_func': text})}"
        )
        yield record(f"describe_storage 1/0 {_json({'id': number, 'describer_id': 9, 'size': 16})}")
        yield record(f"describe_source 1/0 {_json({'describer_id': 9, 'id': number, 'source': text})}")
        yield record(f"link {_json({'name': text, 'url': f'https://{text}/'})}")
        yield record("some_new_event 1/0 " + _json({text: {text: text}}))
        yield raw_record(_json({text: {"a": text}, "frame_id": 1, "frame_compile_id": 0, "of_ours": text}))
        bare = text.encode("utf-8", "surrogateescape")
        yield raw_record('{"x": {}}').replace(b"torch/a.py", b"/w/" + bare.replace(b":", b"") + b".py")
        yield bare + b"\n"
        yield b"I0401 12:00:00.000000 7 a.py:3] " + bare + b"\n"


PLACES = (stacks, texts, metrics, spans, others)


def log_with(secrets):
    """Return the bytes of a log with all secrets in all places."""
    lines = [line for place in PLACES for line in place(secrets)]
    return b"".join(
        line.replace((TIME % 0).encode(), (TIME % min(number, 999999)).encode(), 1)
        for number, line in enumerate(lines)
    )


def file_names(secrets):
    """Return names of log files that have all secrets in them, where a file name can have them."""
    bare = [secret.text.replace("/", "_").replace("\n", "_") for secret in secrets]
    return [
        f"dedicated_log_torch_trace_rank_{at // 6}_{'_'.join(bare[at : at + 6])[:60]}.log"
        for at in range(0, len(bare), 6)
    ]
