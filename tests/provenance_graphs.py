"""The provenance tables joined with their texts, for tests."""

import re


class Graph:
    """One group, with the texts of its graphs and code."""

    def __init__(self, it, row):
        self.row, self.compile = row, key_of(row)
        events = {"pre": row["pre_graph_event"], "post": row["post_graph_event"], "code": row["code_event"]}
        self.texts = {part: text_of(it, event) for part, event in events.items()}
        self.places = {
            source["id"]: (source["file"].rsplit("/", 1)[-1], source["line"])
            for source in it.table("provenance_sources")
        }
        self.lines = it.table("provenance_lines")
        self.pairs = [
            (pair["pre_line"], pair["post_line"])
            for pair in it.table("provenance_nodes")
            if pair["group"] == row["id"]
        ]
        self.kernels = {}
        for kernel in it.table("provenance_kernels"):
            if kernel["group"] == row["id"]:
                label = kernel["name"] if kernel["handle"] is None else f"{kernel['name']}:{kernel['handle']}"
                self.kernels[label] = {
                    **kernel,
                    "stacks": [[self.places[source] for source in stack] for stack in kernel["sources"]],
                }

    def line(self, part, line):
        return self.texts[part].split("\n")[line - 1].strip()

    def name(self, part, line):
        return re.match(r"\w+", self.line(part, line))[0]

    def sources(self, part):
        """Return {line of a graph: (file, line)}."""
        event = self.row[f"{part}_graph_event"]
        return {
            row["line"]: self.places[row["source"]]
            for row in self.lines
            if row["graph_event"] == event and row["source"] is not None
        }

    @property
    def names(self):
        """Return [(pre-grad node, post-grad node)]."""
        return [(self.name("pre", a), self.name("post", b)) for a, b in self.pairs]


def key_of(row):
    """Return the key of an attempt in the compile table; '-' outside any compile."""
    return (
        "-"
        if row["compile"] is None
        else f"{row['compile']}_{row['attempt']}"
        if row["attempt"]
        else row["compile"]
    )


def text_of(it, event_index):
    if event_index is None:
        return None
    (artifact,) = (a for a in it.artifacts if a.event == event_index)
    return artifact.text()


def graphs_of(it):
    """Return {(compile, number in the compile): graph}."""
    out, counts = {}, {}
    for row in it.table("provenance_groups"):
        graph = Graph(it, row)
        counts[graph.compile] = counts.get(graph.compile, 0) + 1
        out[graph.compile, counts[graph.compile]] = graph
    return out
