"""Folders of many bundles with generated numbers: changed manifests of a real bundle.

The trend needs nothing else of a bundle.
"""

import copy
import json
from pathlib import Path

DAY_US = 24 * 3600 * 1_000_000
FIRST_US = 1_772_330_400_000_000  # 2026-03-01 02:00 UTC


def made_runs(folder, manifest, changes, *, label=None, name="run-{:03d}"):
    """Write a bundle for each of ``changes``: new values in the summary of its logs, a dict for all logs or a
    list with one per log.

    ``torch_version`` is that of the log. Runs start a day apart. ``label`` is a text, or a function of the
    run's number. Returns the folders.
    """
    folders = []
    for number, change in enumerate(changes):
        made = copy.deepcopy(manifest)
        logs = [copy.deepcopy(made["logs"][0]) for _ in range(len(change) if isinstance(change, list) else 1)]
        for rank, (log, own) in enumerate(
            zip(logs, change if isinstance(change, list) else [change], strict=True)
        ):
            log["id"] = f"{log['id']}_{rank}"
            log["summary"] |= {
                "start_epoch_us": FIRST_US + number * DAY_US + rank,
                **{key: value for key, value in own.items() if key != "torch_version"},
            }
            log["torch_version"] = own.get("torch_version", log["torch_version"])
        made["logs"] = logs
        made["commit"] = f"{number:07x}"
        text = label(number) if callable(label) else label
        if text is not None:
            made["label"] = text
        folders.append(Path(folder) / name.format(number))
        folders[-1].mkdir(parents=True)
        (folders[-1] / "manifest.json").write_text(json.dumps(made))
    return folders
