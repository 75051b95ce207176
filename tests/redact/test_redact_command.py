"""`tlparse-bundle redact` for users: options, exit codes, the preview, possible secrets; `site` and `export`
with a preset.
"""

import json
import re
import shutil
import sys

import pytest
from brute_force import PrivateText, Public, left_over, texts_of_bundle, texts_of_page
from log_builder import log
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.base.errors import BundleError
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.redact.policy import PARTS, policy
from tlparse_bundle.redact.redact import drop
from warm_command import run_warm

KEY = "AKIA" + "IOSFODNN7EXAMPLE"
TOKEN = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
SECRETS = [KEY, TOKEN, "hunter2hunter2", "s3cr3tword", "MIIEpAIBAAKCAQEA"]
ADDRESSES = [
    "10.1.2.3",
    "https://ann:s3cr3tword@intranet.corp.example/x",
    "ann.smith@corp.example",
    "fe80:0:0:0:1:2:3:4",
]
LOG = log(f"""
    str ["/home/ann/shop/train.py", 0]
    dynamo_start 0/0 {{"stack": [{{"line": 12, "name": "pay_invoice", "filename": 0, "loc": "total = ledger(x) + tax_rate(offset)"}}]}}
    artifact:notes 0/0
        | aws_access_key_id = "{KEY}"
        | password = "hunter2hunter2"
        | fetched https://ann:s3cr3tword@intranet.corp.example/x from 10.1.2.3 and fe80:0:0:0:1:2:3:4 for ann.smith@corp.example
        | see https://docs.pytorch.org/docs and 127.0.0.1
        | -----BEGIN RSA PRIVATE KEY-----
        | MIIEpAIBAAKCAQEA
    compilation_metrics 0/0 {{"co_name": "pay_invoice", "co_filename": "/home/ann/shop/train.py", "compliant_custom_ops": ["GITHUB_TOKEN={TOKEN}"], "a_field_of_ours": "invoice_{KEY}"}}
""")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the bundle 'out'."""
    folder = tmp_path_factory.mktemp("redact")
    (folder / "logs").mkdir()
    (folder / "logs" / "dedicated_log_torch_trace_rank_0_shop.log").write_bytes(LOG)
    build(
        discover([folder / "logs"]), folder / "out", jobs=1, label="nightly of shop", commit="abcdef1234567"
    )
    return folder


@pytest.fixture
def run(place, tmp_path):
    """Return run(*arguments): exit code, stdout, stderr of the command beside the bundle 'out'."""
    shutil.copytree(place / "out", tmp_path / "out")

    def run_it(*arguments):
        done = run_warm(arguments, tmp_path)
        stdout, stderr = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in stderr
        return done.returncode, stdout, stderr

    return run_it


def nothing_left(texts):
    said = PrivateText(Public(), [LOG])
    whole = list(texts)
    assert left_over(said, whole) == {}
    assert [
        secret
        for secret in [*SECRETS, *ADDRESSES, "nightly of shop", "abcdef1234567"]
        if any(secret in text for text in whole)
    ] == []


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--preset", "share-with-vendor"],
        ["--keep", "payloads"],
        ["--keep", "findings, timeline", "--keep", "payloads,metadata"],
    ],
    ids=" ".join,
)
def test_the_result_holds_no_word_of_the_program(run, tmp_path, options):
    code, stdout, stderr = run("redact", "out", "shared", *options)
    assert (
        (code, stdout) == (0, "")
        and "names, removed 1 line of source code" in stderr
        and "tlparse-bundle serve shared" in stderr
    )
    nothing_left(texts_of_bundle(tmp_path / "shared"))
    bundle = Bundle.open(tmp_path / "shared")
    assert validate(bundle) == [] and {
        frame["function"] for compile in bundle.logs[0].compiles for frame in compile.stack
    } == {"fn_1"}
    assert "label" not in bundle.manifest and "commit" not in bundle.manifest


def test_parts_that_are_kept_are_the_only_ones(run, tmp_path):
    assert run("redact", "out", "shared", "--keep", "findings,timeline")[0] == 0
    bundle = Bundle.open(tmp_path / "shared")
    assert set(bundle.logs[0].directory["tables"]) <= {
        "attempts",
        "compiles",
        "limits",
        "captures",
        "events",
        "metadata",
        "artifacts",
        "stacks",
        "blobs",
        "diagnostics",
        "findings",
        *PARTS["timeline"],
    }
    assert {"payloads", "metadata", "guards", "caches"} <= set(
        bundle.manifest["redacted"]["dropped"]
    ) and "timeline" not in bundle.manifest["redacted"]["dropped"]
    assert "dropped" in bundle.manifest["redacted"] and bundle.manifest["redacted"]["preset"] is None
    code, _, stderr = run("compare", "shared", "shared")
    assert code in (0, 1) and "damaged" not in stderr


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_goes_is_gone_and_the_rest_is_sound(place, built, root, tmp_path, part):
    source = (
        built(root / "fixtures" / "jobs" / "one_short")
        if part in ("findings", "ranks", "timeline")
        else Bundle.open(place / "out")
    )  # of a job, for the rank findings
    shutil.copytree(source.location, tmp_path / "out")
    drop(Bundle.open(tmp_path / "out"), tmp_path / "out", policy(drop=[part]))
    bundle = Bundle.open(tmp_path / "out")
    before, directory = source.logs[0].directory, bundle.logs[0].directory
    gone = {*before["tables"]} - {*directory["tables"]}
    assert gone == {name for name in PARTS[part] if name in before["tables"]} and validate(bundle) == []
    assert directory["left_out"] == list(PARTS[part])
    for name in PARTS[part]:
        with pytest.raises(BundleError, match="has no table"):
            bundle.logs[0].table(name)
    gone = {"ranks": set(source.manifest.get("rank_tables", ())), "findings": {"rank_findings"}}.get(
        part, set()
    )
    assert set(source.manifest.get("rank_tables", ())) - set(
        bundle.manifest.get("rank_tables", ())
    ) == gone and (bundle.job is None) == (source.job is None or bool(gone))
    for name in gone:
        with pytest.raises(BundleError, match="about several ranks: the bundle is redacted"):
            bundle.rank_table(name)
    if part == "timeline":
        with pytest.raises(BundleError, match="this payload was redacted"):
            bundle.logs[0].blob(
                next(path for path, row in bundle.logs[0].blobs.items() if row["kind"] == "timeline")
            )


@pytest.mark.parametrize(
    ("arguments", "exit_code", "said"),
    [
        (["out"], 2, "OUT, the bundle to write, is missing. Try: tlparse-bundle redact out shared/"),
        (["out", "shared", "--keep", "everything"], 2, "unknown name to keep or drop: everything"),
        (
            ["out", "shared", "--keep", "everything"],
            2,
            (
                "Use: payloads, source, guards, strings, metadata, verbatim, names; or for tables:"
                " findings, timeline,"
            ),
        ),
        (["out", "shared", "--keep", "names", "--drop", "names"], 2, "names cannot be both kept and dropped"),
        (["out", "shared", "--keep", "verbatim"], 2, "verbatim cannot be kept"),
        (["out", "shared", "--preset", "mine"], 2, "'mine' is not one of"),
        (["nowhere", "shared"], 1, "nowhere"),
        (["out", "out"], 1, "out"),
        (["out", "out", "--overwrite"], 1, "'out' is the bundle to redact"),
    ],
)
def test_impossible_requests_are_reported(run, tmp_path, arguments, exit_code, said):
    code, stdout, stderr = run("redact", *arguments)
    assert (code, stdout) == (exit_code, "") and said in stderr
    assert (
        not (tmp_path / "shared").exists()
        and validate(Bundle.open(tmp_path / "out")) == []
        and "redacted" not in Bundle.open(tmp_path / "out").manifest
    )


def test_existing_bundles_are_replaced_on_request(run, tmp_path):
    assert run("redact", "out", "shared")[0] == 0
    before = (tmp_path / "shared" / "manifest.json").read_bytes()
    code, _, stderr = run("redact", "out", "shared", "--preset", "share-with-vendor")
    assert (
        code == 1
        and "--overwrite" in stderr
        and (tmp_path / "shared" / "manifest.json").read_bytes() == before
    )
    assert run("redact", "out", "shared", "--preset", "share-with-vendor", "--overwrite")[0] == 0
    assert Bundle.open(tmp_path / "shared").manifest["redacted"]["preset"] == "share-with-vendor"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    assert (
        run("redact", "out", "mine", "--overwrite")[0] == 1
        and (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    )


def test_redacted_and_growing_bundles_are_refused_and_restore_refuses(run, tmp_path):
    assert run("redact", "out", "shared")[0] == 0
    for command in (
        ["redact", "shared", "again"],
        ["redact", "shared", "--preview"],
        ["restore", "shared", "again"],
        ["legacy", "shared", "again"],
    ):
        code, _, stderr = run(*command)
        assert code == 1 and "redacted" in stderr and not (tmp_path / "again").exists(), command
    assert run("validate", "shared") == (0, "shared: no problems\n", "")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
    (tmp_path / "out" / "manifest.json").write_text(
        json.dumps(
            {
                **manifest,
                "growing": True,
                "live": {"counter": 1, "written_epoch_us": 1, "logs": [], "problems": []},
            }
        )
    )
    code, _, stderr = run("redact", "out", "again")
    assert code == 1 and "is still growing" in stderr and not (tmp_path / "again").exists()


def test_the_preview_lists_removed_parts_and_possible_secrets(run, tmp_path):
    pytest.importorskip("detect_secrets")
    code, stdout, _ = run("redact", "out", "--preview")
    assert code == 0 and sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    goes, stays = stdout.split("Stays,")
    assert re.findall(r"^  (\w+):", goes, re.MULTILINE) == [
        "payloads",
        "source",
        "strings",
        "verbatim",
        "names",
    ]
    assert "2 artifacts" in goes and "(1 line, 1 of more than three words)" in goes
    assert (
        re.findall(r"^  (\w+):", stays, re.MULTILINE) == ["guards", "metadata"]
        and "of the tables: compiles, artifacts, stacks, events, diagnostics, findings, timeline" in stays
    )
    for kind in ("AWS Access Key", "Secret Keyword", "Basic Auth Credentials", "Private Key", "GitHub Token"):
        assert f"  {kind} in log rank_0_shop, line " in stays, kind
    assert not [
        secret for secret in SECRETS if secret in stays.split("Addresses")[0]
    ]  # others can see a terminal
    listed = re.search(r"Addresses: (.*)", stays)[1]
    assert (
        all(address in listed for address in ADDRESSES)
        and "pytorch.org" not in listed
        and "127.0.0.1" not in listed
    )
    assert (
        "pay_invoice" in re.search(r"Names: (.*)", stays)[1]
        and "/home/ann/shop/train.py" in re.search(r"Paths: (.*)", stays)[1]
    )
    code, stdout, _ = run("redact", "out", "--preview", "--keep", "findings")
    assert (
        code == 0
        and "No preset. Goes:" in stdout
        and "  of the tables: timeline, recompiles" in stdout
        and stdout.count("findings") == 1
    )
    assert "payloads there is left: none." in stdout


def test_without_the_extra_the_preview_explains_how_to_install_it(place, monkeypatch):
    from tlparse_bundle.redact.preview import preview

    monkeypatch.setitem(sys.modules, "detect_secrets.core.scan", None)
    said = list(preview(Bundle.open(place / "out"), policy()))
    assert (
        "Secrets cannot be found without detect-secrets. Install it: pip install"
        " 'tlparse-bundle[secrets]'" in said
    )
    assert any(line.startswith("Addresses: ") for line in said)


@pytest.mark.parametrize("preset", ["share-with-public", "share-with-vendor"])
def test_a_page_with_a_preset_holds_no_word_of_the_program(run, tmp_path, preset):
    code, _, stderr = run("export", "out", "page.html", "--preset", preset, "--viewer", "starter")
    assert code == 0 and "applied" in stderr
    nothing_left(texts_of_page(tmp_path / "page.html"))


def test_a_site_with_a_preset_holds_no_word_of_the_program(run, tmp_path):
    shutil.copytree(tmp_path / "out", tmp_path / "nightly of shop")
    code, _, stderr = run(
        "site", "out", "nightly of shop", "public", "--preset", "share-with-public", "--without-python"
    )
    assert code == 0, stderr
    listed = json.loads((tmp_path / "public" / "bundles.json").read_bytes())["bundles"]
    assert [row["name"] for row in listed] == ["bundle_1", "bundle_2"]
    for row in listed:
        nothing_left(texts_of_bundle(tmp_path / "public" / "bundles" / row["name"]))
    nothing_left(
        path.read_text("utf-8")
        for path in (tmp_path / "public").rglob("*.json")
        if path.name != "schemas.json"
    )
    assert not [path for path in (tmp_path / "public").rglob("*") if "shop" in path.name]
