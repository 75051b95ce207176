"""Find a log's strings in files: a second opinion on redaction, which shares no code with it.

Only the word lists that torch and Python publish are shared; `tests/redact/test_public_words.py` checks them
against torch.
"""

import base64
import binascii
import builtins
import gzip
import json
import keyword
import re
import sys
from functools import cache
from importlib.resources import files
from urllib.parse import unquote

import zstandard

_LINE = re.compile(r"^[A-Z]\d{4} \d\d:\d\d:\d\d[.,]\d{6} +\d+ (.+?):\d+\] (.*)$", re.DOTALL)
_TOKEN = re.compile(r"\w+")
_WORD = re.compile(r"\w*[^\W\d]\w*")
_RUN = re.compile(r"[^\W\d_]{3,}")  # words are joined with underscores and numbers: dim_7, fused_add
_HASH = re.compile(
    r"(?=[a-z2-7]*[2-7])[a-z2-7]{26,}|(?=[0-9a-f]*\d)(?:0x)?[0-9a-f]+", re.IGNORECASE
)  # all of it or nothing, numbers included
_IN_FILE = re.compile(r'File "([^"\n]+)", line \d+(?:, in ([^\n]+))?\n[ \t#|]*(?!File ")([^\n]+)')
_CODE = re.compile(r"File: ([^\n]+?):\d+ in ([^\n,]+), code: ([^\n]*)")
_GUARD = re.compile(r"# ([^\n#]*\S[^\n]*?)  # ([^\s:][^\n:]*\.py):\d+ in ([^\n]+?)(?=$|\n|\\n|\"|')")
_LOCAL = re.compile(r"\b[LG]\[\\*['\"](\w+)\\*['\"]\]")
_MEMBER = re.compile(r"\._(?:modules|parameters|buffers)\[\\*['\"](\w+)\\*['\"]\]")
_PATH = re.compile(r"(?<![\w/.:])(?:[A-Za-z]:)?[~.]*(?:[\\/]+[\w.@+=~-]+){2,}[\\/]?")
_HOME = re.compile(r"(?:/home/|/Users/|\\Users\\|torchinductor_)([\w.-]+)")
_ADDRESS = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])")
_URL = re.compile(r"\w+://[^\s'\"<>()\[\]{}\\,]+")
_PUBLIC_URL = re.compile(
    r"https?://(?:docs\.|dev-discuss\.)?pytorch\.org/|https?://github\.com/pytorch/|https?://meta-pytorch\.github\.io/|https://example\.invalid"
)
_PRIVATE = (
    "_dynamo",
    "_inductor",
    "_functorch",
    "_subclasses",
    "_higher_order_ops",
    "_logging",
    "_export",
)  # folders of torch
_PUBLIC_PATHS = (
    "//deeplearning/fbgemm/fbgemm_gpu",
)  # torch/_dynamo/debug_utils.py writes it into repro scripts
_FILE = re.compile(r"[\w@./\\+-]*[/\\][\w@.+-]+")
_PUBLIC_PATH = re.compile(
    r"(?:^|/)(?:torch|torchgen|functorch|triton)/|(?:^|/)(?:python3(?:\.\d+)?t?|Lib)/(?!site-packages|dist-packages)"
)


def texts_of_log(data):
    """Yield every string of a log: keys and values of records and JSON payloads (nested JSON included), other
    payload lines, and damaged lines.
    """
    seen = set()
    payload = []

    def end():
        if payload:
            yield from strings("\n".join(payload))
            payload.clear()

    for line in data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n"):
        if line.startswith("\t"):
            payload.append(line[1:])
            continue
        for text in (*end(), *_of_line(line)):
            if text not in seen:
                seen.add(text)
                yield text
    for text in end():
        if text not in seen:
            seen.add(text)
            yield text


def _of_line(line):
    match = _LINE.match(line)
    if match is None:
        yield line
    else:
        yield match[1]
        yield from strings(match[2])


def strings(text):
    """Yield the strings of JSON at any depth, those of nested JSON strings, and other text as it is."""
    if text.lstrip()[:1] in ("{", "[", '"'):
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            pass
        else:
            yield from _strings(value)
            return
    yield text


def _strings(value):
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            if item[:1] in "{[" and item[:1]:
                yield from strings(item)
            else:
                yield item
        elif isinstance(item, list):
            todo += item
        elif isinstance(item, dict):
            todo += item
            todo += item.values()


def records_of_log(data):
    for line in data.decode("utf-8", "replace").split("\n"):
        match = _LINE.match(line)
        if match:
            try:
                yield json.loads(match[2], strict=False)
            except ValueError:
                continue


