"""docs/reference/versions.md: what each torch version logs, as the fixtures show."""

from version_truths import PROGRAMS

YES, NO = "yes", "no"


def _kinds(logs):
    return {(kind["type"], kind["name"]) for log in logs for kind in log.directory["kinds"]}


def _told(topic):
    return lambda logs: NO if any(topic in log.summary["not_recorded"] for log in logs) else YES


def _has(*wanted):
    return lambda logs: YES if any(type_ in wanted or name in wanted for type_, name in _kinds(logs)) else NO


def _breaks(logs):
    if _told("graph_breaks")(logs) == YES:
        return YES
    return (
        "places"
        if any("_at_" in (compile.row["function"] or "") for log in logs for compile in log.compiles)
        else NO
    )


def _cache(name):
    return lambda logs: (
        YES if any(row["cache"] == name for log in logs for row in log.table("caches")) else NO
    )


def _guards(logs):
    forms = {row["form"] for log in logs for row in log.table("guard_trees")}
    return "tree" if "tree" in forms else "number" if forms else NO


def _version(logs):
    known = [log.row["torch_version"] is not None for log in logs]
    return YES if all(known) else "often" if any(known) else NO


def _all(test):
    return lambda logs: YES if all(map(test, logs)) else NO


QUESTIONS = (
    ("Names of compiled functions", _told("function_names")),
    ("Result of a compile; failures", _told("failures")),
    ("Compile time", _told("times")),
    ("Timeline: spans of Dynamo, AOTAutograd, Inductor", _has("chromium_event")),
    ("Graph breaks, with reason and place", _breaks),
    ("Recompile reasons", _told("recompile_reasons")),
    (
        "Recompile limit reached",
        lambda logs: YES if any(log.summary["recompile_limit_count"] for log in logs) else NO,
    ),
    ("Guards", _guards),
    ("Symbolic sizes", _told("symbols")),
    ("FX graph cache: hits, misses, bypasses", _cache("fx_graph")),
    ("AOTAutograd cache: hits, misses, bypasses", _cache("aot_autograd")),
    (
        "Metrics of a backward that is compiled later",
        _has("bwd_compilation_metrics", "aot_autograd_backward_compilation_metrics"),
    ),
    ("Runnable programs (`fx_graph_runnable`)", _has("fx_graph_runnable")),
    (
        "Graphs before Inductor's passes",
        _has("before_post_grad_graph", "before_joint_graph", "before_pre_grad_graph"),
    ),
    ("torch settings", lambda logs: YES if any(log.table("metric_configs") for log in logs) else NO),
    ("torch version", _version),
    ("Year and time zone", _all(lambda log: log.directory["clock"]["year"] is not None)),
    ("Process id", _all(lambda log: max(log.directory["pids"]) < 2**32)),
)

HEAD = """# What each torch version records

Older torch versions log less. Missing data is unknown, never zero: the headline and the default viewer say "not recorded", `check` does not count it as passed, and `not_recorded` in the `summary` of a log lists it
([format](../json-format.md)).

The table comes from the logs in `fixtures/versions`: six programs (graph breaks, recompiles, failures, training, two ranks, a killed process) with each version, on the CPU. `scripts/versions --table` writes it, and a test compares
it with the logs. "no" means that none of these logs has it.

"""
TAIL = """
- Graph breaks, "places": the names of resume functions contain the line of the break, and the restart reasons explain most of them. A break in a loop is not recorded.
- Guards, "number": only how many there are. "tree": each guard with its source.
- torch version, "often": if Inductor compiled something, its runnable programs name the version.
- Process id: 2.3 and 2.4 log the thread id instead.

Something may also be missing because it was off or did not happen: maps of kernels need `INDUCTOR_PROVENANCE=1`, cache records need caches.

## The next version

`scripts/versions` installs the newest torch from PyPI in a temporary environment, runs the six programs, and compares their bundles with what each process reported about itself (functions, failures, operators, guards, times). It
prints differences, and kinds of records and metric fields without a description, and exits with 1 if there are any. The workflow `versions` runs it once a month and keeps the logs if something differs.

`scripts/versions --torch 2.16.0 --keep` turns the logs into fixtures; then `scripts/versions --table` adds the column.
"""


def document(logs_of):
    """``logs_of``: the logs of each version, in order."""
    versions = list(logs_of)
    rows = [["", *(".".join(version.split(".")[:2]) for version in versions)], ["---"] * (len(versions) + 1)]
    rows += [
        [question, *(answer(logs_of[version]) for version in versions)] for question, answer in QUESTIONS
    ]
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows) + TAIL


def paths(folder):
    """{version: its logs}, of fixtures/versions."""
    versions = sorted(
        (path.parent.name for path in folder.glob("*/truth.json")),
        key=lambda name: [int(part) for part in name.split(".")],
    )
    return {
        version: [folder / version / (name if name == "ddp" else f"{name}.log.zst") for name in PROGRAMS]
        for version in versions
    }
