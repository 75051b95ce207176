"""`tlparse-bundle redact` for users: options, exit codes, the preview, possible secrets; `site` and `export`
with a preset.
"""

import base64
import json
import re
import shutil
import sys

import pytest
import zstandard
from log_builder import log
from tlparse_bundle import Bundle, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.redact.policy import policy
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


PROGRAM = [
    *SECRETS,
    *ADDRESSES,
    "nightly of shop",
    "abcdef1234567",
    "pay_invoice",
    "/home/ann",
    "ledger",
    "tax_rate",
    "rank_0_shop",
]


def nothing_left(folder):
    for path in folder.rglob("*"):
        if path.is_file() and "schemas.json" not in path.name:
            data = path.read_bytes()
            text = (zstandard.decompress(data) if path.suffix == ".zst" else data).decode("utf-8", "replace")
            assert [secret for secret in PROGRAM if secret in f"{path.relative_to(folder)} {text}"] == [], (
                path
            )


@pytest.mark.parametrize(
    "options",
    [[], ["--preset", "share-with-vendor"], ["--keep", "guards,graphs"], ["--drop", "metrics, timeline"]],
    ids=" ".join,
)
def test_the_result_holds_no_word_of_the_program(run, tmp_path, options):
    code, stdout, stderr = run("redact", "out", "shared", *options)
    assert (code, stdout) == (0, "") and "MB, without payloads, source, text" in stderr
    assert "tlparse-bundle serve shared" in stderr
    nothing_left(tmp_path / "shared")
    bundle = Bundle.open(tmp_path / "shared")
    assert validate(bundle) == []
    functions = {frame["function"] for compile in bundle.logs[0].compiles for frame in compile.stack}
    assert len(functions) == 1 and re.fullmatch("fn_[a-z2-7]{8}", functions.pop())
    assert "label" not in bundle.manifest and "commit" not in bundle.manifest


def test_a_key_file_gives_the_same_names(run, tmp_path):
    names = []
    for number in range(3):
        key = ["--key-file", "names.key"] if number else []
        assert run("redact", "out", f"shared{number}", *key)[0] == 0
        names.append(Bundle.open(tmp_path / f"shared{number}").logs[0].compiles[0].row["function"])
    assert names[0] != names[1] == names[2]
    assert (tmp_path / "names.key").stat().st_mode & 0o777 == 0o600
    files = [path.read_bytes() for path in (tmp_path / "shared1").rglob("*") if path.is_file()]
    assert not [data for data in files if (tmp_path / "names.key").read_bytes().strip() in data]
    (tmp_path / "names.key").write_text("not a key")
    code, _, stderr = run("redact", "out", "shared4", "--key-file", "names.key")
    assert code == 2 and "'names.key' is not a key file" in stderr and not (tmp_path / "shared4").exists()


