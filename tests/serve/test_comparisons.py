"""Comparisons that the server makes on request, and those written as a folder."""

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient
from tlparse_bundle import Bundle, BundleError
from tlparse_bundle.bundle.schemas import schema
from tlparse_bundle.cli.main import cli
from tlparse_bundle.serve.http.app import create_app
from tlparse_bundle.serve.publish.comparison_folder import write_comparison
from tlparse_bundle.serve.publish.export import export_comparison
from tlparse_bundle.serve.viewers import needed
from tlparse_bundle.statements.runs.compare.document import compare
from traces import ROOT, files

BASE = "http://127.0.0.1:8000"
PAIRS = ROOT / "fixtures" / "pairs"


@pytest.fixture(scope="module")
def sides(built):
    """Return sides(name of a pair): both bundles."""
    return lambda name: [Path(built(PAIRS / name / side).location) for side in ("base", "new")]


@pytest.fixture
def client_of():
    return lambda bundles, **options: TestClient(
        create_app(bundles, **options), base_url=BASE, follow_redirects=False
    )


def test_the_server_and_the_command_agree(client_of, sides):
    base, new = sides("line_changed")
    client = client_of({"before": base, "after": new})
    assert client.get("/bundles.json").json()["comparison"] == "comparison.json"
    response = client.get("/comparison.json?base=before&new=after")
    assert (
        response.status_code == 200
        and response.headers["content-type"] == "application/json"
        and response.headers["cache-control"] == "no-store"
    )
    assert (
        response.headers["content-encoding"] == "gzip"
        and "content-encoding"
        not in client.get(
            "/comparison.json?base=before&new=after", headers={"Accept-Encoding": "identity"}
        ).headers
    )
    assert response.json() == compare([("before", Bundle.open(base))], [("after", Bundle.open(new))])
    jsonschema.validate(response.json(), schema("comparison"))
    assert client.head("/comparison.json?base=before&new=after").content == b""


def test_the_server_makes_one_file_of_it(client_of, sides, monkeypatch):
    base, new = map(Bundle.open, sides("line_changed"))
    client = client_of({"before": base.location, "after": new.location})
    response = client.get("/comparison.html?base=before&new=after")
    document = compare([("before", base)], [("after", new)])
    assert response.status_code == 200 and response.content == b"".join(
        export_comparison(document, {"base": base, "new": new})
    )
    assert (
        response.headers["content-type"] == "text/html; charset=utf-8"
        and 'filename="before-after.html"' in response.headers["content-disposition"]
    )
    assert client.head("/comparison.html?base=before&new=after").content == b""
    assert (
        client.get("/comparison.html?base=before&new=none").status_code == 404
        and client.get("/comparison.html?base=after").status_code == 400
    )
    assert (
        client.get(
            "/comparison.html?base=before&new=after", headers={"Sec-Fetch-Site": "cross-site"}
        ).status_code
        == 403
    )
    monkeypatch.setattr(
        "tlparse_bundle.serve.http.comparisons.export_comparison",
        lambda *asked: export_comparison(*asked, 200_000),
    )
    refused = client.get("/comparison.html?base=before&new=after")
    assert refused.status_code == 413 and "larger than 0.2 MB" in refused.text and "--out DIR" in refused.text


