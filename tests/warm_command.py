"""Run the command line in a fork of a process that has imported the modules, which saves Python's start."""

import atexit
import os
import pickle
import struct
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path

from waiting import HANG_S

_LENGTH = struct.Struct("<I")


@cache
def _parent():
    """Return the process to fork; one per worker of pytest."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    )
    atexit.register(process.kill)
    return process


def run_warm(arguments, cwd):
    """Run tlparse-bundle with these arguments; return a finished process with its output as bytes."""
    words = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in arguments]
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        request = pickle.dumps((os.fspath(cwd), words, out.name, err.name))
        parent = _parent()
        parent.stdin.write(_LENGTH.pack(len(request)) + request)
        parent.stdin.flush()
        (code,) = struct.unpack("<i", parent.stdout.read(4))
        return subprocess.CompletedProcess(words, code, _whole(out), _whole(err))


def _whole(file):
    file.seek(0)
    return file.read()


def _serve():
    """Run each request in a fork of this process."""
    import signal

    import tlparse_bundle.bundle.reader
    import tlparse_bundle.bundle.validate
    import tlparse_bundle.cli.main as command_line
    import tlparse_bundle.cli.progress
    import tlparse_bundle.serve.http.app  # noqa: F401

    answers = os.fdopen(os.dup(1), "wb")
    while head := sys.stdin.buffer.read(_LENGTH.size):
        cwd, words, out, err = pickle.loads(sys.stdin.buffer.read(*_LENGTH.unpack(head)))
        pid = os.fork()
        if pid == 0:
            signal.alarm(int(HANG_S))
            for number, target in ((0, os.devnull), (1, out), (2, err)):
                os.dup2(os.open(target, os.O_RDWR), number)
            answers.close()
            os.chdir(cwd)
            sys.argv = ["tlparse-bundle", *words]
            os._exit(_code_of(command_line.main))
        _, status = os.waitpid(pid, 0)
        answers.write(struct.pack("<i", os.waitstatus_to_exitcode(status)))
        answers.flush()


def _code_of(run):
    code = 0
    try:
        run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    return code


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    _serve()
