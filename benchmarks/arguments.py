"""Command-line options shared by all benchmarks."""

from __future__ import annotations

import argparse
from pathlib import Path


def measuring_parser(document: str) -> argparse.ArgumentParser:
    """Return a parser with ``--rounds`` and ``--json``; the script's docstring is its help."""
    parser = argparse.ArgumentParser(
        description=document, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rounds", type=int, default=5, help="0 counts the first round, which otherwise only warms up"
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser


def add_budgets(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-budgets``, for inputs whose sizes the budgets are not set for."""
    parser.add_argument(
        "--no-budgets",
        action="store_true",
        help="exit with 0 even when a budget is missed, such as with a small input",
    )


def add_scale(parser: argparse.ArgumentParser) -> None:
    """Add ``--scale``, a factor for the sizes of all inputs that the script builds."""
    parser.add_argument(
        "--scale",
        type=float,
        default=1,
        help="factor for the sizes of the inputs, such as 0.01 for a quick look",
    )
