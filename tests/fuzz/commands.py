"""Commands for a hostile bundle or log. Each function runs in its own process and returns its exit code.

``case`` has the folders ``bundle``, ``out`` (does not exist yet), ``logs``, ``other`` (a sound bundle).
"""

import asyncio
import hashlib
import inspect
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

import zstandard
from tlparse_bundle import Bundle, BundleError
from tlparse_bundle.bundle.restore import restored_bytes
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.cli import main as command_line
from tlparse_bundle.serve.http.app import create_app


class Case(NamedTuple):
    bundle: Path
    out: Path
    logs: Path
    other: Path
    sound: dict  # paths of the sound bundle that this one was made from
    seed: int


class Broken(Exception):
    """An invariant does not hold."""


def run(*words):
    """Run the command line; return its exit code."""
    sys.argv = ["tlparse-bundle", *map(str, words)]
    try:
        command_line.main()
    except SystemExit as end:
        return end.code if type(end.code) is int else 0 if end.code is None else 1
    return 0


def _cat(case):
    logs = sorted({path.split("/")[1] for path in case.sound if path.startswith("logs/")})
    blobs = sorted(path for path in case.sound if path.startswith("blobs/"))
    log = logs[case.seed % len(logs)]
    whats = [
        f"{log}/timeline", blobs[case.seed % len(blobs)], blobs[0].split("/")[-1].split(".")[0], "manifest.json", f"{log}/0/0/dynamo_output_graph", f"{log}/-/torch_version",
        f"{log}/0/0/inductor_output_code#2", "../../../canary/secret", "logs/../../../../canary/secret", f"{log}/x/y",
    ]  # fmt: skip
    return run("cat", case.bundle, whats[case.seed % len(whats)])


