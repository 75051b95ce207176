"""Commands, options, paths and fixtures named in documents exist."""

import re
import shlex
from functools import cache

import click
import traces
from documents import GUIDES, code_spans, text_of
from tlparse_bundle.cli.main import cli

# Options of other programs: of tlparse in the left column of its guide, and in a comparison with it.
_FOREIGN = {"docs/explanation/performance.md": {"--plain-text"}}


def _commands(text):
    """Yield every use of the command line in code: ['serve', 'out/', '--port']."""
    fenced = re.findall(r"^```(?:\w*)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    for line in (line for code in (*fenced, *inline) for line in code.replace("\\\n", " ").splitlines()):
        line = re.sub(r"tlparse-bundle\[\w+\]", "", line)  # an extra of the package
        line = re.sub(r"\\\||[\[\]]", " ", line)  # choices in a table: [format\|schema NAME]
        use = re.search(r"(?:^|[\s$;&|])tlparse-bundle((?: +(?:\"[^\"]*\"|'[^']*'|[^\s|>#;&\"']+))+)", line)
        if use and not line.lstrip().startswith(("pip ", "pipx ", "uv ", "{", '"')):
            yield shlex.split(use[1])


@cache
def _all_commands():
    with click.Context(cli) as ctx:
        return {command: cli.get_command(ctx, command) for command in cli.list_commands(ctx)}


def test_options_exist():
    """Options on their own, such as ``--overwrite``, belong to some command."""
    options = {"--help", "--version"} | {
        option
        for command in _all_commands().values()
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    for name in GUIDES:
        text = (
            re.sub(r"^\|.*?\|", "", text_of(name), flags=re.MULTILINE)
            if name == "docs/how-to/coming-from-tlparse.md"
            else text_of(name)
        )
        named = {found[0] for span in code_spans(text) if (found := re.match(r"--?[a-z][\w-]*", span))}
        assert (name, sorted(named - options - _FOREIGN.get(name, set()))) == (name, [])


def test_commands_exist():
    commands = _all_commands()
    used = [(name, words) for name in GUIDES for words in _commands(text_of(name))]
    for name, words in used:
        first = words[0]
        if first not in commands:
            assert (
                first.startswith("-")
                or re.search(r"[/.*A-Z]", first)
                or (len(words) > 1 and "/" in words[-1])
            ), f"{name}: no command {first!r}"
        command = commands.get(first, commands["build"])
        options = {"--help", "-h", "--version"} | {
            option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
        }
        for word in words[: words.index("--")] if first == "run" and "--" in words else words:
            if word.startswith("-") and word != "--":
                assert word.split("=")[0] in options, f"{name}: {first} has no option {word}"
    assert sum(name == "README.md" for name, _ in used) > 5


def test_the_readme_leads_to_all_commands():
    assert "](docs/reference/cli.md)" in text_of("README.md")
    rows = re.findall(r"^\| \[`([\w-]+)`\]\(#\1\) \|", text_of("docs/reference/cli.md"), re.MULTILINE)
    assert set(rows) == _all_commands().keys()


def test_each_viewer_is_in_their_readme():
    """And each folder of their shared library."""
    folders = [
        path.parent.relative_to(traces.ROOT / "viewers").as_posix()
        for pattern in ("*/index.html", "lib/*/README.md")
        for path in traces.ROOT.glob(f"viewers/{pattern}")
    ]
    assert len(folders) > 15
    assert [name for name in folders if f"`{name}/" not in text_of("viewers/README.md")] == []


def test_paths_exist():
    top = {entry.name for entry in traces.ROOT.iterdir() if entry.is_dir() and not entry.name.startswith(".")}
    for name in GUIDES:
        text = re.sub(r"^New file `.*$", "", text_of(name), flags=re.MULTILINE)  # of worked examples
        for word in re.findall(r"`([\w./*-]+)`", text):
            if "/" in word and word.split("/")[0] in top:
                assert list(traces.ROOT.glob(word.rstrip("/"))), (name, word)


def test_the_index_of_fixtures_has_each_with_its_logs():
    text = (traces.ROOT / "fixtures" / "README.md").read_text(encoding="utf-8")
    rows = {
        name: int(logs)
        for name, logs in re.findall(
            r"^\| \[(\w+)\]\(\1/README\.md\) \|.*\| (\d+) \| [\d.,]+ kB \|$", text, re.MULTILINE
        )
    }
    folders = {
        path.parent.name: len(list((path.parent / "trace").rglob("*.log*")))
        for path in (traces.ROOT / "fixtures").glob("*/truth.json")
    }
    assert rows == folders
    for heading in ("## Add one", "## License", "## Regenerate"):
        assert heading in text


def test_the_promises_name_their_tests():
    text = (traces.ROOT / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| (.*`.*) \|$", text, re.MULTILINE)
    named = [re.findall(r"`((?:tests|scripts)/[\w./]+)", row) for row in rows]
    assert len(rows) >= 8 and all(named)
    assert [path for paths in named for path in paths if not (traces.ROOT / path).is_file()] == []
    assert "](SECURITY.md)" in (traces.ROOT / "README.md").read_text(encoding="utf-8")
