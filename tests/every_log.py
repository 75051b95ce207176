"""Groups of sources (folders of logs); the tests build one bundle per group to read all fixtures and public
logs in few bundles.

Costs per bundle, such as a page or a query, are paid once for twenty logs. The id of a log begins with its
source.
"""

import shutil
from collections import Counter
from pathlib import Path

import pytest
import traces
from tlparse_bundle import discover

MOST_LOGS = 20  # logs per group; the letter shows as many
_PREFIX = "dedicated_log_torch_trace_"


def _groups():
    """Return lists of folders with at most MOST_LOGS logs together, or one folder with more; one list per
    version in the archive.
    """
    sizes = Counter(folder for log in traces.EVERY_LOG for folder in log.parents)
    groups = []
    for public in (False, True):
        size = MOST_LOGS
        for folder in traces.EVERY_FOLDER:
            if _is_public(folder) != public:
                continue
            if size + sizes[folder] > MOST_LOGS:
                groups.append([])
                size = 0
            groups[-1].append(folder)
            size += sizes[folder]
    return groups + [[version] for version in traces.ARCHIVE_VERSIONS if traces.SHARED.is_dir()]


def _is_public(source):
    return isinstance(source, str) or not source.is_relative_to(traces.ROOT)


def name_of(source):
    """Return the prefix of the log ids of a source: a folder, or a version in the archive."""
    if isinstance(source, str):
        return f"archive-{source}"
    return "-".join(source.relative_to(traces.SHARED if _is_public(source) else traces.ROOT).parts)


def copy_logs(source, folder, out):
    """Copy the logs of a source, a folder, to names that begin with the source's name."""
    for log in discover([folder]):
        path = Path(log.path)
        shutil.copyfile(path, out / f"{_PREFIX}{name_of(source)}--{path.name.removeprefix(_PREFIX)}")


GROUPS = _groups()
# The numbers of the groups, as parameters of a test; public logs are larger than those of fixtures/.
NUMBERS = [
    pytest.param(
        number,
        id=f"{name_of(group[0])} and {len(group) - 1} more" if group[1:] else name_of(group[0]),
        marks=[pytest.mark.slow] if _is_public(group[0]) else [],
    )
    for number, group in enumerate(GROUPS)
]


def of_source(logs, source):
    """Return the logs of one source in a bundle of a group."""
    return [log for log in logs if log.id.startswith(f"{name_of(source)}--")]
