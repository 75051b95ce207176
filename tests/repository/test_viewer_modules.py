"""Modules of the viewers: none is long, each folder is described, and imports go one way."""

from functools import cache
from graphlib import CycleError, TopologicalSorter

import traces
from tlparse_bundle.serve.viewers import IMPORT, LATER, TYPE, WORKER, references

VIEWERS = traces.ROOT / "viewers"
SKIPPED = {"node_modules", "vendor", "dist"}
MODULES = sorted(
    path
    for path in VIEWERS.rglob("*")
    if path.suffix in (".js", ".jsx") and not SKIPPED & set(path.relative_to(VIEWERS).parts)
)
FOLDERS = sorted({path.parent for path in MODULES})
WITH_ROOMS = ("lib", "default")
ROOMS = [folder for folder in FOLDERS if folder.parent.name in WITH_ROOMS]
MAX_LINES = 400

# Rooms that the modules of a room of lib/ may import, including types, besides their own.
LIB = {
    "bundle": {"vendor"},
    "guards": set(),
    "local": {"bundle", "vendor"},
    "page": {"local", "bundle"},
    "live": {"page", "bundle"},
    "frame": {"page", "bundle"},
    "list": {"page", "bundle"},
    "flame": {"page", "bundle"},
    "code": {"list", "page", "bundle"},
    "finding": {"code", "page", "bundle"},
    "diff": {"code", "list", "page", "bundle"},
    "gallery": {"frame", "finding", "code", "list", "page", "bundle"},
}


@cache
def all_references(path, text):
    return tuple(references(path, text))


def leads_to(path, kinds):
    return [
        found.target
        for found in all_references(path, path.read_text(encoding="utf-8"))
        if found.kind in kinds
    ]


def circle(edges):
    """Return a cycle in {node: nodes} in words; None when there is none."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return " > ".join(map(str, error.args[1]))
    return None


def name(path):
    return path.relative_to(VIEWERS).as_posix()


def test_there_is_something_to_look_at():
    assert len(MODULES) > 100
    assert sum(len(leads_to(path, {IMPORT})) for path in MODULES) > 500


def test_modules_are_small():
    lines = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: count for path, count in lines.items() if count > MAX_LINES} == {}


def test_each_room_has_a_description_line():
    for folder in ROOMS:
        (line,) = (folder / "README.md").read_text(encoding="utf-8").splitlines()
        assert line.endswith(".") and 10 < len(line) < 140, folder


def test_modules_lie_in_rooms():
    assert [path.name for path in MODULES if path.parent == VIEWERS / "lib"] == []
    assert [path.name for path in MODULES if path.parent == VIEWERS / "default"] == ["main.js"]


def test_a_circle_is_found(tmp_path):
    for file, text in {
        "a": 'import "./b.js";\n',
        "b": 'export * from "./c.js";\n',
        "c": 'import {\n  a,\n} from "./a.js";\n',
        "d": 'import "./a.js";\n',
    }.items():
        (tmp_path / f"{file}.js").write_text(text)
    edges = {path.stem: [target.stem for target in leads_to(path, {IMPORT})] for path in tmp_path.iterdir()}
    assert set(circle(edges).split(" > ")) == {"a", "b", "c"}
    (tmp_path / "c.js").write_text(
        '/** @type {import("./a.js").T} */ export const later = () => import("./a.js");\n'
    )
    edges = {path.stem: [target.stem for target in leads_to(path, {IMPORT})] for path in tmp_path.iterdir()}
    assert circle(edges) is None


def test_modules_import_each_other_in_no_circle():
    assert (
        circle({name(path): [name(target) for target in leads_to(path, {IMPORT})] for path in MODULES})
        is None
    )


def test_imported_modules_exist():
    named = [
        (name(path), target)
        for path in MODULES
        for target in leads_to(path, {IMPORT, LATER, WORKER, TYPE})
        if target.parent.name != "vendor"
    ]
    assert [(path, target) for path, target in named if not target.is_file()] == []


def test_rooms_of_lib_import_one_way():
    for path in (path for path in MODULES if path.is_relative_to(VIEWERS / "lib")):
        room = path.parent.name
        for target in leads_to(path, {IMPORT, LATER, WORKER, TYPE}):
            other = target.relative_to(VIEWERS / "lib").parts[0]
            assert other == room or other in LIB[room], f"{name(path)}: {room} imports {name(target)}"


def test_the_list_names_every_room_of_lib_in_order():
    assert set(LIB) == {folder.name for folder in ROOMS if folder.parent.name == "lib"}
    assert circle(LIB) is None


def test_rooms_of_the_default_viewer_import_each_other_in_no_circle():
    viewer = VIEWERS / "default"
    edges = {folder.name: set() for folder in ROOMS if folder.parent == viewer}
    for path in MODULES:
        if path.parent.parent == viewer:
            edges[path.parent.name] |= {
                target.parent.name for target in leads_to(path, {IMPORT}) if target.is_relative_to(viewer)
            } - {path.parent.name}
    assert circle(edges) is None
    assert viewer.name not in set().union(*edges.values()), "a view imports main.js"
