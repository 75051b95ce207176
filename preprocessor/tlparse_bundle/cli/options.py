"""Options that several commands have."""

from __future__ import annotations

import click

no_verify = click.option(
    "--no-verify", "verify", is_flag=True, flag_value=False, default=True, help="Do not check that payloads have the hash that they are stored under."
)
