"""fixtures/parallel: the logs of a case, and the truth about it."""

import atexit
import io
import json
import shutil
import tarfile
import tempfile
from functools import cache
from pathlib import Path

import traces
import zstandard

FOLDER = traces.ROOT / "fixtures" / "parallel"
NAMES = sorted(path.name.removesuffix(".tar.zst") for path in FOLDER.glob("*.tar.zst"))
_LARGEST_WINDOW = 1 << 27


def truth(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def logs(name):
    """Return {name of the file: its bytes} of all ranks."""
    packed = (FOLDER / f"{name}.tar.zst").read_bytes()
    reader = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_reader(packed)
    with tarfile.open(fileobj=io.BytesIO(reader.read()), mode="r:") as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive}


@cache
def unpacked(name):
    """Return a folder with the logs of a case, which lasts as long as the process."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return unpack(name, folder)


def unpack(name, folder):
    """Write the logs of a case into a folder, and return it."""
    for file, data in logs(name).items():
        (folder / file).write_bytes(data)
    return folder
