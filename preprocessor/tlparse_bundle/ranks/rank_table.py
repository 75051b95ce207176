"""What an analysis of several ranks yields: tables of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

RankTable = tuple[str, Sequence[dict]]  # name and rows
Tables = Mapping[str, Sequence[dict]]  # rows of the tables of the analyses before, by name
