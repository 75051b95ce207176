"""Imports point down and have no cycle, including those for type checkers and those inside functions."""

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest
import traces
from tlparse_bundle.statements.ranks.registry import ANALYSES
from tlparse_bundle.statements.registry import MODULES as FINDINGS
from tlparse_bundle.tables.registry import TABLES

PACKAGE = traces.ROOT / "preprocessor" / "tlparse_bundle"
MODULES = sorted(PACKAGE.rglob("*.py"))

# The rooms, and the modules beside them, from top to bottom. A room may import rooms of lower floors, but not
# of its own floor.
FLOORS = (
    {"__main__"},
    {"in_browser", "pytest"},
    {"cli"},
    {"mcp"},
    {"serve"},
    {"redact", "legacy"},
    {"follow"},
    {"pipeline"},
    {"render"},
    {"statements"},
    {"tables"},
    {"model"},
    {"log"},
    {"bundle"},
    {"guards"},
    {"base"},
    {"__init__"},
)
FLOOR = {room: number for number, floor in enumerate(FLOORS) for room in floor}


def name_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts if len(parts) == 2 or parts[-1] != "__init__" else parts[:-1])


NAMES = {name_of(path): path for path in MODULES}


def imports(path):
    """Return the names of our modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if (node.module or "").partition(".")[0] == "tlparse_bundle":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield (
                        inner
                        if inner in NAMES
                        else "tlparse_bundle.__init__"
                        if node.module == "tlparse_bundle"
                        else node.module
                    )
        elif isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if alias.name.partition(".")[0] == "tlparse_bundle"
            )


@cache
def all_imports():
    return {name: set(imports(path)) for name, path in NAMES.items()}


def room(name):
    return name.split(".")[1]


def upwards(name, imported):
    """Return the imported modules above or beside the room of a module."""
    return {
        other for other in imported if room(other) != room(name) and FLOOR[room(other)] <= FLOOR[room(name)]
    }


def test_imports_point_down():
    found = {name: upwards(name, imported) for name, imported in all_imports().items()}
    assert {name: others for name, others in found.items() if others} == {}, (
        "these import what lies above or beside their room"
    )


def test_imports_never_go_round():
    try:
        TopologicalSorter(all_imports()).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_cycles_and_upward_imports_are_found(tmp_path):
    """The two tests above can fail."""
    path = tmp_path / "made_up.py"
    path.write_text(
        "import tlparse_bundle.base.errors\n"
        "from tlparse_bundle.log import event\n"
        "from tlparse_bundle.statements.ranks.registry import ANALYSES\n"
        "def late():\n"
        "    from tlparse_bundle.render.markdown import cell\n"
        "    from tlparse_bundle.tables import table\n"
    )
    above, beside = "tlparse_bundle.statements.ranks.registry", "tlparse_bundle.render.markdown"
    below = {"tlparse_bundle.base.errors", "tlparse_bundle.log.event"}
    assert set(imports(path)) == {above, beside, "tlparse_bundle.tables.table", *below}
    assert upwards("tlparse_bundle.tables.made_up", imports(path)) == {above, beside}
    with pytest.raises(CycleError):
        TopologicalSorter(
            {**all_imports(), "tlparse_bundle.log.event": {"tlparse_bundle.log.envelope"}}
        ).prepare()


def test_every_room_has_its_floor():
    assert {room(name) for name in NAMES} == set(FLOOR)


def registered(package, things):
    modules = {getattr(thing, "__module__", thing.__name__) for thing in things}
    return [
        (name, modules)
        for name in NAMES
        if name.startswith(f"tlparse_bundle.{package}.") and not name.endswith(".registry")
    ]


def test_registered_modules_do_not_import_each_other():
    """Only the registry imports all tables or all analyses; shared code of several is in an unregistered
    module.
    """
    rooms = [
        registered("tables", TABLES),
        registered("statements.ranks", ANALYSES),
        registered("statements.kinds", FINDINGS),
    ]
    assert all(rooms)
    modules = [module for room in rooms for module in room]
    assert {name: both for name, others in modules if (both := all_imports()[name] & others)} == {}


def test_families_of_events_import_only_what_a_kind_is():
    families = [
        name
        for name in NAMES
        if name.startswith("tlparse_bundle.log.events.") and not name.endswith(".registry")
    ]
    assert len(families) > 5
    assert {
        name: more for name in families if (more := all_imports()[name] - {"tlparse_bundle.log.events.kind"})
    } == {}


@pytest.mark.parametrize(
    ("library", "home"),
    [("orjson", "json_codec"), ("zstandard", "zstd_codec"), ("compression", "zstd_codec")],
)
def test_a_codec_has_one_module(library, home):
    """So another implementation can replace it."""
    found = {
        name
        for name, path in NAMES.items()
        if library in path.read_text() and any(_imports_library(path, library))
    }
    assert found == {f"tlparse_bundle.bundle.{home}"}


def _imports_library(path, library):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] == library for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0] == library


def test_a_module_is_short():
    lines = {
        str(path.relative_to(PACKAGE)): len(path.read_text().splitlines())
        for path in MODULES
        if path.name != "row_types.py"
    }  # that one is generated
    assert {path: count for path, count in lines.items() if count > 400} == {}
