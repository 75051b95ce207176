"""Run one case in a forked child with everything imported, and check what it leaves."""

import contextlib
import importlib
import json
import os
import pkgutil
import re
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import NamedTuple

import jsonschema
import tlparse_bundle
from tlparse_bundle.bundle.schemas import schema

from fuzz import log_mutations, mutations, values
from fuzz.bases import base, log_bases, other
from fuzz.commands import ON_BUNDLES, ON_LOGS, Case

MAX_S = 20
MAX_BYTES = 1 << 30
CODES = {0, 1, 2, 3}
FOUND = 4
_MAX_OUT = 600 << 20
_ROUNDS = 40  # of 50 ms, until files to be removed after a kill are removed
_SHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SECRETS = (values.MARK.encode(), b"root:x:0:0:")


class Fault(NamedTuple):
    case: str  # for scripts/fuzz --repeat
    kind: str  # equal faults have one kind
    notes: list[str]
    text: str


class Runner:
    """Use as a context manager: it has its own folder."""

    def __enter__(self):
        _import_all()
        self._root = Path(
            tempfile.mkdtemp(
                prefix="tlparse-fuzz-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
            )
        )
        self._canary = self._root / "canary"
        self._canary.mkdir()
        (self._canary / "secret").write_text(values.MARK)
        self._case = self._root / "cases" / "case"
        self._others = {}
        self._kept = self._listing(self._canary)
        return self

    def __exit__(self, *error):
        shutil.rmtree(self._root, ignore_errors=True)

    def run(self, name):
        """Return the faults of a case: 'BASE:SEED:COMMAND', or 'log:SEED:build'."""
        kind, seed, command = name.split(":")
        files, notes = log_mutations.mutate(seed) if kind == "log" else mutations.mutate(kind, seed)
        return self.run_files(kind, files, notes, int(seed), [command])

    def run_files(self, kind, files, notes, seed, commands):
        """Return the faults of several commands on one hostile bundle or log."""
        return [fault for command in commands for fault in self._run_one(kind, files, notes, seed, command)]

    def _run_one(self, kind, files, notes, seed, command):
        case = self._prepare(kind, files, seed)
        before = self._listing(self._case)
        found = self._fork(command, case)
        found += self._traces(before, command, case)
        name = f"{kind}:{seed}:{command}"
        return [Fault(name, f"{command}: {kind_}", notes, text) for kind_, text in found]

    def _prepare(self, kind, files, seed):
        shutil.rmtree(self._case, ignore_errors=True)
        for folder in ("cwd", "tmp", "in", "out"):
            (self._case / folder).mkdir(parents=True)
        logs, bundle = self._case / "in" / "logs", self._case / "in" / "bundle"
        if kind == "log":
            sound, sibling = {}, bundle
            logs.mkdir()
            for name, data in files.items():
                (logs / name).write_bytes(data)
        else:
            sound, sibling = base(kind), self._other(kind.rpartition("-")[2])
            mutations.write(files, bundle, self._canary)
            logs.mkdir()
            (logs / "sound.log").write_bytes(log_bases()[0])
        return Case(bundle, self._case / "out" / "it", logs, sibling, sound, seed)

    def _other(self, codec):
        if codec not in self._others:
            folder = self._root / f"other-{codec}"
            mutations.write(other(codec), folder, self._canary)
            self._others[codec] = folder
        return self._others[codec]

    # ---- the child

    def _fork(self, command, case):
        streams = [self._root / "stdout", self._root / "stderr"]
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            self._child(command, case, streams)
        ended = _wait(pid, MAX_S)
        if not ended:
            _end(os.killpg, pid)
        _, status, usage = os.wait4(pid, 0)
        return self._verdict(
            command,
            status,
            usage,
            time.monotonic() - began,
            ended,
            pid,
            [path.read_bytes() for path in streams],
        )

    def _child(self, command, case, streams):
        code = 70
        try:
            os.setsid()
            for number, path in enumerate(streams, 1):
                os.dup2(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), number)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            sys.stdout, sys.stderr = (  # they stay open until the process ends
                open(number, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115 - flushed below
                for number in (1, 2)
            )
            os.chdir(self._case / "cwd")
            os.environ.update(TMPDIR=str(self._case / "tmp"), HOME=str(self._case / "tmp"))
            tempfile.tempdir = None
            resource.setrlimit(
                resource.RLIMIT_FSIZE, (1 << 30, 1 << 30)
            )  # to protect the machine; coming near it is a fault
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            code = (ON_BUNDLES | ON_LOGS)[command](case)
        except BaseException:
            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(AttributeError, OSError, ValueError):
                    stream.flush()
            os._exit(code)

    def _verdict(self, command, status, usage, took, ended, pid, streams):
        out, err = streams
        text = err.decode("utf-8", "surrogateescape")
        found = []
        if not ended:
            found.append((f"over {MAX_S} s", ""))
        elif os.WIFSIGNALED(status):
            found.append((f"signal {os.WTERMSIG(status)}", text[-2000:]))
        elif took > MAX_S:
            found.append((f"over {MAX_S} s", f"{took:.0f} s"))
        self.code = os.waitstatus_to_exitcode(status)
        if "Traceback (most recent call last)" in text:
            found.append((_where(text), text[-3000:]))
        elif ended and self.code not in CODES | ({FOUND} if command == "check" else set()):
            found.append((f"exit code {self.code}", text[-1000:]))
        grown = usage.ru_maxrss * 1024 - _own_bytes()
        if grown > MAX_BYTES:
            found.append(("over 1 GB", f"{grown / 1e6:.0f} MB"))
        left = self._left(pid)
        if left:
            found.append(("a process is left", left))
        return found + _output_faults(command, out, text, self.code)

    # ---- what is left

    def _left(self, pid):
        """End processes that outlive their parent by a moment; return their command lines."""
        for _ in range(_ROUNDS):
            others = _with_environment(str(self._case).encode())
            if not others and not _group_alive(pid):
                return ""
            select.select([], [], [], 0.05)
        printed = " ".join(
            Path(f"/proc/{other}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            for other in others
            if Path(f"/proc/{other}").exists()
        )
        for other in others:
            _end(os.kill, other)
        _end(os.killpg, pid)
        return printed or "of its group"

    def _traces(self, before, command, case):
        found = []
        after = self._listing(self._case)
        allowed = ("out/it/", "out/it.html") if self.code in (0, 3) or command == "validate" else ()
        if command == "overwrite" and self.code == 0:
            allowed = ("in/bundle/",)
        stray = [
            path
            for path in after
            if after[path] != before.get(path) and not (path + "/").startswith(allowed or ("\0",))
        ]
        stray += [path for path in before if path not in after and not path.startswith(allowed or ("\0",))]
        if self.code == 0:
            stray = [path for path in stray if path not in ("out", "in")]
        if stray:
            found.append(("left or changed files", " ".join(stray[:6])))
        if self._listing(self._canary) != self._kept:
            found.append(("the canary was changed", ""))
        out_files = [
            path for path in (self._case / "out").rglob("*") if path.is_file() and not path.is_symlink()
        ]
        if sum(path.stat().st_size for path in out_files) > _MAX_OUT:
            found.append(("writes without a bound", ""))
        else:
            texts = ((path, path.read_bytes()) for path in out_files)
            found += [
                ("brings a secret to light", str(path))
                for path, text in texts
                if any(secret in text for secret in _SECRETS)
            ][:1]
        links = [path for path in (self._case / "out").rglob("*") if path.is_symlink()]
        if links:
            found.append(("writes a link", str(links[0])))
        return found

    def _listing(self, folder):
        """Return {path: state} of everything below a folder, without following links."""
        found = {}
        for parent, folders, files in os.walk(folder):
            for name in (*folders, *files):
                path = os.path.join(parent, name)
                stat = os.lstat(path)
                is_folder = name in folders and not os.path.islink(path)
                found[os.path.relpath(path, folder)] = (
                    stat.st_mode if is_folder else (stat.st_mode, stat.st_size, stat.st_mtime_ns, stat.st_ino)
                )
        return found


def _output_faults(command, out, err, code):
    """Return what is wrong with a command's output."""
    found = []
    payload = command in ("cat", "serve", "read")
    text = "" if payload else out.decode("utf-8", "surrogateescape")
    for stream, printed in (("stdout", text), ("stderr", err)):
        control = _SHOWN.search(printed)
        if control:
            found.append(
                (f"{control[0]!r} on {stream}", printed[max(0, control.start() - 100) : control.end() + 100])
            )
        if any(line.startswith(values.FORGED) for line in printed.splitlines()):
            found.append((f"a forged line on {stream}", printed[:500]))
    if any(secret in out or secret.decode() in err for secret in _SECRETS):
        found.append(("says a secret", ""))
    if command.endswith("-json"):
        try:
            json.loads(out)
            out.decode("ascii")
        except ValueError as error:
            found.append(("no JSON", f"{error}: {out[:200]!r}"))
    if code and not payload and not (out or err):
        found.append(("ends without a word", str(code)))
    if len(err) > 1_000_000:
        found.append(("floods stderr", f"{len(err)} characters"))
    return found


def _where(text):
    """Return the exception and our innermost lines in a traceback: equal for equal faults."""
    lines = re.findall(r'File "[^"]*/tlparse_bundle/([^"]+)", line (\d+), in (\S+)', text)
    last = next(
        (
            line
            for line in reversed(text.splitlines())
            if re.match(r"[\w.]+(Error|Exception|Interrupt|Broken|Exit)", line)
        ),
        text.strip().splitlines()[-1],
    )
    where = " < ".join(f"{path}:{number} {name}" for path, number, name in reversed(lines[-2:]))
    return f"{last.split(':')[0]} at {where or 'the test itself'}"


def _import_all():
    """Import lazily imported modules, so children don't repeat it."""
    for module in pkgutil.walk_packages(tlparse_bundle.__path__, "tlparse_bundle."):
        if not module.name.endswith(("__main__", "dask_workers")):
            importlib.import_module(module.name)
    jsonschema.Draft202012Validator(schema("manifest")).is_valid({})


def _wait(pid, seconds):
    """Wait for a child; return whether it ended in time."""
    descriptor = os.pidfd_open(pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _with_environment(part):
    """Return the processes started with this in their environment.

    Forks of this process don't have it there.
    """
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if part in file.read():
                        found.append(int(name))
            except OSError:
                pass
    return found


def _end(kill, pid):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        kill(pid, signal.SIGKILL)


def _group_alive(pid):
    try:
        os.killpg(pid, 0)
        return True
    except (ProcessLookupError, PermissionError):
        return False


def _own_bytes():
    with open("/proc/self/statm") as stat:
        return int(stat.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