def files_of_log(data):
    """Return {number: name} of the files that records reference by number."""
    pairs = (
        record["str"]
        for record in records_of_log(data)
        if isinstance(record, dict) and isinstance(record.get("str"), list)
    )
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}


def frames_of_log(data, table):
    """Yield (file, function, line of code) of all stacks of a log, from its records and its text; ``table``
    as in files_of_log.
    """
    todo = list(records_of_log(data))
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo += item
        elif isinstance(item, dict):
            todo += item.values()
            if "filename" in item and "name" in item:
                file = (
                    table.get(item["filename"], item["filename"])
                    if isinstance(item["filename"], int)
                    else item["filename"]
                )
                yield str(file), str(item["name"]), str(item.get("loc") or "")
            if "co_filename" in item:
                yield str(item["co_filename"]), str(item.get("co_name") or ""), ""
    for text in texts_of_log(data):
        if "File" in text or "  # " in text:
            yield from _IN_FILE.findall(text)
            yield from _CODE.findall(text)
            yield from ((path, function, code) for code, path, function in _GUARD.findall(text))


@cache
def is_public_path(path):
    path = path.replace("\\", "/")
    return (
        _PUBLIC_PATH.search(path) is not None
        or path.startswith("<frozen ")
        or path in _torch_files()
        or path.split("/")[0] in _PRIVATE
    )


@cache
def _torch_files():
    """Guards name torch's files by their path inside torch."""
    return {path for path in listed("files") if "/" in path}


def listed(*names):
    folder = files("tlparse_bundle.redact") / "words"
    return {word for name in names for word in (folder / f"{name}.txt").read_text("utf-8").split()}


def python_words():
    kinds = (
        object,
        type,
        int,
        str,
        list,
        dict,
        tuple,
        set,
        bytes,
        float,
        BaseException,
        property,
        type(strings),
        type(sys),
    )
    return {
        *keyword.kwlist,
        *keyword.softkwlist,
        *dir(builtins),
        *sys.stdlib_module_names,
        *(name for kind in kinds for name in dir(kind)),
    }


class Public:
    """Words that anyone may use: those of Python, torch and this package, which fill a bundle."""

    CODE = frozenset(
        {"listcomp", "setcomp", "dictcomp", "genexpr", "lambda"}
    )  # Python's names for code without a name
    MADE = frozenset(
        {"fn", "Class", "module", "tensor", "name", "file", "folder", "source", "string"}
    )  # placeholders

    def __init__(self):
        words = listed("ours", "prose", "operators", "torch") | python_words() | self.MADE | self.CODE
        words |= {part for path in listed("files") for part in _TOKEN.findall(path)}
        self.tokens = words
        self.runs = {run for word in words for run in _RUN.findall(word)}
        self.usable = (
            listed("ours", "prose", "operators")
            | python_words()
            | self.MADE
            | self.CODE
            | {"torch", "triton"}
        )  # even as names of a program


class PrivateText:
    """Private text of the logs: ``runs`` of letters and ``tokens`` unknown to any publication, ``names``,
    ``paths``, ``lines``, ``addresses``.
    """

    def __init__(self, public, logs):
        self.public = public
        self.of_torch = set()  # words from its files, which stacks quote
        self.runs, self.tokens, self.names, self.paths, self.lines, self.addresses = (set() for _ in range(6))

        shared = {}  # the log of another process may have them
        for data in logs:
            shared |= files_of_log(data)
        for data in logs:
            self._log(data, shared | files_of_log(data))
        known = {run for word in self.of_torch for run in _RUN.findall(word)}
        self.runs -= known

    def _log(self, data, files):  # noqa: C901 - one branch for each place of a name
        public = self.public
        for text in texts_of_log(data):
            for path in _PATH.findall(text):
                if not is_public_path(path):
                    self.paths.add(path)
            for name in (
                *_LOCAL.findall(text),
                *_MEMBER.findall(text),
                *(part for home in _HOME.findall(text) for part in _TOKEN.findall(home)),
            ):
                self._name(name)
            for url in _URL.findall(text):
                if not _PUBLIC_URL.match(url):
                    self.addresses.add(url)
            self.addresses.update(_ADDRESS.findall(text))
            for token in set(_TOKEN.findall(text)):
                if token in public.tokens:
                    continue
                if _HASH.fullmatch(token):
                    if (
                        len(token) > 6 and not token.isdigit() and token[:2] != "0x"
                    ):  # addresses in memory are numbers
                        self.tokens.add(token)
                else:
                    self.runs.update(run for run in _RUN.findall(token) if run not in public.runs)
        for file, function, code in frames_of_log(data, files):
            if is_public_path(file):
                self.of_torch.update(_TOKEN.findall(f"{file} {function} {code}"))
                continue
            for name in _TOKEN.findall(function.partition(" (")[0]):  # torch's folder comes after it
                self._name(name)
            if file.count("/") + file.count("\\") > 1:
                self.paths.add(file)
            if len(_WORD.findall(code)) > 3:
                self.lines.add(code.strip())

    def _name(self, name):
        name = re.sub(r"^torch_dynamo_resume_in_(.+)_at_\d+$", r"\1", name)
        if (
            len(name) > 2
            and not name.isdigit()
            and name not in self.public.usable
            and not re.fullmatch(r"__\w+_\d+(_c\d+)?|__import_\w+", name)
        ):
            self.names.add(name)


