"""Words that redaction keeps are published: exactly those that scripts/redact-words finds in torch and this
package.

Otherwise the search for all strings (test_brute_force.py) would prove nothing, because it uses the same
lists.
"""

import os
import subprocess
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest
import traces
from brute_force import listed
from torch_python import NO_TORCH, TORCH, has_torch

MADE_WITH = "2.13"
ALL = pytest.mark.skipif(
    not os.environ.get("TLPARSE_BUNDLE_ALL_LOGS"),
    reason="the lists are held against torch with TLPARSE_BUNDLE_ALL_LOGS=1",
)


@pytest.fixture
def script():
    """Return scripts/redact-words as a module."""
    loader = SourceFileLoader("redact_words", str(traces.ROOT / "scripts" / "redact-words"))
    module = module_from_spec(spec_from_loader("redact_words", loader))
    loader.exec_module(module)
    return module


@ALL
def test_words_of_torch_are_in_torch(script, tmp_path):
    if not has_torch():
        pytest.skip(NO_TORCH)
    version = subprocess.run(
        [TORCH, "-c", "import torch; print(torch.__version__)"], check=True, capture_output=True, text=True
    ).stdout
    if not version.startswith(MADE_WITH):
        pytest.skip(f"the lists are those of torch {MADE_WITH}")
    found = script.of_torch(TORCH, tmp_path)
    assert sorted(listed("torch") - found) == []
    for name in ("operators", "files"):
        assert sorted(listed(name) - set((tmp_path / f"{name}.txt").read_text("utf-8").split())) == []


@ALL
def test_words_of_this_package_are_in_it(script):
    assert sorted((listed("ours") | listed("prose")) - script.prose() - script.ours()) == []
