"""Words of findings are in the preprocessor.

No module of the viewers words causes, counts or remedies.
"""

import ast
import re
from functools import cache

import traces

PACKAGE = traces.ROOT / "preprocessor" / "tlparse_bundle"
WORDED = [
    *(PACKAGE / "statements").glob("*.py"),
    *(PACKAGE / "statements" / "kinds").glob("*.py"),
    *(PACKAGE / "statements" / "ranks" / name for name in ("wording.py", "findings.py")),
]
VIEWERS = traces.ROOT / "viewers"
SKIPPED = {"node_modules", "vendor", "dist"}
# Help explains keys and words; the shapes come from the schemas, the titles of kinds from
# their references.
EXEMPT = {"lib/bundle/shapes.js", "lib/finding/kind-titles.js"}
MODULES = [
    path
    for path in sorted(VIEWERS.rglob("*.js"))
    if not SKIPPED & set(path.relative_to(VIEWERS).parts) and path.name != "help.js"
]
_COMMENT = re.compile(r"/\*.*?\*/|(?:^|(?<=\s))//[^\n]*", re.DOTALL | re.MULTILINE)
# Words of the viewers when they made the sentences, and likely new ones.
OLD = [
    "mark_dynamic", "mark_unbacked", "specialize_int", "capture_scalar_outputs", "torch._check", "torch.cond", "register_fake", ".contiguous()", "use_duck_shape",
    "usually helps", "most likely", "mostly", "because ", "recompile limit reached", "runs uncompiled", "became a constant", "became constants", "no longer ",
    "was compiled again", "were compiled again ", "root cause", "did not end", "no entry under", "without metrics", "no failures, ", "no graph breaks, ",
    "Pass inputs", "Pass arguments", "another object", "has no fake kernel", "depends on data", "more restart", "left no program",
    "is a different object", "different values", "now run eager", "triggers a recompile", "Expected on a first run",
]  # fmt: skip
_WORDS = re.compile(r"[A-Za-z_.]+(?: [A-Za-z_.,']+){2,}")  # three words of a sentence between placeholders


def shown(text):
    """Return a module without its comments."""
    return _COMMENT.sub("", text)


def sentences(text):
    """Return pieces of at least five words of the texts in a Python module, without its docstrings."""
    tree = ast.parse(text)
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield from (piece for piece in _WORDS.findall(node.value) if len(piece.split()) >= 5)


@cache
def templates():
    return sorted({piece for path in WORDED for piece in sentences(path.read_text(encoding="utf-8"))})


def test_there_are_templates():
    assert len(templates()) > 40
    assert any("Mark the dimension as dynamic before the call" in piece for piece in templates())


def test_words_are_found_and_comments_are_not():
    text = (
        '/** usually helps */\nconst a = 1; // because\nh("p", null, `mostly ${a}`);\n/* root\n   cause'
        ' */\nconst url = "https://x"; const b = "did not end";\n'
    )
    assert [phrase for phrase in OLD if phrase in shown(text)] == ["mostly", "did not end"]


def test_no_module_repeats_sentences_of_findings():
    texts = {
        path.relative_to(VIEWERS).as_posix(): shown(path.read_text(encoding="utf-8")) for path in MODULES
    }
    assert [
        (path, phrase)
        for path, text in texts.items()
        if path not in EXEMPT
        for phrase in [*OLD, *templates()]
        if phrase in text
    ] == []
