"""Build hook: puts the zstd decoder of the viewers in place, and schemas, viewers and the format
document into the wheel.

The decoder is an npm package, pinned in viewers/package-lock.json. Without npm everything works
except that a page on a static server cannot read a zstd bundle (gzip bundles and
``tlparse-bundle serve`` need no decoder).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SharedFiles(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        self._fetch_decoder(root / "viewers")
        if version == "editable":
            return
        include = build_data["force_include"]
        shared = [root / "schema", root / "docs" / "json-format.md"]
        shared += [p for p in (root / "viewers").iterdir() if p.name != "node_modules"]
        for path in shared:
            include[str(path)] = f"tlparse_bundle/_shared/{path.relative_to(root)}"

    def _fetch_decoder(self, viewers: Path) -> None:
        target = viewers / "lib" / "vendor"
        if (target / "fzstd.js").exists():
            return
        npm = shutil.which("npm")
        command = [npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
        if npm is None or subprocess.run(command, cwd=viewers, capture_output=True).returncode:
            self.app.display_warning("npm is missing or failed: pages on a static server will not read zstd bundles")
            return
        package = viewers / "node_modules" / "fzstd"
        target.mkdir(exist_ok=True)
        shutil.copyfile(package / "esm" / "index.mjs", target / "fzstd.js")
        shutil.copyfile(package / "LICENSE", target / "fzstd.LICENSE")
