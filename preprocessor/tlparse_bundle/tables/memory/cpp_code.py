"""Follows generated C++ code (cpp_wrapper): which statement allocates memory, and which frees it.

torch/_inductor/codegen/cpp_wrapper_cpu.py writes one statement per line. Lines outside the known forms make
the peak unknown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from tlparse_bundle.tables.memory.accounts import Accounts, Storage
from tlparse_bundle.tables.memory.declared import Declared, InputTensor
from tlparse_bundle.tables.memory.operators import MATRIX_PRODUCTS, has_scratch, is_plain
from tlparse_bundle.tables.memory.sizes import Number, integer
from tlparse_bundle.tables.memory.values import Sizes

_BEGIN = re.compile(r"void inductor_entry_impl\(|void AOTInductorModel::run_impl\(")
_END = "}"
_MAX_LINES = 100_000
_MAX_LINE = 20_000
_LITERAL = re.compile(r"(?<=\d)L\b")

_QUIET = re.compile(
    r"\s*(?://.*|py::gil_scoped_release_simple release;|AtenTensorHandle \w+;|int64_t \w+;"
    r"|assert_size_stride\(.*|assert_alignment\(.*|assert_numel\(.*|auto inputs = steal_from_raw_handles.*"
    r"|auto& kernels = .*|using namespace .*|RAIIAtenRecordFunctionHandle .*"
    r"|AOTI\w+Guard \w+\(.*\);|\w*[sS]tream_t \w+;"
    r"|AOTI_TORCH_ERROR_CODE_CHECK\(aoti_torch_get_current_\w+_stream\(.*)?\s*\Z"
)
_SCALAR = re.compile(r"\s*AOTI_TORCH_ERROR_CODE_CHECK\(aoti_torch_item_(\w+)\(inputs\[\d+\], &(\w+)\)\);\Z")
# Reads a number of a tensor, or makes a second handle of it for a call.
_SECOND_HANDLE = re.compile(
    r"\s*AOTI_TORCH_ERROR_CODE_CHECK\(aoti_torch_(?:item_\w+|new_tensor_handle)\(\w+, &\w+\)\);\Z"
)
_INPUT = re.compile(r"\s*auto (\w+) = std::move\(inputs\[\d+\]\);\Z")
_SYMBOL = re.compile(r"\s*(?:int64_t|auto) ([suz]+\d+) = (.+);\Z")
_ARRAY = re.compile(r"\s*(?:static constexpr|const) int64_t (\w+)\[\] = \{(.*)\};\Z")
_EMPTY_ARRAY = re.compile(r"\s*static constexpr int64_t \*(\w+)=nullptr;\Z")
_ALLOCATION = re.compile(
    r"\s*AOTI_TORCH_ERROR_CODE_CHECK\(aoti_torch_empty_strided\(\d+, (\w+), (\w+), "
    r"cached_torch_dtype_(\w+), cached_torch_device_type_(\w+), .+, &(\w+)_handle\)\);\Z"
)
_OWNED = re.compile(r"\s*RAIIAtenTensorHandle (\w+)\((\w+)_handle\);\Z")
_MOVED = re.compile(r"\s*auto (\w+) = std::move\((\w+)\);\s*(?:// reuse)?\Z")
_VIEW = re.compile(
    r"\s*(?:auto|RAIIAtenTensorHandle) (\w+) = wrap_with_raii_handle_if_needed\("
    r"reinterpret_tensor_wrapper\((\w+), .*\)\);(?P<rest>.*)"
)
_RESETS = re.compile(r"\s*((?:\w+\.reset\(\);\s*)+)(?://.*)?\Z")
_RESET = re.compile(r"(\w+)\.reset\(\);")
_OUTPUT = re.compile(r"\s*output_handles\[(\d{1,6})\] = (\w+)\.release\(\);\Z")
_SAME_OUTPUT = re.compile(r"\s*output_handles\[(\d{1,6})\] = output_handles\[(\d{1,6})\];\Z")
_KERNEL = re.compile(r"\s*(?:cpp_|call_triton_|call_cpp_)\w+\((.*)\);\Z")
_EXTERN = re.compile(r"\s*AOTI_TORCH_ERROR_CODE_CHECK\((aoti_torch_(\w+?)_(\w+))\((.*)\)\);\Z")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ARGUMENT = re.compile(r"reinterpret_tensor_wrapper\(\w+, \d+, (\w+), (\w+), ")


class CppCode:
    """Follows the function that the module calls of a C++ text, which begins at ``first_line``."""

    def __init__(self, text: str, first_line: int, declared: Declared, accounts: Accounts):
        self._text, self._first_line = text, first_line
        self._declared, self._accounts = declared, accounts
        self._names: dict[str, Storage] = {}
        self._pending: dict[str, Storage] = {}  # handles that no object owns yet
        self._numbers: dict[str, Number] = {}
        self._arrays: dict[str, Sizes] = {}
        self._outputs: dict[int, Storage] = {}

    def run(self) -> bool:
        """Return False when the text has no such function."""
        lines = self._text.split("\n")
        begin = next((number for number, line in enumerate(lines) if _BEGIN.match(line)), None)
        if begin is None:
            return False
        is_open = False
        for number, line in enumerate(lines[begin : begin + _MAX_LINES], begin):
            if not is_open:
                is_open = line.startswith(") {") or line.rstrip().endswith(") {")
                continue
            self._accounts.line = self._first_line + number
            self._accounts.step += 1
            if line.startswith(_END):
                break
            self._statement(line[:_MAX_LINE])
        else:
            self._accounts.doubt("limit")
        for name in reversed(list(self._names)):  # what was not released ends with the function
            self._drop(name)
        for storage in self._pending.values():
            self._accounts.free(storage)
        self._accounts.end()
        return True

    def _statement(self, line: str) -> None:
        if _QUIET.match(line) or _SECOND_HANDLE.match(line):
            return
        for pattern, apply in _STATEMENTS:
            match = pattern.match(line)
            if match is not None:
                apply(self, match)
                return
        self._accounts.doubt("statement")

    def _own(self, name: str, storage: Storage) -> None:
        self._drop(name)
        storage.references += 1
        storage.rename(name)
        self._names[name] = storage

    def _drop(self, name: str) -> None:
        storage = self._names.pop(name, None)
        if storage is not None:
            storage.references -= 1
            if storage.references == 0:
                self._accounts.free(storage)

    def _input(self, match: re.Match[str]) -> None:
        name = match[1]
        storage = self._accounts.add(name, is_input=True)
        declared = self._declared.input(name)
        if isinstance(declared, InputTensor):
            storage.device = declared.device
            self._accounts.describe(storage, declared.dtype, declared.shape, declared.stride)
        else:
            storage.unknown = "dtype"
        self._own(name, storage)

    def _scalar(self, match: re.Match[str]) -> None:
        """Add the tensor that the caller of the code makes of a number (CppWrapperCpu._generate_end_jit)."""
        storage = self._accounts.add(match[2], device="cpu")
        self._accounts.describe(storage, match[1], (), ())
        self._own(match[2], storage)

    def _symbol(self, match: re.Match[str]) -> None:
        declared = self._declared.input(match[2])
        number = declared if isinstance(declared, Number) else self._declared.symbol(match[1])
        self._numbers[match[1]] = number

    def _array(self, match: re.Match[str]) -> None:
        self._arrays[match[1]] = self._sizes(match[2])

    def _empty_array(self, match: re.Match[str]) -> None:
        self._arrays[match[1]] = ()

    def _sizes(self, text: str) -> Sizes:
        try:
            tuple_ = ast.parse(f"({_LITERAL.sub('', text).strip().rstrip(',')},)", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return (Number(None, text=text),)
        if not isinstance(tuple_, ast.Tuple) or not text.strip():
            return ()
        return tuple(integer(item, self._numbers) for item in tuple_.elts)

    def _allocate(self, match: re.Match[str]) -> None:
        shape, stride, dtype, device, name = match.groups()
        storage = self._accounts.add(name, device=device)
        sizes, strides = (self._arrays.get(array, (Number(None),)) for array in (shape, stride))
        self._accounts.describe(storage, dtype, sizes, strides)
        self._pending[name] = storage

    def _owned(self, match: re.Match[str]) -> None:
        storage = self._pending.pop(match[2], None)
        if storage is not None:
            self._own(match[1], storage)

    def _moved(self, match: re.Match[str]) -> None:
        storage = self._names.get(match[2])
        if storage is not None:
            self._own(match[1], storage)
            self._drop(match[2])

    def _view(self, match: re.Match[str]) -> None:
        storage = self._names.get(match[2])
        if storage is not None:
            self._own(match[1], storage)
        if match["rest"].strip():
            self._statement(match["rest"])

    def _reset(self, match: re.Match[str]) -> None:
        for name in _RESET.findall(match[1]):
            self._drop(name)

    def _output(self, match: re.Match[str]) -> None:
        position = int(match[1])
        storage = self._names.pop(match[2], None)  # keeps its reference
        self._accounts.returned_count = max(self._accounts.returned_count, position + 1)
        if storage is not None:
            storage.returned.append(position)
            self._outputs[position] = storage

    def _same_output(self, match: re.Match[str]) -> None:
        position, storage = int(match[1]), self._outputs.get(int(match[2]))
        self._accounts.returned_count = max(self._accounts.returned_count, position + 1)
        if storage is not None:
            storage.returned.append(position)

    def _kernel(self, match: re.Match[str]) -> None:
        self._mark_written(match[1])

    def _mark_written(self, arguments: str) -> None:
        for name in _WORD.findall(arguments):
            storage = self._names.get(name)
            if storage is not None and storage.written_line is None:
                storage.written_line = self._accounts.line

    def _extern(self, match: re.Match[str]) -> None:
        self._mark_written(match[4])
        operator = match[3].removesuffix("_out")
        quiet = (
            match[3].endswith("_out") and operator in MATRIX_PRODUCTS and self._allocates_nothing(match[4])
        )
        if not quiet:
            self._accounts.doubt("operator", match[1])

    def _allocates_nothing(self, arguments: str) -> bool:
        """Return whether a matrix product neither copies its arguments first nor has scratch memory."""
        storages = filter(None, map(self._names.get, _WORD.findall(arguments)))
        if any(has_scratch(storage.device, storage.dtype) for storage in storages):
            return False
        views = [
            (self._arrays.get(shape, ()), self._arrays.get(stride, ()))
            for shape, stride in _ARGUMENT.findall(arguments)
        ]
        return all(is_plain(shape, stride) for shape, stride in views)


_STATEMENTS: tuple[tuple[re.Pattern[str], Callable[[CppCode, re.Match[str]], None]], ...] = (
    (_INPUT, CppCode._input),
    (_SCALAR, CppCode._scalar),
    (_SYMBOL, CppCode._symbol),
    (_ARRAY, CppCode._array),
    (_EMPTY_ARRAY, CppCode._empty_array),
    (_ALLOCATION, CppCode._allocate),
    (_OWNED, CppCode._owned),
    (_MOVED, CppCode._moved),
    (_VIEW, CppCode._view),
    (_RESETS, CppCode._reset),
    (_OUTPUT, CppCode._output),
    (_SAME_OUTPUT, CppCode._same_output),
    (_KERNEL, CppCode._kernel),
    (_EXTERN, CppCode._extern),
)
