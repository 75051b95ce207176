"""The function that a user names, and its recompile limit."""

from types import SimpleNamespace

import pytest
from tlparse_bundle import BundleError
from tlparse_bundle.guards.history import History, history
from tlparse_bundle.guards.replay import Entry

TREE = """
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GuardManager: source=L['n'], accessed_by=FrameLocalsGuardAccessor(key='n', framelocals_idx=0), type=<class 'int'>
| | +- EQUALS_MATCH: L['n'] == 5
"""


class Log:
    """A log with code objects, whose compiles have guards."""

    id = "x"

    def __init__(self, *rows, config=None, texts=None):
        self.rows = [
            {"function": function, "file": "/p/a.py", "first_line": line, "compiles": list(compiles)}
            for function, line, compiles in rows
        ]
        compiles = [key for row in self.rows for key in row["compiles"]]
        texts = texts or {}
        self.artifacts = [
            SimpleNamespace(
                type="dynamo_cpp_guards_str", compile=key, text=lambda key=key: texts.get(key, TREE)
            )
            for key in compiles
        ]
        self.config = config

    def table(self, name):
        return {"code_objects": self.rows, "recompile_reasons": []}[name]

    def compile(self, key):
        if self.config is None:
            raise BundleError("left out")
        return SimpleNamespace(metrics={"dynamo_config": self.config})


F = ("f", 3, ("0/0", "0/1"))
G = ("g", 9, ("1/0",))


@pytest.mark.parametrize("name", ["f", "0/0", "[0/1]", "/p/a.py:3", "a.py:3", "p/a.py:3"])
def test_a_function_has_several_names(name):
    found = history(Log(F, G), name)
    assert found.function == "f" and [entry.compile for entry in found.entries] == ["0/0", "0/1"]


@pytest.mark.parametrize("name", ["h", "0/2", "a.py:4", "/a.py:3", "b.py:3", ".py:3"])
def test_other_names_are_unknown(name):
    with pytest.raises(BundleError, match="has no compiled function") as raised:
        history(Log(F, G), name)
    assert (raised.value.exit_code, raised.value.hint) == (2, "Its functions: f, g.")


def test_few_functions_are_listed():
    with pytest.raises(BundleError) as raised:
        history(Log(), "f")
    assert raised.value.hint == "It has no compiled functions."
    for count in (8, 9):
        rows = [(f"f{number}", number, (f"{number}/0",)) for number in range(count)]
        with pytest.raises(BundleError) as raised:
            history(Log(*rows), "g")
        assert raised.value.hint.endswith("f6, f7." if count == 8 else "f6, f7, ….")


def test_a_name_of_several_functions():
    rows = [("f", number, (f"{number}/0",)) for number in range(9)]
    with pytest.raises(BundleError, match="has 9 functions 'f'") as raised:
        history(Log(*rows), "f")
    assert raised.value.hint.startswith("Name one by a compile of it: 0/0 (/p/a.py:0), 1/0 (/p/a.py:1)")
    assert "7/0" in raised.value.hint and "8/0" not in raised.value.hint and raised.value.exit_code == 2


def test_compiles_without_guards_are_not_entries():
    log = Log(F)
    log.artifacts.pop()
    assert [entry.compile for entry in history(log, "f").entries] == ["0/0"]
    log.artifacts.clear()
    with pytest.raises(BundleError, match="has no guards of 'f'"):
        history(log, "f")
    with pytest.raises(BundleError, match="the guards of 0/1 are not in this bundle") as raised:
        history(Log(F, texts={"0/1": None}), "f")
    assert raised.value.code == "left-out"


@pytest.mark.parametrize(
    ("config", "limit"),
    [
        (None, 8),
        ("{}", 8),
        (7, 8),
        ('{"recompile_limit": 16}', 16),
        ('{"cache_size_limit":64}', 64),
        ('{"cache_size_limit": 64, "recompile_limit": 3}', 3),
        ('{"recompile_limit": "many"}', 8),
    ],
)
def test_the_limit_is_that_of_the_log(config, limit):
    assert history(Log(F, config=config), "f").limit == limit


@pytest.mark.parametrize("limit", [1, 2])
def test_at_the_limit_a_call_that_fits_no_entry_runs_eager(limit):
    (entry,) = history(Log(G), "g").entries
    found = History("g", (Entry("1/0", entry.predicates),), limit)
    fits, other = found.next_call({"n": 5}), found.next_call({"n": 6})
    assert (fits.entry, fits.recompiles, fits.runs_eager, fits.certain) == ("1/0", False, False, True)
    assert (other.entry, other.recompiles, other.runs_eager) == (None, limit > 1, limit == 1)
    assert other.as_row()["failed"] == [
        {"entry": "1/0", "guard": "L['n'] == 5", "expected": "5", "actual": "6"}
    ]
