"""Failures with one cause are one finding with its fixes."""

import json

import pytest
import traces
from log_builder import record
from tlparse_bundle.base.machine_text import normalised
from tlparse_bundle.statements.machine_failures import environment

WILD = traces.PUBLIC.parent / "wild"
MACHINE = {
    "no_compiler": ("Inductor found no working C++ compiler (it tried `/opt/none/g++`)", "`CXX`"),
    "no_headers": ("the compiler did not find the headers of Python (`Python.h`)", "`python3.11-dev`"),
    "no_space": ("no space left on the device", "`TORCHINDUCTOR_CACHE_DIR`"),
    "no_permission": ("permission denied (`/tmp/inductor/73`)", "`TORCHINDUCTOR_CACHE_DIR`"),
    "host_memory": ("the host ran out of memory", "fewer kernels at once"),
}


def failures(log):
    return [row for row in log.findings() if row["kind"] == "failure"]


@pytest.mark.parametrize("name", MACHINE)
def test_a_problem_of_the_machine_is_one_finding(built, root, name):
    """4 compiles of 3 functions fail, each in generated code with its own name."""
    what, remedy = MACHINE[name]
    (log,) = built(root / f"fixtures/versions/2.13.0/{name}.log.zst").logs
    (row,) = failures(log)
    assert row["title"] == f"4 compiles of 3 functions failed: {what}"
    assert (row["count"], len(row["compiles"]), row["function"], row["file"]) == (4, 4, None, None)
    assert remedy in row["remedies"][0]["text"]
    assert "`scale` (`program.py:" in row["text"] and "twice" in row["text"] and "`forward`" in row["text"]
    assert log.summary["failure_count"] == 4


def test_the_compiler_message_is_in_the_text(built, root):
    (log,) = built(root / "fixtures/versions/2.13.0/no_headers.log.zst").logs
    assert (
        "fatal error: Python.h: No such file or directory" in failures(log)[0]["text"]
        and "-fopenmp" not in failures(log)[0]["text"]
    )


def test_a_log_from_the_wild(shared_traces, built):
    """gcc cannot build Triton's helper, each time in a different temporary folder."""
    (log,) = built(WILD / "rqvae-cuda/raw.log").logs
    (row,) = failures(log)
    assert (
        row["title"]
        == "12 compiles of 12 functions failed: `gcc` could not build Triton's CUDA helper (`cuda_utils`)"
    )
    assert row["count"] == 12 == len(row["compiles"]) and row["cost_us"] > 20_000_000
    assert (
        "The message of `gcc` is on the program's standard error." in row["text"]
        and "non-zero exit status 1" in row["text"]
    )
    headers, library = row["remedies"]
    assert (
        "`Python.h`" in headers["text"]
        and "`python3.9-dev`" in headers["text"]
        and headers["code"] == "ls /usr/include/python3.9/Python.h"
    )
    assert "`-lcuda`" in library["text"] and "`/lib64`" in library["text"]
    assert "12 failures" in log.summary["text"] and log.findings()[0] == row


def test_one_exception_that_leaves_two_compiles(built, root):
    """The backend of `outer` calls `inner`, which fails.

    Messages of make_fx and fx.Interpreter in a failed compile are not counted twice.
    """
    (log,) = built(root / "fixtures/versions/2.13.0/nested.log.zst").logs
    rows = {row["function"]: row for row in failures(log)}
    assert rows[None]["title"].startswith(
        "2 compiles of 2 functions failed: BackendCompilerFailed: backend='broken' raised"
    )
    assert "`outer`" in rows[None]["text"] and "`inner`" in rows[None]["text"]
    kinds = {event.index: event.name or event.type for event in log.events()}
    for name, nested in (("traced", "make_fx_fail_partial"), ("interpreted", "fx_interpreter_error")):
        assert [kinds[event] for event in rows[name]["events"]] == [
            nested,
            "dynamo_error",
            "compilation_metrics",
        ]
    summary = log.summary
    assert (summary["failure_count"], summary["compile_count"]) == (4, 4)


def test_lines_of_the_program_are_causes_of_their_own(built, root):
    """The same exception, but at two lines of the program."""
    (log,) = built(root / "fixtures/versions/2.15.0/fail.log.zst").logs
    titles = [row["title"] for row in failures(log)]
    assert len(titles) == 4 and any(
        title.startswith("2 compiles of 2 functions failed: BackendCompilerFailed: backend='bad_backend'")
        for title in titles
    )


def _failed(compile_id, name, line, reason, **values):
    start = record(
        f'dynamo_start {compile_id} {{"stack": [{{"line": {line}, "name": "{name}", "filename": 0}}]}}'
    )
    values = {
        "co_name": name,
        "co_filename": "/p/a.py",
        "co_firstlineno": line,
        "start_time_us": 1,
        "dynamo_cumulative_compile_time_us": 1000,
        **values,
    }
    return start + record(
        f"compilation_metrics {compile_id}"
        f" {json.dumps({'fail_type': 'BackendCompilerFailed', 'fail_reason': reason, **values})}"
    )


def _of_two(log_of, first, second, **values):
    data = (
        record('str ["/p/a.py", 0]')
        + _failed("0/0", "f", 1, first, **values)
        + _failed("1/0", "g", 9, second, **{**values, **({"fail_user_frame_lineno": 10} if values else {})})
    )
    return failures(log_of(data))


