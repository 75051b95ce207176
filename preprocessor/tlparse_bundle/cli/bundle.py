"""The commands info, cat, validate, restore, legacy and docs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from tlparse_bundle.cli.completion import complete_contents, complete_schemas
from tlparse_bundle.cli.options import Location, no_verify
from tlparse_bundle.cli.output import say, say_json, shown


@click.command()
@click.argument("bundle", type=Location())
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def info(bundle: Path | str, as_json: bool) -> None:
    """Print the logs of a bundle, with their compiles and sizes.

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
    """Print an artifact, a timeline, a blob or a file, decoded.

    Name an artifact as LOG/COMPILE/ARTIFACT (ARTIFACT#2 for the second of that name), the timeline of a log
    as LOG/timeline, a blob by its hash, and a file by its path. COMPILE is a compile id such as 0/1. You can
    leave out LOG if only one log has the compile.

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
    """Validate the schemas, references, sizes and hashes of a bundle.

    \b
    Example:
      tlparse-bundle validate out/
    """
    from tlparse_bundle.base.wording import plural
    from tlparse_bundle.bundle.reader import Bundle
    from tlparse_bundle.bundle.validate import validate as problems_of

    problems = problems_of(Bundle.open(bundle))
    if as_json:
        say_json({"ok": not problems, "problems": problems})
    else:
        for problem in problems:
            say(shown(problem))
        say(
            f"{shown(bundle)}: {plural(len(problems), 'problem')}"
            if problems
            else f"{shown(bundle)}: no problems",
            err=bool(problems),
        )
    if problems:
        sys.exit(1)


@click.command()
@click.argument("bundle", type=Location())
@click.argument("folder", type=click.Path(path_type=Path))
@no_verify
def restore(bundle: Path | str, folder: Path, verify: bool) -> None:
    """Write the original logs into FOLDER, byte for byte.

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
@click.option("--export", is_flag=True, help="Write the report of a draft export, as tlparse --export does.")
@no_verify
def legacy(bundle: Path | str, folder: Path, export: bool, verify: bool) -> None:
    """Write a report for tools that read the files of tlparse.

    The files are compile_directory.json, raw.jsonl, chromium_events.json, raw.log, payloads/ and the
    artifacts, with the names and numbers that tlparse 0.4.8 --plain-text gives them. Each of several logs
    gets its own folder: rank_0/, rank_1/ and so on.

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
    """Print the format document, the page of a table or a schema.

    Without WHAT, list all pages and schemas.

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
        say("tlparse-bundle docs core           the core of the format: enough for most scripts and viewers")
        say("tlparse-bundle docs table NAME     one table in full, with example rows and a program")
        say("tlparse-bundle docs format         the rest of the format, and recipes")
        say("tlparse-bundle docs schema NAME    one of these JSON Schemas:")
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