def unpacked(path):
    data = path.read_bytes()
    if path.suffix == ".zst":
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)
    return gzip.decompress(data) if path.suffix == ".gz" else data


def logs_at(path):
    """Yield the bytes of a log, or of all logs in a folder."""
    paths = (
        [path]
        if path.is_file()
        else sorted(file for file in path.rglob("*") if file.is_file() and ".log" in file.name)
    )
    return [unpacked(file) for file in paths]


def texts_of_bundle(folder):
    """Yield all files of a bundle and their names, except the schemas, which are the same in each."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    yield "\n".join(path.relative_to(folder).as_posix() for path in paths)
    yield from (
        unpacked(path).decode("utf-8", "replace")
        for path in paths
        if not path.name.startswith("schemas.json")
    )


_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrtbf])|([/"\'\\]))')
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")


def _plain(match):
    return chr(int(match[1] or match[2], 16)) if match[1] or match[2] else " " if match[3] else match[4]


def forms(text):
    """Yield all forms of a text: as is, unescaped (nested strings too), percent-decoded, and decoded base64
    in it.
    """
    yield text
    before = text
    for _ in range(3):
        after = _ESCAPE.sub(_plain, before)
        if after == before:
            break
        yield after
        before = after
    if "%" in before:
        yield unquote(before)
    for run in set(_BASE64.findall(before)):
        try:
            data = base64.b64decode(run.replace("-", "+").replace("_", "/") + "=" * (-len(run) % 4))
            yield data.decode("utf-8")
        except (binascii.Error, ValueError):
            continue


def left_over(private_text, texts):
    """Return {kind: private text that the texts still contain}."""
    left = {"words": set(), "names": set(), "paths": set(), "lines": set(), "addresses": set()}
    for text in texts:
        for form in forms(text):
            tokens = set(_TOKEN.findall(form))
            left["words"] |= private_text.tokens & tokens
            for token in tokens:
                if not _HASH.fullmatch(token):
                    left["words"].update(run for run in _RUN.findall(token) if run in private_text.runs)
            if private_text.names & tokens:  # torch also has files of such names
                left["names"] |= private_text.names & set(
                    _TOKEN.findall(
                        _FILE.sub(lambda match: " " if is_public_path(match[0]) else match[0], form)
                    )
                )
            left["paths"].update(
                path
                for path in _PATH.findall(form)
                if path in private_text.paths and path not in _PUBLIC_PATHS
            )
            left["addresses"].update(
                address
                for address in (*_ADDRESS.findall(form), *_URL.findall(form))
                if address in private_text.addresses
            )
            left["lines"].update(
                line
                for line in private_text.lines
                if line in form and re.search(rf"(?<!\w){re.escape(line)}(?!\w)", form)
            )
    return {kind: sorted(found) for kind, found in left.items() if found}


_ELEMENT = re.compile(r'<script type="application/(\w+)" data-file="([^"]*)">([^<]*)</script>')


def texts_of_page(path):
    """Yield what an exported file contains of a bundle: file names, their bytes, and whatever is not a
    program.
    """
    page = path.read_text("utf-8")
    found = _ELEMENT.findall(page)
    assert any(name.endswith("manifest.json") for _, name, _ in found)
    for _, name, data in found:
        raw = base64.b64decode(data)
        yield name
        if not name.startswith("schemas.json"):
            yield (
                gzip.decompress(raw)
                if raw[:2] == b"\x1f\x8b"
                else zstandard.ZstdDecompressor().decompressobj().decompress(raw)
                if raw[:4] == b"\x28\xb5\x2f\xfd"
                else raw
            ).decode("utf-8", "replace")
    yield re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