RAISED = "backend='inductor' raised:\n"
# Messages of torch, Triton, compilers and Python without a log here: they need a GPU or another compiler.
MESSAGES = {
    "the GPU ran out of memory": (
        (
            "OutOfMemoryError: CUDA out of memory. Tried to allocate {0}.00 GiB. GPU 0 has a total capacity"
            " of 79.11 GiB of which 1.06 GiB is free. Process {0}77 has 78.04 GiB memory in use. If reserved"
            " but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to"
            " avoid fragmentation.  See documentation for Memory Management"
        ),
        [
            (
                "If reserved but unallocated memory is large try setting"
                " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
            ),
            "Free GPU memory",
        ],
    ),
    "the driver library `libcuda.so` was not found": (
        (
            "AssertionError: libcuda.so cannot found!\nPlease make sure GPU is set up and then run"
            ' "/sbin/ldconfig" (requires sudo) to refresh the linker cache.'
        ),
        [
            (
                'Please make sure GPU is set up and then run "/sbin/ldconfig" (requires sudo) to refresh the'
                " linker cache."
            ),
            "Check that the program can see the NVIDIA driver",
        ],
    ),
    "Triton found no C compiler": (
        "RuntimeError: Failed to find C compiler. Please specify via CC environment variable.",
        ["Install a C compiler"],
    ),
    "the host ran out of memory": (
        (
            "CppCompileError: C++ compile error\n\nCommand:\ng++ /tmp/tmp{0}aaaaaaa/x.cpp\n\nOutput:\ng++:"
            " fatal error: Killed signal terminated program cc1plus\ncompilation terminated."
        ),
        ["Give the process more memory"],
    ),
    "the C++ compiler has no OpenMP": (
        (
            "CppCompileError: C++ compile error\n\nOutput:\n/tmp/tmp{0}aaaaaaa/x.cpp:3:10: fatal error:"
            " 'omp.h' file not found"
        ),
        ["Install OpenMP"],
    ),
    "the C++ compiler is too old (it does not know `-std=c++17`)": (
        (
            "CppCompileError: C++ compile error\n\nOutput:\ng++: error: unrecognized command line option"
            " '-std=c++17'"
        ),
        ["Install a newer C++ compiler"],
    ),
    "Triton is not installed": (
        (
            "TritonMissing: Cannot find a working triton installation. Either the package is not installed or"
            " it is too old."
        ),
        ["Install the Triton version"],
    ),
    "the file system is read-only (`/cache`)": (
        "OSError: [Errno 30] Read-only file system: '/cache'",
        ["Use a writable folder"],
    ),
}


@pytest.mark.parametrize("what", MESSAGES)
def test_messages_of_the_machine(log_of, what):
    message, remedies = MESSAGES[what]
    (row,) = _of_two(log_of, RAISED + message.format(1), RAISED + message.format(2))
    assert row["title"] == f"2 compiles of 2 functions failed: {what}"
    assert len(row["remedies"]) == len(remedies) and all(
        found["text"].startswith(text) for found, text in zip(row["remedies"], remedies, strict=True)
    )
    assert [found["source"] for found in row["remedies"]] == ["torch"] * (len(remedies) - 1) + [
        "tlparse-bundle"
    ]


def test_host_memory_in_words_of_python():
    for message in (
        "MemoryError",
        "RuntimeError: std::bad_alloc",
        "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried",
    ):
        assert environment(RAISED + message).name == "host memory"
    assert environment("ValueError: a MemoryErrorHandler is needed") is None and environment(None) is None


def test_one_message_and_other_names(log_of):
    """Temporary folders, addresses, processes, names of generated code."""
    hashes = (
        "ca5yzn7p7wtdukttiols4bj6hig36ushya67jnj4pjilymsbydjp",
        "c6gor2dprvuqb52e552rkqq4kvbj2lgtufk3gtpcpipmh6zbheue",
    )
    first, second = (
        RAISED + f"RuntimeError: cannot load /tmp/tmp{n}abcdefg/{name}.so of tmp{n}abcdefg at 0x7f00{n}000 in"
        f" process {n}"
        for n, name in enumerate(hashes)
    )
    assert normalised(first) == normalised(second)
    (row,) = _of_two(log_of, first, second)
    assert (row["count"], row["function"]) == (2, None)


def test_one_message_at_two_lines(log_of):
    """Two functions at two lines of the program are two problems."""
    rows = _of_two(log_of, "no", "no", fail_user_frame_filename="/p/a.py", fail_user_frame_lineno=2)
    assert sorted((row["count"], row["function"], row["line"]) for row in rows) == [(1, "f", 2), (1, "g", 10)]


def test_the_fingerprint_does_not_depend_on_who_failed(log_of):
    """A problem of the machine is the same one when another function meets it."""
    one, other = (
        failures(
            log_of(
                record('str ["/p/a.py", 0]')
                + _failed("0/0", name, line, "OSError: [Errno 28] No space left on device")
            )
        )
        for name, line in (("f", 1), ("g", 5))
    )
    assert one[0]["fingerprint"] == other[0]["fingerprint"] and (
        one[0]["function"],
        other[0]["function"],
    ) == ("f", "g")
    assert one[0]["title"] == "`f` failed to compile: no space left on the device"
