"""Sites, forks and exported modules: contents of the folders, and output of the commands."""

import json
import re
import shutil

import pytest
from click.testing import CliRunner
from log_builder import log
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.cli.main import cli
from tlparse_bundle.serve.publish import bundle_copies, site
from tlparse_bundle.serve.publish import fork as fork_module
from tlparse_bundle.serve.publish.export import export, viewers_of
from tlparse_bundle.serve.publish.fork import fork
from tlparse_bundle.serve.publish.site import write_site
from tlparse_bundle.serve.viewers import forkable, modules, needed, viewers_folder


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("share")
    (folder / "dedicated_log_torch_trace_x.log").write_bytes(log("artifact:a 0/0\n | x"))
    build(discover([folder]), folder / "out", jobs=1, codec="gzip")
    (folder / "out" / "notes.txt").write_text("private")
    return folder / "out"


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


# ---- sites


def test_a_site_holds_viewers_bundles_and_the_list(bundle, tmp_path):
    size = write_site([bundle, bundle], tmp_path / "site")
    found = names(tmp_path / "site")
    assert {
        "index.html",
        "bundles.json",
        ".nojekyll",
        "viewers/default/main.js",
        "viewers/home/main.js",
        "viewers/lib/bundle/bundle.js",
        "bundles/out/manifest.json",
    } <= found
    assert not any("node_modules" in name or "notes.txt" in name for name in found)
    assert size == sum(path.stat().st_size for path in (tmp_path / "site").rglob("*") if path.is_file())
    assert [
        row["url"] for row in json.loads((tmp_path / "site" / "bundles.json").read_bytes())["bundles"]
    ] == ["bundles/out/", "bundles/out-2/"]
    assert validate(Bundle.open(tmp_path / "site" / "bundles" / "out-2")) == []
    assert "viewers/home/" in (tmp_path / "site" / "index.html").read_text()


def test_a_site_of_one_bundle_leads_to_its_viewer(bundle, tmp_path):
    write_site([bundle], tmp_path / "site")
    assert "viewers/default/?bundle=../../bundles/out/" in (tmp_path / "site" / "index.html").read_text()
    fork("starter", tmp_path / "mine")
    write_site([bundle], tmp_path / "own", [tmp_path / "mine"])
    assert "viewers/mine/?bundle=../../bundles/out/" in (tmp_path / "own" / "index.html").read_text()
    assert "viewers/mine/main.js" in names(tmp_path / "own")


def test_a_site_without_a_bundle_opens_logs(bundle, tmp_path):
    site = str(tmp_path / "site")
    done = CliRunner().invoke(cli, ["site", site])
    assert (
        done.exit_code == 0 and json.loads((tmp_path / "site" / "bundles.json").read_bytes())["bundles"] == []
    )
    assert "viewers/open/" in (tmp_path / "site" / "index.html").read_text()
    whole = names(tmp_path / "site")
    assert CliRunner().invoke(cli, ["site", site, "--overwrite", "--without-python"]).exit_code == 0
    assert {name for name in whole - names(tmp_path / "site") if "vendor/python/" not in name} <= {"sw.js"}
    done = CliRunner().invoke(cli, ["site", str(bundle)])
    assert done.exit_code == 2 and "DIR, the folder to write, is missing." in done.output


def test_a_viewer_of_ones_own_takes_the_place_of_ours_of_that_name(bundle, tmp_path):
    fork("starter", tmp_path / "default")
    write_site([bundle], tmp_path / "site", [tmp_path / "default"])
    assert not (tmp_path / "site" / "viewers" / "default" / "frame").exists()
    listed = json.loads((tmp_path / "site" / "bundles.json").read_bytes())["viewers"]
    assert [row["title"] for row in listed if row["name"] == "default"] == ["Starter · tlparse-bundle"]


def test_a_site_does_not_replace_anything(bundle, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BundleError, match="already exists"):
        write_site([bundle], tmp_path)
    assert names(tmp_path) == {"notes.txt"}


def test_a_site_that_could_not_show_its_bundle_is_refused(bundle, tmp_path, monkeypatch):
    build(discover([bundle.parent / "dedicated_log_torch_trace_x.log"]), tmp_path / "zstd", jobs=1)
    (tmp_path / "no" / "lib").mkdir(parents=True)
    monkeypatch.setattr(bundle_copies, "viewers_folder", lambda: tmp_path / "no")
    with pytest.raises(BundleError, match="cannot decode with this installation"):
        write_site([tmp_path / "zstd"], tmp_path / "site")


# ---- forks


