"""Imports go one way: cli -> serve, bundle -> ranks, tables -> events -> trace -> diagnostics, errors."""

import ast

import pytest
import traces
from tlparse_bundle.ranks.registry import ANALYSES
from tlparse_bundle.tables.registry import TABLES

PACKAGE = traces.ROOT / "preprocessor" / "tlparse_bundle"
MODULES = sorted(PACKAGE.rglob("*.py"))

# What the modules of a part may import of ours, besides their own part.
BASE = {"diagnostics", "errors", "remote"}
ALLOWED = {
    "diagnostics": set(),
    "errors": set(),
    "remote": {"errors"},
    "trace": BASE,
    "events": set(),
    "provenance": {"trace", *BASE},
    "tables": {"provenance", "events", "trace", *BASE},
    "ranks": {"tables", "events", "trace", *BASE},
    "bundle": {"ranks", "tables", "events", "trace", "__init__", *BASE},
    "serve": {"bundle", *BASE},
    "legacy": {"bundle", "ranks", "tables", "events", "trace", *BASE},
    "progress": {"bundle"},
    "cli_serve": {"serve", "bundle", *BASE},
    "cli_share": {"cli_serve", "serve", "bundle", *BASE},
    "cli_run": {"cli_serve", "bundle", "trace", "progress", "recording", *BASE},
    "recording": BASE,
    "cli_build": {"cli_serve", "bundle", "trace", "progress", *BASE},
    "cli": {"cli_build", "cli_run", "cli_serve", "cli_share", "bundle", "legacy", "tables", "events", "trace", "progress", "__init__", *BASE},
    "__main__": {"cli"},
    "__init__": set(),
}


def imports(path, *, typing_only=False):
    """Names of our modules that a file imports, anywhere in it; without those for type checkers."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not typing_only:
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "tlparse_bundle":
                for alias in node.names:
                    is_part = (PACKAGE / alias.name).is_dir() or (PACKAGE / f"{alias.name}.py").is_file()
                    yield f"tlparse_bundle.{alias.name if is_part else '__init__'}"
            elif node.module and node.module.startswith("tlparse_bundle."):
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield inner if (PACKAGE.parent / (inner.replace(".", "/") + ".py")).is_file() else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("tlparse_bundle"))


def part(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path):
    own = part(path)
    for name in imports(path):
        other = name.split(".")[1]
        assert other == own or other in ALLOWED[own], f"{own} imports {name}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "tables").glob("*.py")), ids=lambda path: path.stem)
def test_tables_do_not_import_each_other(path):
    """Only the registry knows the tables; what several of them need is a module that is no table."""
    if path.stem != "registry":
        assert {name for name in imports(path)} & {table.__module__ for table in TABLES} == set()


@pytest.mark.parametrize("path", sorted((PACKAGE / "ranks").glob("*.py")), ids=lambda path: path.stem)
def test_analyses_do_not_import_each_other(path):
    if path.stem != "registry":
        assert {name for name in imports(path)} & {analysis.__module__ for analysis in ANALYSES} == set()


@pytest.mark.parametrize("path", sorted((PACKAGE / "events").glob("*.py")), ids=lambda path: path.stem)
def test_families_of_events_import_only_what_a_kind_is(path):
    if path.stem != "registry":
        assert set(imports(path)) <= {"tlparse_bundle.events.kinds"}


def test_the_list_names_every_part():
    assert {part(path) for path in MODULES} == set(ALLOWED)
