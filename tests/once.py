"""Folders built once per session and shared by the workers of pytest."""

import hashlib
import os
import shutil

from tlparse_bundle.bundle.atomic.leftovers import try_lock
from waiting import until


def once_in_a_session(tmp_path_factory):
    """Return once(key, make): the folder that make(folder) filled, here or in another worker, for tests to
    read.

    ``key`` identifies the contents.
    """
    home = tmp_path_factory.getbasetemp()
    home = (home.parent if "PYTEST_XDIST_WORKER" in os.environ else home) / "once"
    home.mkdir(exist_ok=True)

    def folder(key, make):
        place = home / hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        if place.exists():
            return place
        with open(f"{place}.lock", "w") as lock:
            until(lambda: try_lock(lock.fileno()))
            if not place.exists():
                new = place.with_suffix(".new")
                shutil.rmtree(new, ignore_errors=True)  # left by a worker that failed
                new.mkdir()
                make(new)
                new.rename(place)
        return place

    return folder
