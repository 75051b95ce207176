"""How commands end: signals, a full disk, missing permissions, little memory, two at once.

Nothing is lost, and nothing is left.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
import traces
import zstandard
from fuzz.kills import processes
from log_builder import record
from tlparse_bundle import Bundle, build, discover
from waiting import HANG_S, until

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
MARK = "TLPARSE_ENDINGS_MARK"


def environment(**more):
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}


def command(*arguments):
    return [sys.executable, "-m", "tlparse_bundle", *map(str, arguments)]


def entries(place):
    return sorted(path.name for path in place.iterdir())


@pytest.fixture(scope="module")
def endless_log(tmp_path_factory):
    """Write a log of some GB in a small file."""
    data = zstandard.compress(
        b"".join(record(f"artifact:a {i}/0", payload=f"{i}\n" * 500) for i in range(2_000))
    )
    path = tmp_path_factory.mktemp("endless") / "x.log.zst"
    path.write_bytes(data * 500)
    return path


@pytest.fixture
def endless(endless_log, tmp_path):
    """Return endless(count): logs so long that a signal always arrives in the middle of the work."""
    (tmp_path / "trace").mkdir()

    def make(count):
        for rank in range(count):
            os.link(endless_log, tmp_path / "trace" / f"rank_{rank}_x.log.zst")
        return tmp_path / "trace"

    return make


def _heeds_signals():
    """Reset signals, because processes in the background of a shell or under nohup inherit ignored ones."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Started:
    """A running build in a folder with only logs and perhaps an old bundle."""

    def __init__(self, folder, *options, heeds_signals=True):
        self.folder, self.mark = folder, uuid.uuid4().hex
        self.process = subprocess.Popen(
            command("trace", "out", *options), cwd=folder, env=environment(**{MARK: self.mark}),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=_heeds_signals if heeds_signals else None,
        )  # fmt: skip

    def working(self):
        until(lambda: self.process.poll() is not None or any(self.folder.glob(".out.*.partial/**/*.zst")))
        assert self.process.poll() is None, self.process.stderr.read()
        return self

    def children(self, word, but="\0"):
        """Return the ids of child processes whose command line contains the one word but not the other."""
        found = []
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            for pid in (task / "children").read_text().split():
                line = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
                if word in line and but not in line:
                    found.append(int(pid))
        return found

    def end(self):
        stdout, stderr = self.process.communicate(timeout=HANG_S)
        assert "Traceback" not in stderr
        until(lambda: processes(self.mark), [])
        return self.process.returncode, stdout, stderr


# ---- signals


@LINUX
@pytest.mark.parametrize("logs, jobs", [(2, 2), (1, 2), (1, 1)])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_a_signal_leaves_no_process_and_no_file(number, logs, jobs, endless, tmp_path):
    endless(logs)
    started = Started(tmp_path, "--jobs", jobs, "--json").working()
    started.process.send_signal(number)
    code, stdout, stderr = started.end()
    until(lambda: entries(tmp_path), ["trace"])
    if number == signal.SIGKILL:
        assert code == -number
    else:
        assert code == 128 + number and "Terminated. Nothing was written." in stderr
        assert json.loads(stdout)["error"]["code"] == "terminated"


@LINUX
def test_a_signal_that_is_ignored_stays_so(endless, tmp_path):
    """As with nohup."""
    endless(1)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        started = Started(tmp_path, "--jobs", "1", heeds_signals=False).working()
    finally:
        signal.signal(signal.SIGHUP, before)
    status = Path(f"/proc/{started.process.pid}/status").read_text()
    ignored = int(status.split("SigIgn:")[1].split()[0], 16)
    started.process.send_signal(signal.SIGKILL)
    started.end()
    assert ignored >> (signal.SIGHUP - 1) & 1
    until(lambda: entries(tmp_path), ["trace"])


_LOST = """
import os, signal, sys, time
from tlparse_bundle.cli import exits as endings
endings.raise_at_signals()
class Lost:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        sum(range(9))
Lost()
try:
    os.write(1, b"went on\\n")
    signal.pause()
except BaseException as error:
    print(repr(error))
"""