@pytest.mark.parametrize(
    ("arguments", "exit_code", "said"),
    [
        (["out"], 2, "OUT, the bundle to write, is missing. Try: tlparse-bundle redact out shared/"),
        (["out", "shared", "--keep", "everything"], 2, "unknown name to keep or drop: everything"),
        (
            ["out", "shared", "--drop", "graph_breaks.text"],
            2,
            "unknown name to keep or drop: graph_breaks.text",
        ),
        (
            ["out", "shared", "--keep", "compiles.function"],
            2,
            "not a field that can be kept: compiles.function",
        ),
        (
            ["out", "shared", "--keep", "guards", "--drop", "guards"],
            2,
            "guards cannot be both kept and dropped",
        ),
        (["out", "shared", "--keep", "verbatim"], 2, "verbatim cannot be kept"),
        (["out", "shared", "--keep", "text"], 2, "text cannot be kept as a whole"),
        (["out", "shared", "--preset", "mine"], 2, "'mine' is not one of"),
        (["nowhere", "shared"], 1, "nowhere"),
        (["out", "out"], 1, "out"),
        (["out", "out", "--overwrite"], 1, "'out' is the bundle to redact"),
    ],
)
def test_impossible_requests_are_reported(run, tmp_path, arguments, exit_code, said):
    code, stdout, stderr = run("redact", *arguments)
    assert (code, stdout) == (exit_code, "") and said in stderr
    assert not (tmp_path / "shared").exists()
    assert (
        validate(Bundle.open(tmp_path / "out")) == []
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


def test_the_preview_lists_what_is_removed_and_texts_to_keep(run, tmp_path):
    code, stdout, _ = run("redact", "out", "--preview")
    assert code == 0 and sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    assert re.findall(r"^  (\w+):", stdout.partition("Kept:")[0], re.MULTILINE) == [
        "payloads", "source", "text", "metadata", "verbatim", "tables",
    ]  # fmt: skip
    assert "  stacks.code: 1 different, such as 'total = ledger(x) + tax_rate(offset)'\n" in stdout
    assert "Looks like a secret" not in stdout  # nothing is kept that could have one


def test_the_preview_looks_for_secrets_in_what_is_kept(run):
    pytest.importorskip("detect_secrets")
    code, stdout, _ = run("redact", "out", "--preview", "--keep", "payloads,metrics.values")
    texts, secrets = stdout.split("Looks like a secret:")
    assert code == 0 and "  metrics.values: " in texts and "(kept)" in texts
    for kind in ("AWS Access Key", "Secret Keyword", "Basic Auth Credentials", "Private Key"):
        assert f"  {kind} in notes of log rank_0_shop" in secrets, kind
    assert "GitHub Token in metrics.values" in secrets
    assert not [secret for secret in SECRETS if secret in secrets]  # others can see a terminal


def test_without_the_extra_the_preview_explains_how_to_install_it(place, monkeypatch):
    from tlparse_bundle.redact.preview import preview

    monkeypatch.setitem(sys.modules, "detect_secrets.core.scan", None)
    said = list(preview(Bundle.open(place / "out"), policy(keep=["payloads"])))
    assert (
        "Secrets cannot be found without detect-secrets. Install it: pip install"
        " 'tlparse-bundle[secrets]'" in said
    )


@pytest.mark.parametrize("preset", ["share-with-public", "share-with-vendor"])
def test_a_page_with_a_preset_holds_no_word_of_the_program(run, tmp_path, preset):
    code, _, stderr = run("export", "out", "page.html", "--preset", preset, "--viewer", "starter")
    assert code == 0 and "applied" in stderr
    page = (tmp_path / "page.html").read_bytes()
    packed = [
        base64.b64decode(part)
        for part in re.findall(rb"[A-Za-z0-9+/]{40,}={0,2}", page)
        if len(part) % 4 == 0
    ]
    opened = [
        zstandard.ZstdDecompressor().decompress(part, 1 << 24)
        for part in packed
        if part[:4] == b"\x28\xb5\x2f\xfd"
    ]
    assert opened and not [
        secret for secret in PROGRAM if any(secret.encode() in part for part in [page, *packed, *opened])
    ]


def test_a_site_with_a_preset_has_one_name_for_a_function_of_several_bundles(run, tmp_path):
    shutil.copytree(tmp_path / "out", tmp_path / "nightly of shop")
    code, _, stderr = run(
        "site", "out", "nightly of shop", "public", "--preset", "share-with-public", "--without-python"
    )
    assert code == 0, stderr
    listed = json.loads((tmp_path / "public" / "bundles.json").read_bytes())["bundles"]
    assert [row["name"] for row in listed] == ["bundle_1", "bundle_2"]
    places = [tmp_path / "public" / "bundles" / row["name"] for row in listed]
    for place in places:
        nothing_left(place)
    one, other = (Bundle.open(place).logs[0].compiles[0].row["function"] for place in places)
    assert one == other
    assert not [path for path in (tmp_path / "public").rglob("*") if "shop" in path.name]
