"""Lengths of titles, texts and headlines, in which names and values count as having usual lengths."""

import re

MOST_HEADLINE, MOST_TITLE, MOST_SENTENCES = 120, 100, 3


def counted(text):
    """Return the length of a text, at most 20 characters of each code span."""
    return len(re.sub("`[^`]*`", lambda span: span[0][:20], text))


def sentence_count(text):
    return len(re.findall(r"[.!?](?=\s|$)", re.sub("`[^`]*`", "", text)))
