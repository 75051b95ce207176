"""Two runs of one program on two machines, with different builds of torch and warm caches: no other change is
reported.
"""

import json

import jsonschema
import pytest
import traces
from tlparse_bundle.bundle.schemas import document_names, schema
from tlparse_bundle.statements.runs.compare.document import compare

SCENARIOS = sorted(
    path.name for path in (traces.ROOT / "fixtures" / "again").iterdir() if path.name in traces.FIXTURES
)
CHECK = jsonschema.Draft202012Validator(schema("comparison"))


def changes(document):
    return [change for log in document["logs"] for change in log["changes"]]


def changes_in(document):
    return {change["kind"] for change in changes(document)}


@pytest.fixture(scope="module")
def compared(built, root):
    def of(name):
        fixtures = root / "fixtures"
        return compare(
            [("base", built(fixtures / name / "trace"))], [("new", built(fixtures / "again" / name))]
        )

    return of


@pytest.mark.parametrize("name", SCENARIOS)
def test_only_torch_the_processor_and_the_caches_differ(compared, name):
    document = compared(name)
    CHECK.validate(json.loads(json.dumps(document)))
    # A different processor has different vectors, and so different code. A warm cache has hits, which save
    # time.
    gone = (
        {"finding", "compile"} if name == "recompiles" else set()
    )  # with the profile of the first run one recompile does not happen
    assert changes_in(document) <= {"torch", "code", "cache", "time"} | gone
    assert all(change["details"]["new"] == "hit" for change in changes(document) if change["kind"] == "cache")
    assert {
        change["change"] for change in changes(document) if change["kind"] in ("time", "finding", "compile")
    } <= {"better", "gone"}
    assert "another graph" not in document["summary"]["text"]


def test_torch_is_not_the_cause_of_different_code(compared):
    """The processor differed: its vectors are twice as long."""
    (code,) = (change for change in changes(compared("transformer")) if change["kind"] == "code")
    assert code["because_of"] is None


@pytest.mark.parametrize("name", ["transformer", "graph_breaks", "ranks4", "failures", "killed"])
def test_a_run_with_itself(built, root, name):
    bundle = built(root / "fixtures" / name / "trace")
    document = compare([("one", bundle)], [("one", bundle)])
    assert changes(document) == [] and document["summary"]["notes"] == []
    assert document["summary"]["text"].startswith("No changes: ")
    assert all(
        row["base"]["compile"] == row["new"]["compile"] for log in document["logs"] for row in log["compiles"]
    )


def test_the_schema_is_known_by_name():
    assert "comparison" in document_names()
    jsonschema.Draft202012Validator.check_schema(schema("comparison"))
