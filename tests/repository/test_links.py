"""Links in documents lead to existing files and headings; scripts/site is tested with its pages."""

import re
from urllib.parse import unquote

import pytest
from documents import DOCUMENTS, prose, text_of

_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)")


def anchors(text):
    """Return the anchors that GitHub gives to the headings of a document."""
    found, counts = set(), {}
    for heading in re.findall(r"^#{1,6} +(.+?) *$", prose(text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        counts[slug] = counts.get(slug, -1) + 1
        found.add(f"{slug}-{counts[slug]}" if counts[slug] else slug)
    return found


def test_anchors_are_those_of_github():
    assert anchors(
        "# `a_b` and C++\n```\n# code\n```\n## [Two](x.md) words, at once\n## Again\n## Again"
    ) == {"a_b-and-c", "two-words-at-once", "again", "again-1"}
    assert {
        "README.md",
        "docs/json-format.md",
        "docs/tables/symbols.md",
        "viewers/FORK.md",
        "schema/CHANGELOG.md",
        "fixtures/killed/README.md",
    } < DOCUMENTS.keys()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_link_leads_somewhere(name):
    text, broken = text_of(name), []
    for target, anchor in _LINK.findall(re.sub(r"`[^`\n]*`", "", prose(text))):
        path = (DOCUMENTS[name].parent / unquote(target)).resolve() if target else DOCUMENTS[name]
        if not path.exists() or (anchor and anchor not in anchors(path.read_text(encoding="utf-8"))):
            broken.append(f"{target}#{anchor}" if anchor else target)
    assert broken == []
