"""Failures caused by the machine rather than the program, recognized by their messages, and their fixes."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from dataclasses import dataclass, replace

from tlparse_bundle.base.wording import code
from tlparse_bundle.statements.statement import TORCH, Remedy


@dataclass(frozen=True, slots=True)
class Environment:
    """A problem with the machine.

    ``name`` identifies the cause, ``what`` completes "3 compiles failed: …", ``detail`` may differ between
    compiles.
    """

    name: str
    what: str
    remedies: tuple[Remedy, ...]
    detail: str | None = None
    text: str | None = None
    line: str = ""  # the line of the message that says so


def environment(message: str | None) -> Environment | None:
    """Return the machine problem that an exception message describes, or None."""
    for pattern, make in _CAUSES:
        if message and (match := pattern.search(message)):
            begin, end = message.rfind("\n", 0, match.start()) + 1, message.find("\n", match.end())
            return replace(make(match), line=message[begin : end if end >= 0 else None].strip())
    return None


_INCLUDED_PYTHON = re.compile(r"-I(\S*/python(3\.\d+)\w*)(?=['\s,\]]|$)")
_LIBRARY_FOLDER = re.compile(r"-L((?:/[\w.@+~-]+)+)(?=['\s,\]]|$)")


def _triton_helper(match: re.Match[str]) -> Environment:
    command = match[0]
    compiler, module = _name(match["compiler"]), match["module"]
    device = "CUDA " if "cuda" in command else "HIP " if "hip" in command else ""
    remedies = [_headers(command, "If it does not find `Python.h`: ")]
    if "-lcuda" in command:
        folders = [folder for folder in _LIBRARY_FOLDER.findall(command) if "triton" not in folder]
        where = f" in {code(folders[0])}" if folders else ""
        remedies.append(
            Remedy(
                "If it does not find `-lcuda`: create a symbolic link `libcuda.so` to the driver's"
                f" `libcuda.so.1`{where}."
            )
        )
    return Environment(
        f"triton helper {module}",
        f"{code(compiler)} could not build Triton's {device}helper ({code(module)})",
        tuple(remedies),
        text=(
            f"The log has only the exit status. The message of {code(compiler)} is on the program's standard"
            " error."
        ),
    )


def _headers(message: str, when: str = "") -> Remedy:
    included = _INCLUDED_PYTHON.search(message)
    version = included[2] if included else "3"
    text = (
        f"{when}{'i' if when else 'I'}nstall the headers of the Python that runs the program: package"
        f" `python{version}-dev` on Debian and Ubuntu, `python3-devel` or `python{version}-devel` on Fedora,"
        " RHEL and Amazon Linux."
    )
    return Remedy(text, f"ls {included[1]}/Python.h" if included else None)


def _python_headers(match: re.Match[str]) -> Environment:
    return Environment(
        "python headers",
        "the compiler did not find the headers of Python (`Python.h`)",
        (_headers(match.string),),
    )


def _c_compiler(match: re.Match[str]) -> Environment:
    remedy = Remedy(
        "Install a C compiler, such as package `gcc`, or set the environment variable `CC` to the path"
        " of one."
    )
    return Environment("c compiler", "Triton found no C compiler", (remedy,))


def _cxx_compiler(match: re.Match[str]) -> Environment:
    tried = (
        " or ".join(map(code, re.findall(r"'([^']+)'", match["asked"] or "")))
        or (match["missing"] and code(match["missing"]))
        or "a C++ compiler"
    )
    remedy = Remedy(
        "Install a C++ compiler, such as package `g++`, or set the environment variable `CXX` to the"
        " path of one before torch is imported."
    )
    return Environment(
        "cxx compiler", "Inductor found no working C++ compiler", (remedy,), f"it tried {tried}"
    )


def _libcuda(match: re.Match[str]) -> Environment:
    remedies = [Remedy(" ".join(match["hint"].split()), source=TORCH)] if match["hint"] else []
    remedies.append(
        Remedy(
            "Check that the program can see the NVIDIA driver (a container needs `--gpus all` or similar)."
            " Set `TRITON_LIBCUDA_PATH` to the folder of `libcuda.so.1`.",
            "ldconfig -p | grep libcuda",
        )
    )
    return Environment("libcuda", "the driver library `libcuda.so` was not found", tuple(remedies))


def _gpu_memory(match: re.Match[str]) -> Environment:
    hint = re.search(r"If reserved but unallocated memory is large[^.]*\.", match.string)
    remedies = [Remedy(" ".join(hint[0].split()), source=TORCH)] if hint else []
    remedies.append(
        Remedy(
            "Free GPU memory before this call, or use smaller inputs. torch's message lists the processes"
            " that use it."
        )
    )
    return Environment("gpu memory", "the GPU ran out of memory", tuple(remedies))


def _host_memory(match: re.Match[str]) -> Environment:
    remedy = Remedy(
        "Give the process more memory, or compile fewer kernels at once. Each compile worker of Inductor is a"
        " separate process.",
        "export TORCHINDUCTOR_COMPILE_THREADS=1",
    )
    return Environment("host memory", "the host ran out of memory", (remedy,))


def _compile_worker(match: re.Match[str]) -> Environment:
    returned = match["recorded"] or match["raised"]
    signal_number = -int(returned) if returned is not None and len(returned) < 5 else 0
    detail = None if returned is None else f"return code {returned}"
    if detail and signal_number in _SIGNALS:
        detail += f", {_SIGNALS[signal_number]}"
    remedies = [Remedy("Compile in the main process.", "export TORCHINDUCTOR_COMPILE_THREADS=1")]
    if signal_number in (0, signal.SIGKILL):
        remedies.insert(
            0,
            Remedy(
                "Check whether the kernel killed it because the machine ran out of memory.",
                "dmesg | grep -i 'killed process'",
            ),
        )
    return Environment("compile worker", "the compile worker process died", tuple(remedies), detail)


# By number, as this system numbers them: those of Linux and macOS that end a process are the same.
_SIGNALS = {number.value: number.name for number in signal.Signals}

_MOVE = (
    "`TORCHINDUCTOR_CACHE_DIR` and `TRITON_CACHE_DIR` move the caches of Inductor and Triton, `TMPDIR` moves"
    " temporary files."
)


def _space(match: re.Match[str]) -> Environment:
    return Environment(
        "space",
        "no space left on the device",
        (Remedy(f"Free space there, or use another file system. {_MOVE}"),),
    )


def _permission(match: re.Match[str]) -> Environment:
    read_only = match["number"] == "30"
    help = (
        "Use a writable folder."
        if read_only
        else "Give the user of the program access to the path, or use a different one."
    )
    return Environment(
        "permission",
        "the file system is read-only" if read_only else "permission denied",
        (Remedy(f"{help} {_MOVE}"),),
        match["path"] and code(match["path"]),
    )


def _openmp(match: re.Match[str]) -> Environment:
    remedy = Remedy(
        "Install OpenMP for the compiler: package `libomp-dev` for clang on Debian and Ubuntu, `libomp` of"
        " Homebrew on macOS; GCC comes with it. Or set `CXX` to a compiler that has it."
    )
    return Environment("openmp", "the C++ compiler has no OpenMP", (remedy,))


def _old_compiler(match: re.Match[str]) -> Environment:
    remedy = Remedy(
        "Install a newer C++ compiler, and set the environment variable `CXX` to its path before torch is"
        " imported."
    )
    return Environment(
        "old compiler", "the C++ compiler is too old", (remedy,), f"it does not know {code(match['option'])}"
    )


def _triton(match: re.Match[str]) -> Environment:
    return Environment(
        "triton",
        "Triton is not installed",
        (
            Remedy(
                "Install the Triton version that matches this torch. CUDA builds of torch depend on it.",
                "pip install triton",
            ),
        ),
    )


def _name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


# Messages of torch (torch/_inductor/exc.py, torch/_dynamo/exc.py), Triton (runtime/build.py,
# backends/nvidia/driver.py), compilers and Python. The first match wins, so specific messages come first.
_CAUSES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Environment]], ...] = (
    (
        re.compile(
            r"sidecar pid=\d+ returncode=(?P<recorded>-?\d+)|worker sidecar \(pid \d+\) exited unexpectedly"
            r" with code (?P<raised>-?\d+)|SubprocPool closed|BrokenProcessPool: A (?:child )?process"
        ),
        _compile_worker,
    ),
    (re.compile(r"Python\.h: No such file or directory|'Python\.h' file not found"), _python_headers),
    (re.compile(r"Failed to find C compiler"), _c_compiler),
    (
        re.compile(
            r"No working C\+\+ compiler found in \S+\.cpp\.cxx(?:: (?P<asked>.*))?|InvalidCxxCompiler:"
            r" Compiler: (?P<missing>.+?) is not found"
        ),
        _cxx_compiler,
    ),
    (
        re.compile(
            r"libcuda\.so cannot found!(?:\s*(?P<hint>P.+))?|cannot find"
            r" -l:?(?:lib)?cuda\b|libcuda\.so(?:\.1)?: cannot open shared object file"
        ),
        _libcuda,
    ),
    (re.compile(r"(?:CUDA|HIP|XPU) out of memory|CUDA error: out of memory"), _gpu_memory),
    (
        re.compile(
            r"(?:^|: |\n)MemoryError\b|std::bad_alloc|[Kk]illed signal terminated program cc1plus|virtual"
            r" memory exhausted|cc1plus: out of memory|DefaultCPUAllocator: (?:can't allocate|not enough)"
            r" memory|\[Errno 12\]"
        ),
        _host_memory,
    ),
    (re.compile(r"\[Errno 28\]|No space left on device"), _space),
    (
        re.compile(
            r"\[Errno (?P<number>13|30)\] (?:Permission denied|Read-only file system)(?:: '(?P<path>[^']*)')?"
        ),
        _permission,
    ),
    (
        re.compile(
            r"omp\.h: No such file or directory|'omp\.h' file not found|(?:unrecognized command[-"
            r" ]line|unsupported) option '?‘?-fopenmp|cannot find -l(?:gomp|omp|iomp5)\b"
        ),
        _openmp,
    ),
    (re.compile(r"unrecognized command[- ]line option ['‘\"]?(?P<option>-std=[\w+]+)"), _old_compiler),
    (re.compile(r"Cannot find a working triton installation|No module named 'triton'"), _triton),
    (
        re.compile(
            r"CalledProcessError: Command '\['(?P<compiler>[^']+)',"
            r" '[^']*main\.c(?:pp)?',.*?/(?P<module>\w+?)(?:\.cpython-[^']*|\.abi3)?\.(?:so|pyd)'.*",
            re.DOTALL,
        ),
        _triton_helper,
    ),
)