def _read(case):
    """Read everything through the Python reader, whatever single calls raise."""
    try:
        bundle = Bundle.open(case.bundle)
    except BundleError as error:
        print(error)
        return 1
    for name in [*(bundle.manifest.get("rank_tables") or {}), "rank_findings", "nothing"]:
        _try(bundle.rank_table, name)
    _try(lambda: bundle.job)
    for log in bundle.logs[:4]:
        _read_log(bundle, log)
    for path in [
        *list(case.sound)[:: max(1, len(case.sound) // 10)],
        "../../../canary/secret",
        "/etc/passwd",
    ]:
        _try(bundle.read, path)
        _try(bundle.raw, path)
    return 0


def _read_log(bundle, log):
    _try(bundle.log, log.id)
    repr(log)
    directory = _try(lambda: log.directory) or {}
    for name in (
        "compiles",
        "artifacts",
        "stacks",
        "blobs",
        "diagnostics",
        "failures",
        "spans",
        "kernels",
        "provenance_groups",
        "metrics",
        "symbols",
        "tensors",
        *list(directory.get("tables", ()))[:100],
    ):
        _try(log.table, name)
    for compile in (_try(lambda: log.compiles) or [])[:20]:
        for read in (
            lambda compile=compile: compile.metrics,
            lambda compile=compile: compile.artifacts,
            lambda compile=compile: compile.stack,
            lambda compile=compile: repr(compile),
            lambda compile=compile: log.compile(compile.key),
        ):
            _try(read)
    for artifact in (_try(lambda: log.artifacts) or [])[:30]:
        for read in (
            artifact.bytes,
            artifact.text,
            artifact.json,
            lambda artifact=artifact: artifact.type,
            lambda artifact=artifact: artifact.language,
            lambda artifact=artifact: artifact.phase,
            lambda artifact=artifact: artifact.size_bytes,
            lambda artifact=artifact: repr(artifact),
        ):
            _try(read)
    for number, event in enumerate(_try(lambda: iter(_some(log.events(), 60))) or ()):
        for read in (
            event.bytes,
            event.text,
            lambda event=event: event.metadata,
            lambda event=event: event.compile,
            lambda event=event: repr(event),
            lambda number=number: log.metadata(number),
            lambda event=event: event.payload_form,
        ):
            _try(read)
    _try(lambda: _some(log.events(type="artifact", compile_id="0/0"), 5))
    _try(lambda: _some((log.stack(number) for number in range(len(log.stacks))), 20))
    _try(lambda: _some((log.blob(path) for path in log.blobs), 8))
    _try(lambda: sum(map(len, restored_bytes(log))))


def _some(values, count=1000):
    return [value for value, _ in zip(values, range(count), strict=False)]


def _try(read, *arguments):
    """Return a call's result, or None when it refuses in a sentence. Anything else is a fault."""
    try:
        return read(*arguments)
    except BundleError as error:
        str(error)
    except ValueError as error:
        if getattr(read, "__name__", "") != "json":  # artifact.json() raises it for invalid JSON
            raise error
    return None


def _serve(case):
    """Request every file of the bundle from the HTTP application, and the list of bundles."""
    options = {"token": None} if "token" in inspect.signature(create_app).parameters else {}
    app = create_app({"b": case.bundle}, **options)
    paths = [
        "/bundles.json",
        "/",
        "/bundles/b/x",
        "/bundles/b/../../../canary/secret",
        "/bundles/b/%2e%2e/%2e%2e/%2e%2e/canary/secret",
    ]
    names = sorted({path.relative_to(case.bundle).as_posix() for path in case.bundle.rglob("*")})
    paths += [f"/bundles/b/{name}" for name in [*names[:: max(1, len(names) // 40)], "manifest.json"]]
    for number, path in enumerate(paths):
        headers = [
            {},
            {"accept-encoding": "zstd, gzip"},
            {"accept-encoding": "gzip"},
            {"range": f"bytes={number}-{number * 9}"},
            {"range": "bytes=0-" + "9" * 6000},
        ][number % 5]
        status = asyncio.run(_get(app, path, headers))
        if status >= 500 and status != 502:
            raise Broken(f"{path} {headers}: {status}")
    return 0


async def _get(app, path, headers):
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http", "path": path, "raw_path": path.encode("utf-8", "replace"),
        "query_string": b"", "root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "extensions": {},
        "headers": [(b"host", b"127.0.0.1"), *((key.encode(), value.encode()) for key, value in headers.items())],
    }  # fmt: skip
    got = []
    asked = asyncio.Event()

    async def receive():
        if asked.is_set():
            await asyncio.Event().wait()
        asked.set()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        if message["type"] == "http.response.start":
            got.append(message["status"])
        elif got and got[0] == 200:
            sys.stdout.buffer.write(message.get("body", b"")[:10_000])

    await app(scope, receive, send)
    return got[0]


def _build(case):
    """Build a log: restored byte for byte and sound, or refused in a sentence."""
    names = sorted(case.logs.iterdir())
    where = [case.logs] if case.seed % 3 else names
    code = run(
        "build",
        *where,
        case.out,
        "--jobs",
        1,
        *(["-q"] if case.seed % 5 else []),
        *(["--json"] if case.seed % 7 == 0 else []),
        "--codec",
        ["zstd", "none", "gzip"][case.seed % 3],
    )
    if code:
        return code
    bundle = Bundle.open(case.out)
    problems = validate(bundle)
    if problems:
        raise Broken(f"validate: {problems[:3]}")
    sources = {hashlib.sha256(_plain(path.read_bytes())).hexdigest() for path in names}
    for log in bundle.logs:
        digest = hashlib.sha256()
        for data in restored_bytes(log):
            digest.update(data)
        if digest.hexdigest() not in sources:
            raise Broken(f"{log.id} is not restored")
    return 0


def _plain(data):
    if data.startswith(b"\x1f\x8b"):
        out, rest = b"", data
        while rest.startswith(b"\x1f\x8b"):
            stream = zlib.decompressobj(wbits=31)
            try:
                out += stream.decompress(rest)
            except zlib.error:
                break
            rest = stream.unused_data.lstrip(b"\0")
        return out
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        try:
            with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
                return stream.read()
        except zstandard.ZstdError:
            return b""  # left out, because its name is not that of a log
    return data


ON_BUNDLES = {
    "info": lambda case: run("info", case.bundle),
    "info-json": lambda case: run("info", case.bundle, "--json"),
    "cat": _cat,
    "trend": lambda case: run(
        "trend", case.bundle, case.other, "--format", ["text", "json", "benchmark-database"][case.seed % 3]
    ),
    "validate": lambda case: run("validate", case.bundle),
    "validate-json": lambda case: run("validate", case.bundle, "--json"),
    "check": lambda case: run(
        "check",
        case.bundle,
        "--baseline",
        case.bundle,
        "--allow-unknown",
        "--max-compiles",
        10**6,
        "--format",
        ("text", "github", "junit")[case.seed % 3],
    ),
    "restore": lambda case: run("restore", case.bundle, case.out),
    "merge": lambda case: run(
        "merge",
        *([case.bundle, case.other] if case.seed % 2 else [case.other, case.bundle]),
        case.out,
        "--jobs",
        1,
    ),
    "legacy": lambda case: run("legacy", case.bundle, case.out),
    "legacy-export": lambda case: run("legacy", case.bundle, case.out, "--export"),
    "export": lambda case: run("export", case.bundle, case.out.with_suffix(".html")),
    "site": lambda case: run("site", case.bundle, case.out),
    "report": lambda case: run(
        "report", case.bundle, "--format", ["text", "markdown", "json", "github"][case.seed % 4]
    ),
    "compare": lambda case: run(
        "compare", case.bundle, case.bundle, "--format", ["text", "markdown", "json", "github"][case.seed % 4]
    ),
    "serve": _serve,
    "read": _read,
    "overwrite": lambda case: run("build", case.logs, case.bundle, "--overwrite", "--jobs", 1, "-q"),
}
ON_LOGS = {"build": _build}
