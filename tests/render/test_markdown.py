"""Strings of a log in Markdown and in workflow commands: none is live on GitHub."""

import re
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from log_strategies import cases
from markdown_it import MarkdownIt
from tlparse_bundle import build, discover
from tlparse_bundle.cli.main import cli
from tlparse_bundle.render.markdown import code_span, rich
from traces import ROOT

FIXTURES = ROOT / "fixtures"
LIVE = (
    "@octocat octo/cat#1 #12 (#13) GH-12 ABC-7 https://evil.example/x www.evil.example a@b.example 0123abc"
    " 0123456789abcdef0123456789abcdef01234567 :skull: <img src=x> <!-- &amp; [l](u) ![i](u) $x$ **b** ``x ~~s~~"
)
# Of the text that GitHub shows: what it would link. See docs.github.com, "Autolinked references and URLs".
LINKED = re.compile(
    r"@\w|#\d|\bGH-\d|\b[A-Z]+-\d|https?://|www\.|(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])|:\w+:|\$\w",
    re.IGNORECASE,
)
OURS = {"h2", "h3", "p", "br", "strong", "ul", "li", "code", "em"}


class _Parts(HTMLParser):
    """The elements of a page, and its text outside code."""

    def __init__(self):
        super().__init__()
        self.open, self.elements, self.text = [], set(), ""

    def handle_starttag(self, tag, attrs):
        assert not attrs, tag
        self.elements.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "code" not in self.open:
            self.text += data


def parts(markdown):
    made = _Parts()
    made.feed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown))
    return made


def hostile(source, folder):
    """Write a log whose names and messages are live."""
    folder.mkdir(parents=True)
    (log,) = source.glob("*.log")
    text = log.read_text()
    text = re.sub(r'("name": "|"co_name": ")(?!<)([a-z_]+")', rf"\1{LIVE} \2", text)
    text = re.sub(r"(Explanation: |Hint: |RuntimeError: |Error: )", rf"\g<1>{LIVE} ", text)
    (folder / log.name).write_text(text)
    return folder


def run(*arguments):
    done = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


@pytest.fixture(scope="module")
def bundles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    out = []
    for name in ("failures", "graph_breaks"):
        logs = hostile(FIXTURES / name / "trace", folder / name)
        build(discover([logs]), folder / f"{name}_bundle", jobs=1)
        out.append(folder / f"{name}_bundle")
    return out


def test_nothing_in_a_report_is_live(bundles):
    shown = 0
    for bundle in bundles:
        text = run("report", bundle, "--format", "markdown")
        shown += text.count("@octocat")
        found = parts(text)
        assert found.elements <= OURS
        assert LINKED.findall(found.text) == []
    assert shown > 10


def test_nothing_in_a_comparison_is_live(bundles, built):
    for base, new in (
        (bundles[0], bundles[1]),
        (built(FIXTURES / "graph_breaks" / "trace").location, bundles[1]),
    ):
        text = run("compare", base, new, "--format", "markdown")
        found = parts(text)
        assert "@octocat" in text and found.elements <= OURS
        assert LINKED.findall(found.text) == []


def test_no_text_ends_an_annotation(bundles):
    commands = re.compile(r"::(error|warning|notice) ((file|line|title)=[^:,\n]*,?)+::[^\n]*")
    for bundle in bundles:
        for arguments in (
            ("report", bundle, "--format", "github"),
            ("compare", bundles[0], bundles[1], "--format", "github"),
        ):
            lines = run(*arguments).splitlines()
            assert lines and [line for line in lines if not commands.fullmatch(line)] == []
        done = CliRunner().invoke(
            cli, ["check", str(bundle), "--max-breaks", "0", "--no-failures", "--format", "github"]
        )
        lines = done.stdout.splitlines()
        assert done.exit_code == 4 and [line for line in lines if not commands.fullmatch(line)] == []


TOKENS = st.sampled_from(
    [*LIVE.split(), "`", "``", "a", "-", "1.", "===", "    ", "#", ">", "|", "\\", "`f`", "<b>", "\n"]
)


@cases(300)
@given(st.lists(TOKENS, max_size=8), st.sampled_from([" ", ""]))
def test_no_text_is_live(tokens, joint):
    line = joint.join(tokens)
    found = parts(rich(line))
    assert found.elements <= {"p", "code", "br"}, rich(line)
    assert LINKED.findall(found.text) == [], rich(line)


@cases(100)
@given(st.text(alphabet="`a <", min_size=1).filter(str.strip))
def test_a_code_span_shows_its_text(text):
    found = parts(f"x {code_span(text)} y")
    assert found.text.split() == ["x", "y"] and found.elements == {"p", "code"}