@pytest.mark.parametrize("name", forkable())
def test_a_fork_is_complete(name, tmp_path):
    """Every relative path in its files leads to a file of it."""
    fork(name, tmp_path / "mine")
    found = names(tmp_path / "mine")
    assert {"index.html", "README.md", "bundle.d.ts", "lib/bundle/bundle.js", "lib/page/dom.js"} <= found
    for path in (tmp_path / "mine").rglob("*.*"):
        if path.suffix in (".js", ".jsx", ".html", ".css") and "vendor" not in path.parts:
            for reference in re.findall(
                r'["(](\.{1,2}/[\w./-]+\.(?:js|css|svg|ts))["?)]', path.read_text(encoding="utf-8")
            ):
                target = (path.parent / reference).resolve()
                assert target.is_relative_to((tmp_path / "mine").resolve()), (path.name, reference)
                assert target.is_file() or "vendor" in target.parts, (path.name, reference)


@pytest.mark.parametrize("name", forkable())
def test_a_fork_holds_of_lib_what_its_viewer_needs(name, tmp_path):
    folder, lib = tmp_path / "mine", tmp_path / "mine" / "lib"
    fork(name, folder)
    own = [path for path in folder.rglob("*.*") if path.is_file() and not path.is_relative_to(lib)]
    copied = {path for path in lib.rglob("*.*") if path.is_file()}
    assert {path for path in copied if path.suffix in (".js", ".css", ".svg")} == {
        path for path in needed(own) if path.is_relative_to(lib)
    }
    for path in copied:
        if path.name == "README.md":
            assert list(path.parent.glob("*.js")), (
                f"nothing was copied to {path.parent.name}, but what it is for"
            )
        else:
            ours = viewers_folder() / "lib" / path.relative_to(lib)
            assert path.parent.name == "vendor" or path.with_name("README.md").is_file()
            assert [beside.name for beside in ours.parent.glob(f"{path.stem}.LICENSE")] == [
                beside.name for beside in path.parent.glob(f"{path.stem}.LICENSE")
            ]


def test_forks_are_small(tmp_path):
    fork("starter", tmp_path / "mine")
    found = {name for name in names(tmp_path / "mine") if name.startswith("lib/")}
    assert {
        "lib/bundle/bundle.js",
        "lib/local/unzip-worker.js",
        "lib/bundle/README.md",
        "lib/page/choose-bundle.js",
    } <= found
    assert not [name for name in found if name.split("/")[1] in ("code", "diff", "flame", "frame", "list")]
    assert {name for name in found if name.endswith(".css")} == {"lib/page/tokens.css", "lib/page/base.css"}
    fork("provenance", tmp_path / "other")
    found = {name for name in names(tmp_path / "other") if name.startswith("lib/")}
    assert {"lib/page/base.css", "lib/page/widgets.css", "lib/list/grid.js", "lib/code/highlight.js"} <= found
    assert not [name for name in found if name.split("/")[1] in ("diff", "flame")]
    fork("default", tmp_path / "all")  # the README of each fork promises that it is complete
    shown = {name for name in names(viewers_folder() / "lib") if name.startswith("gallery/")} | {
        "components.html"
    }  # the page about them
    assert names(tmp_path / "all" / "lib") == names(viewers_folder() / "lib") - shown


def test_a_fork_without_decoders(tmp_path, monkeypatch):
    """The package was installed without Node: the decoders can be added later."""
    shutil.copytree(
        viewers_folder(), tmp_path / "viewers", ignore=shutil.ignore_patterns("vendor", "node_modules")
    )
    monkeypatch.setattr(fork_module, "viewers_folder", lambda: tmp_path / "viewers")
    fork_module.copy_alone(tmp_path / "viewers" / "starter", tmp_path / "mine")
    found = names(tmp_path / "mine")
    assert {"lib/bundle/decode-worker.js", "lib/local/unzip-worker.js"} <= found and not any(
        "vendor" in name for name in found
    )


def test_a_fork_does_not_replace_anything(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BundleError, match="already exists"):
        fork("default", tmp_path)
    with pytest.raises(BundleError, match="unknown viewer 'lib'"):
        fork("lib", tmp_path / "new")
    assert names(tmp_path) == {"notes.txt"}


# ---- modules


