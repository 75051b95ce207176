"""viewers/lib/finding/kind-titles.js: the title of each kind of finding, as in docs/reference/findings.md."""

from __future__ import annotations

import json
from collections.abc import Mapping

from findings_page import references

_TEMPLATE = """\
// The title of each kind of finding, as in docs/reference/findings.md. Written by scripts/docs.
/** Of findings of one log. @type {{Record<string, string>}} */
const OF_LOGS = {logs};

/** Of findings over ranks. @type {{Record<string, string>}} */
const OF_RANKS = {ranks};

/**
 * Return the title of a kind; for a kind of a plug-in, its name in words.
 * @param {{string}} kind @param {{boolean}} [ofRanks]
 */
export function kindTitle(kind, ofRanks = false) {{
  const titles = ofRanks ? OF_RANKS : OF_LOGS;
  return Object.hasOwn(titles, kind) ? titles[kind] : kind.replaceAll("-", " ");
}}
"""


def kind_titles() -> str:
    """The text of the module."""
    logs, ranks = (
        {kind: entry.title for kind, entry in references(of_ranks).items()} for of_ranks in (False, True)
    )
    return _TEMPLATE.format(logs=_object(logs), ranks=_object(ranks))


def _object(titles: Mapping[str, str]) -> str:
    """Return an object as Prettier formats it."""
    lines = [f"  {json.dumps(kind)}: {json.dumps(title)},\n" for kind, title in sorted(titles.items())]
    return "{\n" + "".join(lines) + "}"
