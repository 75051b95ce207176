"""Build hook: fetch the viewers' decoders and Pyodide, build the viewers' pages, and put schemas, viewers,
plug-in template and format document into the wheel.

The decoders (zstd, zip), Pyodide and the bundler are npm packages, pinned in viewers/package-lock.json.
Without npm everything works except that a page on a static server cannot read a zstd bundle (gzip bundles and
``tlparse-bundle serve`` need no decoder), that a page cannot open a zipped bundle or a raw log from disk, and
that pages load each module on its own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PYODIDE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
    "package.json",
)  # the last one is the license
VENDORED = {  # files of packages, and where they go below viewers/
    "fzstd": {"esm/index.mjs": "lib/vendor/fzstd.js", "LICENSE": "lib/vendor/fzstd.LICENSE"},
    "fflate": {"esm/browser.js": "lib/vendor/fflate.js", "LICENSE": "lib/vendor/fflate.LICENSE"},
    "pyodide": {name: f"vendor/python/{name}" for name in PYODIDE},
}
BUNDLER = "rolldown"
NOT_PACKAGED = {"node_modules", "dist", "__pycache__"}


class SharedFiles(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        self._fetch_vendored(root / "viewers")
        if version == "editable":
            return
        include = build_data["force_include"]
        shared = [path for folder in ("schema", "viewers", "plugin") for path in _files(root / folder)]
        documents = [
            *(root / "docs" / name for name in ("json-format.md", "format-core.md", "tables.md")),
            *sorted((root / "docs" / "tables").glob("*.md")),
        ]
        for path in [*shared, *documents]:
            include[str(path)] = f"tlparse_bundle/_shared/{path.relative_to(root)}"
        self._built = tempfile.TemporaryDirectory()
        for path in self._pages(root / "viewers", Path(self._built.name)):
            include[str(path)] = f"tlparse_bundle/_shared/viewers/built/{path.relative_to(self._built.name)}"

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        if hasattr(self, "_built"):
            self._built.cleanup()

    def _pages(self, viewers: Path, target: Path) -> list[Path]:
        """Build the viewers' pages into a folder and return the files; none when the bundler fails."""
        node = shutil.which("node")
        done = node and subprocess.run(
            [node, "build.mjs", target], cwd=viewers, capture_output=True, text=True, encoding="utf-8"
        )
        if not done or done.returncode:
            reason = done.stderr.strip() if done else "Node is missing"
            self.app.display_warning(f"the viewers' pages load each module on its own: {reason}")
            return []
        return list(_files(target))

    def _fetch_vendored(self, viewers: Path) -> None:
        copies = {
            viewers / "node_modules" / package / name: viewers / to
            for package, files in VENDORED.items()
            for name, to in files.items()
        }
        if all(target.exists() for target in copies.values()) and not (viewers / "node_modules").exists():
            return
        npm = shutil.which("npm")
        command = [npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
        if not _are_there(viewers) and (
            npm is None or subprocess.run(command, cwd=viewers, capture_output=True).returncode
        ):
            self.app.display_warning(
                "npm is missing or failed: pages on a static server will not read zstd bundles, and no page a"
                " zip or a raw log"
            )
            return
        for source, target in copies.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)


def _are_there(viewers: Path) -> bool:
    """Return whether npm has already installed the pinned versions."""
    pinned = json.loads((viewers / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name in (*VENDORED, BUNDLER):
        package = viewers / "node_modules" / name / "package.json"
        if (
            not package.exists()
            or json.loads(package.read_text(encoding="utf-8"))["version"]
            != pinned[f"node_modules/{name}"]["version"]
        ):
            return False
    return True


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in NOT_PACKAGED:
            yield from _files(path)
        elif path.is_file():
            yield path