def make(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "main.js"


def test_modules_come_after_those_that_they_import(tmp_path):
    entry = make(
        tmp_path,
        main='import { a } from "./a.js";\n/** @type {import("./types.js").T} */ const later = () => import("./later.js"); // import("./no.js")\nnew Worker(new URL("./worker.js", import.meta.url));\n',
        a='export * from "./b.js";\n// see schema/*.json\nimport "./c.js";\n', b="", c="", later='import { a } from "./a.js";\n', worker='import "./b.js";\n',
    )  # fmt: skip
    found = modules(entry, tmp_path)
    assert [name for name, _ in found.modules] == ["b.js", "c.js", "a.js", "later.js", "main.js"]
    assert {name: [part for part, _ in parts] for name, parts in found.workers.items()} == {
        "worker.js": ["b.js", "worker.js"]
    }
    text = dict(found.modules)["main.js"]
    assert (
        'from "@module:a.js"' in text
        and 'import("@module:later.js")' in text
        and 'new URL("@worker:worker.js"' in text
    )
    assert 'import("./types.js")' in text and 'import("./no.js")' in text
    less = modules(entry, tmp_path, without={"later.js", "a.js"}).modules
    assert [name for name, _ in less] == [
        "b.js",
        "c.js",
        "a.js",
        "main.js",
    ] and 'import("./later.js")' in dict(less)["main.js"]


def test_an_exported_file_has_nothing_for_other_bundles(bundle):
    opened = Bundle.open(bundle)
    text = b"".join(export(opened, viewers_of(opened))).decode()
    held = [
        name
        for name, _ in json.loads(re.search('id="modules">(.*?)</script>', text, re.DOTALL)[1])["modules"]
    ]
    assert (
        "lib/page/page.js" in held
        and [name for name in held if "lib/local/" in name or "choose-bundle" in name] == []
    )


def test_needed_follows_pages_styles_modules_workers_and_types(tmp_path):
    texts = {
        "index.html": '<link rel="icon" href="data:," />\n<link\n  rel="stylesheet" href="a.css" />\n<script type="module" src="main.js"></script>\n<script src="/no.js"></script>',
        "a.css": '@import "b.css";\n@import url("./c.css") print;\nb { background: url(d.svg), url("data:image/svg+xml,x") }\n',
        "b.css": "", "c.css": "", "d.svg": "<svg/>", "unused.css": "", "unused.js": "",
        "main.js": 'import {\n  one,\n} from "./one.js";\nexport * from "./two.js";\nimport "./three.js";\nconst four = () => import("./four.js");\n// new URL("./unused.js", import.meta.url)\n',
        "one.js": 'import "./main.js";\nnew Worker(new URL("./worker.js", import.meta.url));\n', "two.js": "", "three.js": "", "four.js": 'import "./missing.js";\n',
        "worker.js": 'import "./inner.js";\n', "inner.js": '/** @typedef {import("./type.js").T} T */\n', "type.js": "",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = {path.name for path in needed([tmp_path / "index.html"])}
    assert set(texts) - found == {"unused.css", "unused.js"} and found <= set(texts)


def test_modules_that_cannot_be_put_in_order_are_named(tmp_path):
    with pytest.raises(
        BundleError,
        match=r"circular import of modules: (a\.js > main\.js > a\.js|main\.js > a\.js > main\.js)",
    ):
        modules(make(tmp_path, main='import "./a.js";\n', a='import "./main.js";\n'), tmp_path)
    with pytest.raises(BundleError, match=r"imports .*nothing\.js, which does not exist"):
        modules(make(tmp_path, main='import "./nothing.js";\n'), tmp_path)
    with pytest.raises(BundleError, match="which does not exist"):
        modules(make(tmp_path, main='import "../outside.js";\n'), tmp_path)


@pytest.mark.parametrize(
    "name", [name for name in forkable() if not (viewers_folder() / name / "package.json").exists()]
)
def test_every_viewer_can_be_put_in_order(name):
    found = modules(viewers_folder() / name / "main.js", viewers_folder())
    assert found.modules[-1][0] == f"{name}/main.js"
    assert not [
        name
        for name, text in found.modules
        if re.search(r'^(import|export)[^"\n]*from "\.', text, re.MULTILINE)
    ]


# ---- commands


def test_commands(bundle, tmp_path, monkeypatch):
    def run(*arguments):
        return CliRunner().invoke(cli, [str(argument) for argument in arguments])

    done = run("export", bundle, tmp_path / "report.html")
    assert done.exit_code == 0 and re.search(r"report\.html: \d+\.\d MB, with all artifacts", done.stderr)
    assert (tmp_path / "report.html").stat().st_size > 100_000 and names(tmp_path) == {"report.html"}
    assert "already exists" in str(run("export", bundle, tmp_path / "report.html").exception)
    assert run("export", bundle, tmp_path / "report.html", "--overwrite", "--compile", "0/0").exit_code == 0
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert run(
        "export", bundle, tmp_path / "report.html", "--overwrite", "--open"
    ).exit_code == 0 and opened == [(tmp_path / "report.html").as_uri()]
    assert "no log has a compile" in str(
        run("export", bundle, tmp_path / "r.html", "--compile", "5/5").exception
    )
    assert "'nothing' is not a viewer" in str(
        run("export", bundle, tmp_path / "r.html", "--viewer", "nothing").exception
    )
    assert (
        run("site", bundle, tmp_path / "site").exit_code == 0 and (tmp_path / "site" / "index.html").exists()
    )
    assert run("site", bundle).exit_code == 2
    assert (
        run("fork", "default", tmp_path / "mine").exit_code == 0 and (tmp_path / "mine" / "main.js").exists()
    )
    assert "is not a viewer: it has no index.html" in run("serve", bundle, "--viewer", bundle).stderr
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "index.html").write_text("")
    assert "'lib' is a reserved name" in run("serve", bundle, "--viewer", tmp_path / "lib").stderr
    assert "is not an origin" in run("serve", bundle, "--allow-origin", "https://me.github.io/path").stderr


def test_a_site_is_replaced_only_when_asked_and_only_a_site(bundle, tmp_path):
    def run(*more):
        return CliRunner().invoke(cli, ["site", str(bundle), str(tmp_path / "site"), *more])

    assert run().exit_code == 0
    before = (tmp_path / "site" / "index.html").stat().st_ino
    assert "--overwrite" in run().exception.hint
    assert run("--overwrite").exit_code == 0 and (tmp_path / "site" / "index.html").stat().st_ino != before
    for name in ("CNAME", "bundles/notes.txt", "bundles/out/notes.txt"):
        (tmp_path / "site" / name).write_text("mine")
        assert f"contains files that are not part of a site: {name}" in str(run("--overwrite").exception)
        (tmp_path / "site" / name).unlink()
    (tmp_path / "site" / "bundles.json").write_text("{}")
    assert (
        "exists and is not a site" in str(run("--overwrite").exception)
        and (tmp_path / "site" / "viewers").is_dir()
    )


# ---- whole or not at all


def failing(*args, **options):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("empty", [False, True])
def test_nothing_stays_of_a_site_or_a_fork_that_cannot_be_written(empty, bundle, tmp_path, monkeypatch):
    place = tmp_path / "place"
    if empty:
        place.mkdir()
    monkeypatch.setattr(site, "copy_bundle", failing)
    monkeypatch.setattr(
        fork_module, "copy_alone", lambda viewer, target: ((target / "half").mkdir(), failing())
    )
    for write in (lambda: write_site([bundle], place), lambda: fork("starter", place)):
        with pytest.raises(BundleError, match="cannot be written: No space left") as error:
            write()
        assert "enough space" in error.value.hint
        assert [path.name for path in tmp_path.iterdir()] == (["place"] if empty else [])
        assert not empty or not list(place.iterdir())


def test_an_exported_file_is_written_through_no_link_and_over_no_file(bundle, tmp_path):
    (tmp_path / "thesis").write_text("mine")
    (tmp_path / "report.html.part").symlink_to(tmp_path / "thesis")
    (tmp_path / "other.html.part").write_text("mine")
    (tmp_path / "link.html").symlink_to(tmp_path / "thesis")
    for name in ("report.html", "other.html"):
        assert CliRunner().invoke(cli, ["export", str(bundle), str(tmp_path / name)]).exit_code == 0
    assert CliRunner().invoke(cli, ["export", str(bundle), str(tmp_path / "link.html")]).exit_code == 1
    assert (
        CliRunner().invoke(cli, ["export", str(bundle), str(tmp_path / "link.html"), "--overwrite"]).exit_code
        == 0
    )
    assert (tmp_path / "thesis").read_text() == (tmp_path / "other.html.part").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "link.html",
        "other.html",
        "other.html.part",
        "report.html",
        "report.html.part",
        "thesis",
    ]


def test_results_of_a_private_bundle_are_private(bundle, tmp_path):
    shutil.copytree(bundle, tmp_path / "private")
    (tmp_path / "private" / "manifest.json").chmod(0o600)
    write_site([tmp_path / "private"], tmp_path / "site")
    assert (
        CliRunner()
        .invoke(cli, ["export", str(tmp_path / "private"), str(tmp_path / "report.html")])
        .exit_code
        == 0
    )
    made = [tmp_path / "report.html", tmp_path / "site", *(tmp_path / "site").rglob("*")]
    assert {path.stat().st_mode & 0o077 for path in made} == {0}
