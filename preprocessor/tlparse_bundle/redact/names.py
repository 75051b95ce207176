"""Replaces names of functions, files, values and sources by pseudonyms, unless torch ships them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.model.functions import resume_function
from tlparse_bundle.redact.pseudonyms import Pseudonyms
from tlparse_bundle.redact.torch_names import PYTHON_NAMES, names, shipped_file, ships_function, words

_MAX_NAME = 1000  # characters that are taken apart; a longer name gets one pseudonym
_MAX_NORMALISED = 500
_MAX_RESUMED = 5  # resume functions of resume functions
_PATH_PARTS = 3  # that identify a file when checkouts differ, as in statements.ranks.frames
_ENDINGS = ("py", "cpp", "cu", "h", "so", "pyx", "pyi", "ipynb")
_PACKAGES = ("site-packages", "dist-packages")
_ROOTS = ("torch", "torchgen", "functorch", "triton")
_GENERATED = re.compile(r"(<eval_with_key>\.[0-9]{1,6})(?: from .*)?|<string>|<stdin>")
_FROZEN = re.compile(r"<frozen ([a-z_.]+)>")
_PLACE = re.compile(r"(.*):([0-9]{1,7})", re.DOTALL)  # of a logging call, path:line
# Names of values of a graph that torch makes up: the stem, and numbers.
_NUMBERED = re.compile(r"([A-Za-z_]\w*?)_?[0-9]{1,4}(?:_[0-9]{1,2})?")
_STEMS = frozenset(
    (
        "primals",
        "tangents",
        "arg",
        "buf",
        "submod",
        "subgraph",
        "partition",
        "op",
        "graph",
        "repeated_subgraph",
    )
)
_VARIABLE = re.compile(r"[A-Za-z_]\w*|[0-9]{1,5}(?![\w.])|'[^'\\]*'|\"[^\"\\]*\"|, |[\[\](){}.:*=]+")
_SOURCE_WORDS = words("""
    L G self size stride storage_offset shape dtype device requires_grad training grad is_leaf _modules
    _parameters _buffers _forward_hooks _forward_pre_hooks __dict__ __class__ __code__ __closure__
    __func__ __self__ __globals__ __defaults__ __kwdefaults__ __wrapped__ __mro__ __name__
    __import_torch cell_contents len type id list dict tuple set keys values items forward weight bias
    ___from_numpy ___check_obj_id ___check_type_id ___dict_contains ___get_torch_function_mode_stack_at
    ___tuple_iterator_getitem ___odict_getitem utils_device CURRENT_DEVICE None True False not in is
    grad_mode torch
    """)


class Names:
    """Replaces names. ``files`` maps a shortened path to the path that other tables have of the file."""

    def __init__(self, pseudonyms: Pseudonyms):
        self.pseudonyms = pseudonyms
        self.files: Mapping[str, str] = {}

    def name(self, text: str) -> str:
        """Return the pseudonym of a name, or a name that torch makes up for a value of a graph."""
        if len(text) <= _MAX_NAME:
            match = _NUMBERED.fullmatch(text)
            if match is not None and (match[1] in _STEMS or match[1] in names("operators")):
                return text
            if len(text) <= 3 and text.isascii() and text.isdigit():
                return text
        return f"name_{self.pseudonyms.tag(text)}"

    def text(self, text: str) -> str:
        """Return a mark for dropped text, equal for texts that differ in addresses and folders only."""
        plain = normalised(text[:_MAX_NORMALISED]) + text[_MAX_NORMALISED:]
        return f"redacted_{self.pseudonyms.tag(plain)}"

    def place(self, file: str | None, function: str | None) -> tuple[str | None, str | None]:
        """Return the file and function of a frame. They stay if torch or Python ships both."""
        if file is not None:
            file = self.files.get(file, file)
        shipped = None if file is None else shipped_file(file)
        if shipped is not None and (function is None or ships_function(shipped, function)):
            return _installed(shipped), function
        new_file = None if file is None else self._file(file)
        return new_file, None if function is None else self.function(function)

    def path(self, path: str) -> str:
        """Return the path of a file, or of a line of it (path:line)."""
        match = _PLACE.fullmatch(path) if len(path) <= _MAX_NAME else None
        if match is not None:
            return f"{self.place(match[1], None)[0]}:{match[2]}"
        return self.place(path, None)[0] or ""

    def function(self, name: str, depth: int = 0) -> str:
        """Return the pseudonym of a function. The name of a resume function keeps its form."""
        if name in PYTHON_NAMES:
            return name
        resumed = resume_function(name) if len(name) <= _MAX_NAME and depth < _MAX_RESUMED else None
        if resumed is None or (resumed.line or 0) > 10**7:
            return f"fn_{self.pseudonyms.tag(name)}"
        return f"{resumed.before}{self.function(resumed.function, depth + 1)}{resumed.after}"

    def record(self, name: str) -> str:
        """Return the pseudonym of the name of a record. That of a function's bytecode keeps its form."""
        for ending in ("_ORIGINAL_BYTECODE", "_MODIFIED_BYTECODE"):
            if name.endswith(ending):
                return self.function(name.removesuffix(ending)) + ending
        return self.name(name)

    def _file(self, path: str) -> str:
        if len(path) > _MAX_NAME:
            return f"file_{self.pseudonyms.tag(path)}"
        if path.startswith("<"):
            return self._generated(path)
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "...")]
        if not parts:
            return f"file_{self.pseudonyms.tag(path)}"
        package = next((number + 1 for number, part in enumerate(parts) if part in _PACKAGES), 0)
        *folders, file = parts[package:][-_PATH_PARTS:] or parts[-1:]
        stem, _, ending = file.rpartition(".")
        known = stem and ending in _ENDINGS
        new = [f"dir_{self.pseudonyms.tag(folder)}" for folder in folders]
        new.append(f"file_{self.pseudonyms.tag(stem if known else file)}" + (f".{ending}" if known else ""))
        return ("/site-packages/" if package else "/" if path.startswith("/") else "") + "/".join(new)

    def _generated(self, path: str) -> str:
        """Return the name of code without a file: torch's and Python's own stay."""
        match = _GENERATED.fullmatch(path)
        if match is not None:
            return match[1] or path
        frozen = _FROZEN.fullmatch(path)
        if frozen is not None:
            file = frozen[1].replace(".", "/")
            if any(shipped_file(f"lib/python3/{file}{end}") for end in (".py", "/__init__.py")):
                return path
        return f"<generated_{self.pseudonyms.tag(path)}>"

    def variable(self, source: str) -> str:
        """Return a source such as "L['x'].size()[0]" with pseudonyms, or one name for other forms."""
        if len(source) > _MAX_NAME:
            return f"name_{self.pseudonyms.tag(source)}"
        end, parts = 0, []
        for token in _VARIABLE.finditer(source):
            if token.start() != end:
                break
            end = token.end()
            parts.append(self._token(token[0]))
        return "".join(parts) if end == len(source) else f"name_{self.pseudonyms.tag(source)}"

    def _token(self, token: str) -> str:
        if token[0] in "'\"":
            inner = token[1:-1]
            return (
                token if inner in _SOURCE_WORDS else f"{token[0]}name_{self.pseudonyms.tag(inner)}{token[0]}"
            )
        if not (token[0].isalpha() or token[0] == "_") or token in _SOURCE_WORDS:
            return token
        return f"name_{self.pseudonyms.tag(token)}"


def _installed(file: str) -> str:
    """Return the path of a shipped file in an installation, where statements recognize it."""
    root = file.partition("/")[0]
    return f"/site-packages/{file}" if root in _ROOTS else f"/lib/python3/{file}"
