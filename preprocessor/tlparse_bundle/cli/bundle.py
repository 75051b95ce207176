"""Commands that read one bundle, or print its documents: info, cat, validate, restore, legacy, docs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tlparse_bundle.cli.completion import complete_contents, complete_schemas
from tlparse_bundle.cli.options import Location, no_verify
from tlparse_bundle.cli.output import say, say_json, shown


@click.command()
@click.argument("bundle", type=Location())
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def info(bundle: Path | str, as_json: bool) -> None:
    """Say what is in a bundle.

    \b
    Example:
      tlparse-bundle info out/
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.render.info import as_dict, as_text

    opened = Bundle.open(bundle)
    if as_json:
        say_json(as_dict(opened))
    else:
        say(as_text(opened))


@click.command()
@click.argument("bundle", type=Location())
@click.argument("what", metavar="BLOB|LOG/COMPILE/ARTIFACT|PATH", shell_complete=complete_contents)
@no_verify
def cat(bundle: Path | str, what: str, verify: bool) -> None:
    """Print one thing of a bundle, decoded.

    A blob by its hash, an artifact as LOG/COMPILE/ARTIFACT (NAME#2 for the second of a name), the
    timeline of a log as LOG/timeline, or any file by its path. A compile id holds a slash: write it as it is.
    LOG may be left out where there is one only.

    \b
    Example:
      tlparse-bundle cat out/ rank_0_ab12cd34/0/0/inductor_output_code
      tlparse-bundle cat out/ rank_0_ab12cd34/timeline > timeline.json
    """
    from tlparse_bundle.bundle.find import find
    from tlparse_bundle.bundle.reader import Bundle

    sys.stdout.buffer.write(find(Bundle.open(bundle, verify=verify), what))
    sys.stdout.buffer.flush()


@click.command()
@click.argument("bundle", type=Location())
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def validate(bundle: Path | str, as_json: bool) -> None:
    """Check a bundle: schemas, references, sizes and hashes.

    \b
    Example:
      tlparse-bundle validate out/
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.bundle.validate import validate as problems_of

    problems = problems_of(Bundle.open(bundle))
    if as_json:
        say_json({"ok": not problems, "problems": problems})
    else:
        for problem in problems:
            say(shown(problem))
        say(
            f"{shown(bundle)}: {len(problems)} problems" if problems else f"{shown(bundle)}: sound",
            err=bool(problems),
        )
    if problems:
        sys.exit(1)


@click.command()
@click.argument("bundle", type=Location())
@click.argument("folder", type=click.Path(path_type=Path))
@no_verify
def restore(bundle: Path | str, folder: Path, verify: bool) -> None:
    """Write the source logs again, byte for byte, into FOLDER.

    \b
    Example:
      tlparse-bundle restore out/ logs/
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.bundle.restore import restore as write_logs

    for path in write_logs(Bundle.open(bundle, verify=verify), folder):
        say(shown(path))


@click.command()
@click.argument("bundle", type=Location())
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--export", is_flag=True, help="As tlparse --export: what went wrong in a draft export.")
@no_verify
def legacy(bundle: Path | str, folder: Path, export: bool, verify: bool) -> None:
    """Write the files that other tools read from a tlparse report into FOLDER.

    compile_directory.json, raw.jsonl, chromium_events.json, raw.log, payloads/ and the artifacts, with
    the names and numbers that tlparse 0.4.8 --plain-text gives them; pages hold their data as text.
    Several logs go into folders of their own, rank_0/ and so on.

    \b
    Example:
      tlparse-bundle legacy out/ tl_out/
    """
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.legacy.report import write_legacy

    for path in write_legacy(Bundle.open(bundle, verify=verify), folder, export=export):
        say(shown(path))


@click.command()
@click.argument("what", type=click.Choice(["core", "format", "table", "schema"]), required=False)
@click.argument("name", required=False, shell_complete=complete_schemas)
def docs(what: str | None, name: str | None) -> None:
    """Print the format document or a part of it; without a name, what there is.

    \b
    Example:
      tlparse-bundle docs core
      tlparse-bundle docs table recompiles
      tlparse-bundle docs schema compiles
    """
    import json
    import textwrap

    from tlparse_bundle.bundle import schemas

    names = [*schemas.schema_names(), *schemas.document_names()]
    if what is None:
        say("tlparse-bundle docs core           the format in short: enough for most scripts and viewers")
        say("tlparse-bundle docs table NAME     one table in full, with rows and a program")
        say("tlparse-bundle docs format         what few readers need, and recipes")
        say("tlparse-bundle docs schema NAME    a JSON Schema, one of these:")
        say(textwrap.fill(", ".join(names), 100, initial_indent="  ", subsequent_indent="  "))
    elif what == "core":
        say(schemas.core_document(), nl=False)
    elif what == "format":
        say(schemas.format_document(), nl=False)
    elif name is None:
        say("\n".join(names if what == "schema" else schemas.table_names()))
    elif what == "table":
        say(schemas.table_page(name), nl=False)
    else:
        say(json.dumps(schemas.schema(name), indent=2, ensure_ascii=False))
