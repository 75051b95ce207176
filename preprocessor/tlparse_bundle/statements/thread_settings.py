"""Settings of torch as fixes in programs that compile in threads."""

from __future__ import annotations

import re

from tlparse_bundle.statements.export_calls import stack
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.finding import Finding

_SETTING = re.compile(r"\btorch\._(?:dynamo|inductor|functorch)\.config\.\w+")
_THREAD = "_bootstrap"  # threading.py: the first function of a thread
# torch/utils/_config_module.py: "User overrides are thread-local."
_PER_THREAD = (
    "These compiles ran in threads. In torch 2.13 and later, settings are per thread: set them in the"
    " thread that calls the function."
)


def explain_threads(facts: Facts, finding: Finding) -> None:
    """Say where to change a setting, if a finding advises to and all its compiles ran in threads."""
    texts = (text for remedy in finding.remedies for text in (remedy.text, remedy.code or ""))
    if any(map(_SETTING.search, texts)) and _all_in_threads(facts, finding):
        finding.text = f"{finding.text}\n\n{_PER_THREAD}".lstrip()


def _all_in_threads(facts: Facts, finding: Finding) -> bool:
    stacks = {facts.compiles[number]["stack"] for number in finding.compiles}
    return bool(stacks) and all(any(frame.name == _THREAD for frame in stack(facts, one)) for one in stacks)