def test_it_is_made_once_of_each_version(client_of, sides, tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(
        "tlparse_bundle.serve.http.comparisons.compare", lambda *asked: made.append(asked) or compare(*asked)
    )
    for name, bundle in zip(("before", "after"), sides("line_changed"), strict=True):
        shutil.copytree(bundle, tmp_path / name)
    client = client_of({name: tmp_path / name for name in ("before", "after")})

    def changes(query):
        return client.get(f"/comparison.json?{query}").json()["summary"]["change_count"]

    assert [changes("base=before&new=after") for _ in range(3)] == [4, 4, 4] and len(made) == 1
    assert changes("base=after&new=before") == 4 and changes("base=before&new=before") == 0 and len(made) == 3
    shutil.rmtree(tmp_path / "after")
    shutil.copytree(tmp_path / "before", tmp_path / "after", copy_function=shutil.copy)
    assert changes("base=before&new=after") == 0 and len(made) == 4


def test_bundles_of_a_folder_several_runs_and_ranks(client_of, sides, tmp_path):
    for name, bundle in zip(("one", "two"), sides("new_break_on_a_rank"), strict=True):
        (tmp_path / name).mkdir()
        for path, data in files(bundle).items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_bytes(data)
    client = client_of({"runs": tmp_path})
    several = client.get("/comparison.json?base=runs/one&base=runs/two&new=runs/two").json()
    assert (several["base"], several["new"]) == (
        [{"name": "one", "state": None}, {"name": "two", "state": None}],
        [{"name": "two", "state": None}],
    )
    (log,) = client.get("/comparison.json?base=runs/two&new=runs/two&ranks=0,1").json()["logs"]
    assert [log["base"]["id"], log["new"]["id"]] == [log.id for log in Bundle.open(tmp_path / "two").logs]
    refused = client.get("/comparison.json?base=runs/two&new=runs/two&ranks=0,7")
    assert refused.status_code == 422 and "has no log of rank 7" in refused.text


@pytest.mark.parametrize(
    "query, status, words",
    [
        ("", 400, "comparison.json?base=NAME&new=NAME"),
        ("base=before", 400, "both sides"),
        ("base=before&new=" + "&new=".join(["before"] * 17), 400, "at most 16"),
        ("base=before&new=nothing", 404, "Bundle not found: 'nothing'"),
        ("base=before&new=../../etc", 404, "Bundle not found"),
        ("base=before&new=before/logs", 404, "Bundle not found"),
        ("base=before&new=broken", 422, "could not be read"),
        ("base=before&new=ranks", 422, "no log in common"),
        ("base=before&new=before&ranks=0", 400, "ranks=0,3"),
    ],
)
def test_what_cannot_be_compared(client_of, sides, tmp_path, query, status, words):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{}")
    response = client_of(
        {
            "before": sides("line_changed")[0],
            "ranks": sides("new_break_on_a_rank")[0],
            "broken": tmp_path / "broken",
        }
    ).get(f"/comparison.json?{query}")
    assert (response.status_code, response.headers["content-type"]) == (status, "text/plain; charset=utf-8")
    assert words in response.text and str(tmp_path) not in response.text


def test_others_are_refused(client_of, sides):
    base, new = sides("line_changed")
    path = "/comparison.json?base=before&new=after"
    client = client_of({"before": base, "after": new})
    for site in ("cross-site", "same-site"):
        for dest in ("document", "empty"):
            assert (
                client.get(
                    path,
                    headers={"Sec-Fetch-Site": site, "Sec-Fetch-Dest": dest, "Sec-Fetch-Mode": "navigate"},
                ).status_code
                == 403
            )
    assert client.get(path, headers={"Host": "evil.example"}).status_code == 400
    assert client.post(path).status_code == 405
    assert client_of({"before": base, "after": new}, token="a" * 32).get(path).status_code == 403


def test_a_folder_has_all_that_its_page_needs(sides, tmp_path):
    """The document, both complete bundles, and viewers with every module."""
    base, new = sides("line_changed")
    result = CliRunner().invoke(cli, ["compare", str(base), str(new), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert (
        result.output.startswith(
            "20.9 s more compile time (8.04 s → 29 s). `mix` (program.py:11): a different graph was captured"
        )
        and "python -m http.server" in result.output
    )
    folder = tmp_path / "out"
    assert {path.name for path in folder.iterdir()} == {
        "index.html",
        ".nojekyll",
        "comparison.json",
        "base",
        "new",
        "viewers",
    }
    assert (
        json.loads((folder / "comparison.json").read_text())["logs"]
        == compare([("b", Bundle.open(base))], [("n", Bundle.open(new))])["logs"]
    )
    for side, bundle in zip(("base", "new"), (base, new), strict=True):
        assert files(folder / side) == files(bundle)
    assert 'url=viewers/compare/"' in (folder / "index.html").read_text()
    pages = [folder / "viewers" / name / "index.html" for name in ("compare", "default")]
    assert all(path.is_relative_to(folder) for path in needed(pages)) and len(needed(pages)) > 100


def test_only_comparisons_are_replaced(sides, tmp_path):
    base, new = map(Bundle.open, sides("line_changed"))
    document = compare([("base", base)], [("new", new)])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    for overwrite in (False, True):
        with pytest.raises(BundleError, match="exists"):
            write_comparison(document, base, new, tmp_path / "mine", overwrite=overwrite)
    write_comparison(document, base, new, tmp_path / "out")
    with pytest.raises(BundleError) as error:
        write_comparison(document, base, new, tmp_path / "out")
    assert "--overwrite replaces only the folder of a comparison" in error.value.hint
    before = files(tmp_path / "out")
    write_comparison(document, base, new, tmp_path / "out", overwrite=True)
    assert files(tmp_path / "out") == before
    (tmp_path / "out" / "base" / "notes.txt").write_text("mine")
    with pytest.raises(
        BundleError, match=r"contains files that are not part of a comparison: base/notes\.txt"
    ):
        write_comparison(document, base, new, tmp_path / "out", overwrite=True)


def test_one_file_holds_both_sides(sides, tmp_path, monkeypatch):
    base, new = sides("line_changed")
    report = tmp_path / "changes.html"
    arguments = ["compare", str(base), str(new), "--export", str(report)]
    assert "with all artifacts of both sides" in CliRunner().invoke(cli, arguments).output
    held = set(re.findall(r' data-file="([^"]+)"', report.read_text()))
    assert held == {"comparison.json"} | {
        f"{side}/{path}"
        for side, bundle in (("base", base), ("new", new))
        for path in files(bundle)
        if not path.startswith("schemas.json") and "/verbatim/" not in path
    }
    assert 'data-viewers="compare default' in report.read_text()
    assert CliRunner().invoke(cli, arguments).exit_code == 1, "it is there already"
    assert CliRunner().invoke(cli, [*arguments, "--overwrite"]).exit_code == 0
    with pytest.raises(BundleError, match=r"larger than 0\.2 MB") as error:
        export_comparison({}, {"base": Bundle.open(base)}, 200_000)
    assert "--out DIR" in error.value.hint


def test_a_folder_is_exported(sides, tmp_path):
    base, new = map(Bundle.open, sides("line_changed"))
    write_comparison(compare([("base", base)], [("new", new)]), base, new, tmp_path / "out")

    def export(*more):
        return CliRunner().invoke(
            cli, ["export", str(tmp_path / "out"), str(tmp_path / "report.html"), *more]
        )

    assert (
        export().exit_code == 0 and 'data-viewers="compare default' in (tmp_path / "report.html").read_text()
    )
    wrong = export("--overwrite", "--compile", "0/0")
    assert (
        wrong.exit_code == 2
        and "is a comparison, and --compile, --viewer and --preset need a bundle" in wrong.output
    )
    assert "larger than 1 MB" in str(export("--overwrite", "--max-mb", "1").exception)
    blob = next((tmp_path / "out" / "new" / "blobs").rglob("*.zst"))
    blob.write_bytes(
        next(
            path for path in (tmp_path / "out" / "base" / "blobs").rglob("*.zst") if path.name != blob.name
        ).read_bytes()
    )
    assert "is damaged" in str(export("--overwrite").exception)
    document = json.loads((tmp_path / "out" / "comparison.json").read_text())
    (tmp_path / "out" / "comparison.json").write_text(
        json.dumps(document | {"format": document["format"] | {"major": 2}})
    )
    assert "has a different version of the comparison format" in str(export("--overwrite").exception)
    shutil.rmtree(tmp_path / "out" / "new")
    (tmp_path / "out" / "comparison.json").write_text(json.dumps(document))
    assert "out/new" in str(export("--overwrite").exception)


def test_a_site_has_comparisons(sides, tmp_path):
    """Each bundle is compared with the one before it, or as requested. Impossible pairs are reported, and fail
    when requested.
    """
    base, new = sides("line_changed")
    (ranks, _) = sides("new_break_on_a_rank")
    for name, bundle in (("one", base), ("two", new), ("ranks", ranks)):
        shutil.copytree(bundle, tmp_path / name)

    def site(*more):
        return CliRunner().invoke(
            cli,
            [
                "site",
                *(str(tmp_path / name) for name in ("one", "two", "ranks")),
                str(tmp_path / "site"),
                "--without-python",
                "--overwrite",
                *more,
            ],
        )

    def listed():
        return [
            (row["base"], row["new"], row["url"])
            for row in json.loads((tmp_path / "site" / "bundles.json").read_text())["comparisons"]
        ]

    result = site()
    assert (
        result.exit_code == 0
        and "two and ranks are not compared: the bundles have no log in common" in result.output
    )
    assert listed() == [("one", "two", "comparisons/one/two/")]
    document = json.loads((tmp_path / "site" / "comparisons" / "one" / "two" / "comparison.json").read_text())
    assert document == compare([("one", Bundle.open(base))], [("two", Bundle.open(new))])
    asked = site(
        "--compare", str(tmp_path / "two"), "one", "--compare", "one", "two", "--compare", "two", "one"
    )
    assert asked.exit_code == 0 and listed() == [
        ("two", "one", "comparisons/two/one/"),
        ("one", "two", "comparisons/one/two/"),
    ]
    assert "no log in common" in str(site("--compare", "one", "ranks").exception)
    assert (
        "three is not a bundle of this site" in str((wrong := site("--compare", "one", "three")).exception)
        and "one, two, ranks" in wrong.exception.hint
    )
    (tmp_path / "site" / "comparisons" / "one" / "notes.txt").write_text("mine")
    assert "contains files that are not part of a site: comparisons/one/notes.txt" in str(site().exception)


def test_open_serves_both_sides_and_leads_to_the_page(sides, monkeypatch):
    served = []
    monkeypatch.setattr(
        "tlparse_bundle.cli.serve.serve_bundles",
        lambda places, **options: served.append((list(places), options)),
    )
    base, new = map(str, sides("line_changed"))
    assert CliRunner().invoke(cli, ["compare", base, new, "--open"]).exit_code == 0
    ((places, options),) = served
    assert places == [base, new] and options["open_browser"]
    names = [path.rsplit("/", 1)[-1] for path in places]
    second = names[1] if names[0] != names[1] else f"{names[1]}-2"
    assert options["page"] == f"viewers/compare/?base=/bundles/{names[0]}/&new=/bundles/{second}/"


def test_it_is_begun_with_the_page_that_will_ask_for_it(client_of, sides, monkeypatch):
    made = []
    monkeypatch.setattr(
        "tlparse_bundle.serve.http.comparisons.compare", lambda *asked: made.append(asked) or compare(*asked)
    )
    with client_of(
        dict(zip(("before", "the new"), sides("line_changed"), strict=True))
    ) as client:  # one loop for all requests
        page = "/viewers/compare/?base={}&new=/bundles/the%20new/"
        for nowhere in ("", "/bundles/", "/elsewhere/before/", "http://[", "/bundles/absent/"):
            assert client.get(page.format(nowhere)).status_code == 200
        followed = {
            "Sec-Fetch-Site": "cross-site",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        }  # a link of another site
        assert client.get(page.format("/bundles/the%20new/"), headers=followed).status_code == 200
        assert client.get(page.format("/bundles/before/") + "&comparison=/comparisons/1/").status_code == 200
        assert client.get("/comparison.json?base=before&new=absent").status_code == 404 and made == []
        assert client.get(page.format("/bundles/before/")).status_code == 200
        assert (
            client.get("/comparison.json?base=before&new=the+new").json()["summary"]["change_count"] == 4
            and len(made) == 1
        )