@LINUX
@pytest.mark.parametrize(
    "number, ended", [(signal.SIGTERM, "Terminated(15)"), (signal.SIGINT, "KeyboardInterrupt()")]
)
def test_a_signal_that_python_loses_is_repeated(number, ended):
    """An exception raised in a destructor or a weak reference callback reaches nobody."""
    done = subprocess.run(
        [sys.executable, "-c", _LOST, str(int(number))],
        env=environment(),
        preexec_fn=_heeds_signals,
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    assert done.stdout.split("\n")[:2] == ["went on", ended] and done.stderr == ""


_LATE = """
import atexit, os, sys
from tlparse_bundle.cli.main import main
number = int(sys.argv.pop(1))
def late():
    os.kill(os.getpid(), number)
    sum(range(9))
atexit.register(late)
main()
"""


@LINUX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("word, message", [("format", ""), ("nothing", "Error")])
def test_a_signal_at_the_very_end_is_not_a_fault(number, word, message):
    """While the interpreter exits, an exception would only print a traceback."""
    command = [sys.executable, "-c", _LATE, str(int(number)), "docs", word]
    done = subprocess.run(
        command, env=environment(), preexec_fn=_heeds_signals, capture_output=True, text=True, timeout=HANG_S
    )
    assert done.returncode == -number and message in done.stderr and "Traceback" not in done.stderr


# ---- processes that help


@LINUX
@pytest.mark.parametrize("logs, word", [(2, "spawn_main"), (1, "tlparse_bundle")])
def test_a_killed_worker_is_reported_in_a_sentence(logs, word, endless, tmp_path):
    endless(logs)
    started = Started(tmp_path, "--jobs", "2", "--json").working()
    until(lambda: len(started.children(word, but="leftovers")) > 0)
    os.kill(started.children(word, but="leftovers")[0], signal.SIGKILL)
    code, stdout, stderr = started.end()
    assert code == 1 and json.loads(stdout)["error"]["code"] == "worker-died" and "--jobs 1" in stderr
    assert entries(tmp_path) == ["trace"]


# ---- two at once


@LINUX
def test_the_second_of_two_parallel_builds_is_refused(endless, tmp_path):
    endless(1)
    started = Started(tmp_path, "--jobs", "1").working()
    started.process.send_signal(signal.SIGSTOP)
    (tmp_path / "small.log").write_bytes(record("a"))
    small = command("small.log", "out", "--json")
    second = subprocess.run(
        small, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=HANG_S
    )
    assert second.returncode == 1 and json.loads(second.stdout)["error"]["code"] == "busy"
    assert "another process is writing 'out'" in second.stderr
    started.process.send_signal(signal.SIGKILL)
    started.end()
    subprocess.run(small, cwd=tmp_path, env=environment(), check=True, capture_output=True, timeout=HANG_S)
    until(lambda: entries(tmp_path), ["out", "small.log", "trace"])


# ---- a full disk, a place without rights, little of everything


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """A folder with a log that does not compress well, and two bundles."""
    folder = tmp_path_factory.mktemp("material")
    for rank in (0, 1):
        payload = "".join(uuid.uuid5(uuid.NAMESPACE_URL, f"{rank} {number}").hex for number in range(20_000))
        (folder / f"rank_{rank}.log").write_bytes(record("artifact:a 0/0", payload=payload))
        build(discover([folder / f"rank_{rank}.log"]), folder / f"bundle{rank}", codec="gzip", jobs=1)
    return folder


def commands(material, out):
    return {
        "build": ("build", material / "rank_0.log", material / "rank_1.log", out, "--json", "--jobs", "2"),
        "one": ("build", material / "rank_0.log", out, "--json"),
        "over": ("build", material / "rank_0.log", out, "--json", "--overwrite"),
        "merge": ("merge", material / "bundle0", material / "bundle1", out, "--json"),
        "restore": ("restore", material / "bundle0", out),
        "legacy": ("legacy", material / "bundle0", out),
        "site": ("site", material / "bundle0", out),
        "export": ("export", material / "bundle0", out),
        "fork": ("fork", "default", out),
        "plugin": ("fork", "plugin", out),
        "redact": ("redact", material / "bundle0", out),
        "redacted site": ("site", material / "bundle0", out, "--preset", "share-with-public"),
        "sql": ("sql", material / "bundle0", "--out", out),
        "compare": ("compare", material / "bundle0", material / "bundle1", "--out", out),
        "comparison": ("compare", material / "bundle0", material / "bundle1", "--export", out),
        "trend": ("trend", material / "bundle0", material / "bundle1", "--out", out),
        "junit": ("check", material / "bundle0", "--max-breaks", "9", "--junit", out),
        "baseline": ("check", material / "bundle0", "--write-baseline", out),
    }


NAMES = list(commands(Path(), Path()))
SMALL = ("plugin", "redact", "junit", "baseline")  # these write little
FILES = ("export", "sql", "comparison", "junit", "baseline")  # these write a file, all others a folder


@pytest.fixture
def in_a_namespace(tmp_path):
    """Return in_a_namespace(script, *arguments): run a shell that may mount on ./place; skip where that is
    not allowed.
    """

    def run(script, *arguments):
        place = tmp_path / "place"
        place.mkdir(exist_ok=True)
        shell = ["unshare", "-Urm", "sh", "-c", script, "sh", *map(str, arguments)]
        return subprocess.run(
            shell, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=HANG_S
        )

    if shutil.which("unshare") is None or run("mount -t tmpfs none place").returncode:
        pytest.skip("no file system may be mounted here")
    return run


def fails_with(done, words):
    assert done.returncode == 1 and words in done.stderr and "Traceback" not in done.stderr, done.stderr
    if done.stdout.startswith("{"):
        assert words in json.loads(done.stdout.splitlines()[0])["error"]["message"]


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk(name, material, in_a_namespace):
    words = commands(material, "place/out")[name]
    old = (
        f"cp -r {material}/bundle1 place/out; before=$(find place | sort | md5sum);"
        if name == "over"
        else "before=$(find place | sort | md5sum);"
    )
    size = "800k" if name == "over" else "100k"
    if name in SMALL:
        old = f"head -c 1000000 /dev/zero > place/other 2> /dev/null; {old}"
    script = (
        f'mount -t tmpfs -o size={size} none place; {old} "$@"; code=$?; test "$before" = "$(find place |'
        ' sort | md5sum)" || find place >&2; exit $code'
    )
    done = in_a_namespace(script, *command(*words))
    fails_with(
        done, "only 102,400 are free" if name == "restore" else "No space left on device"
    )  # restore knows what it needs
    assert "place/out/" not in done.stderr and ".partial" not in done.stderr
    assert name == "restore" or (
        "Error: 'place/out' cannot be written" in done.stderr
        and "Choose a path on a disk with enough space" in done.stderr
    )


@pytest.mark.parametrize("name", ["redact", "redacted site"])
def test_a_full_disk_for_temporary_files(name, material, in_a_namespace):
    words = commands(material, "out")[name]
    done = in_a_namespace('mount -t tmpfs -o size=40k none place; TMPDIR=$PWD/place "$@"', *command(*words))
    fails_with(done, "No space left on device")
    assert "/place' cannot be written" in done.stderr and "Set TMPDIR to a folder" in done.stderr


@pytest.mark.parametrize("name", [name for name in NAMES if name != "over"])
@pytest.mark.parametrize("where", ["out", "new/out"])
def test_a_place_that_is_read_only(name, where, material, in_a_namespace):
    fails_with(
        in_a_namespace(
            'mount -t tmpfs -o ro none place; "$@"', *command(*commands(material, f"place/{where}")[name])
        ),
        "Read-only file system",
    )


def test_an_old_bundle_in_a_place_that_is_read_only(material, in_a_namespace):
    script = f'mount -t tmpfs none place; cp -r {material}/bundle1 place/out; mount -o remount,ro place; "$@"'
    fails_with(
        in_a_namespace(script, *command(*commands(material, "place/out")["over"])), "Read-only file system"
    )


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("over", *FILES)])
def test_an_empty_mount_point_is_filled(name, material, in_a_namespace):
    """As in containers, where the surrounding folder may be read-only."""
    script = (
        "mount -t tmpfs none place; mkdir place/out; mount -t tmpfs none place/out; mount -o remount,ro"
        ' place; "$@" && ls -A place place/out >&2'
    )
    done = in_a_namespace(script, *command(*commands(material, "place/out")[name]))
    assert done.returncode == 0 and ".partial" not in done.stderr and ".tlparse-lock" not in done.stderr, (
        done.stderr
    )


def test_a_mount_point_that_holds_a_bundle_cannot_be_replaced(material, in_a_namespace):
    script = (
        f'mount -t tmpfs none place; cp -r {material}/bundle1/* place; "$@"; code=$?; find place | wc -l >&2;'
        " exit $code"
    )
    done = in_a_namespace(script, *command(*commands(material, "place")["over"]))
    assert done.returncode == 1 and "empty it first" in done.stderr and "Traceback" not in done.stderr
    assert int(done.stderr.split()[-1]) > 10


@LINUX
@pytest.mark.parametrize("limit", ["-n 64", "-n 16", "-v 400000", "-v 150000", "-v 60000", "-f 100"])
@pytest.mark.parametrize("name", ["build", "one", "over", "restore", "export"])
def test_little_of_something(limit, name, material, tmp_path):
    """The command succeeds or reports the shortage, and leaves no file or process."""
    out = tmp_path / "out"
    if name == "over":
        shutil.copytree(material / "bundle1", out)
    before = traces.files(out) if out.exists() else None
    shell = ["bash", "-c", f'ulimit {limit}; exec "$@"', "bash", *command(*commands(material, out)[name])]
    done = subprocess.run(
        shell,
        env={**environment(), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    if done.returncode == 0:
        assert out.exists() and (name in ("restore", "export") or Bundle.open(out).logs)
    else:
        assert (traces.files(out) if out.exists() else None) == before
    until(lambda: entries(tmp_path), ["out"] if out.exists() else [])
    begun = (
        "tlparse_bundle/cli/main.py" in done.stderr or "Error" in done.stderr
    )  # otherwise the interpreter itself did not start
    if limit in ("-n 64", "-f 100", "-v 400000"):
        assert begun or done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
    if limit == "-n 64":
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("info",),
        ("report", "--format", "markdown"),
        ("report", "--format", "json"),
        ("cat", "0/0/a"),
        ("sql", "select * from events, range(1000)", "--format", "csv"),
        ("check", "--max-breaks", "0"),
        ("docs", "core"),
    ],
)
def test_standard_output_that_is_full(words, material, tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command(words[0], *([] if words[0] == "docs" else [material / "bundle0"]), *words[1:]),
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=HANG_S,
        )
    assert (
        done.returncode == 1
        and "standard output cannot be written: No space left" in done.stderr
        and "Traceback" not in done.stderr
        and "Exception" not in done.stderr
    )


# ---- faults of ours


@pytest.mark.parametrize(
    "error, code, shown",
    [
        ("KeyError('x')", "internal", True),
        ("MemoryError()", "memory", False),
        ("OSError(24, 'Too many open files')", "system", False),
    ],
)
def test_unexpected_errors_are_json(error, code, shown, material):
    program = (
        "import sys; sys.argv = ['tlparse-bundle', 'info', '--json', sys.argv[1]]\n"
        "import tlparse_bundle.render.info as info\n"
        f"def fail(bundle): raise {error}\n"
        "info.as_dict = fail\n"
        "from tlparse_bundle.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(material / "bundle0")],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )
    assert done.returncode == 1 and json.loads(done.stdout)["error"]["code"] == code
    assert ("Traceback" in done.stderr) == shown  # an internal error must be visible
