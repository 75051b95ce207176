"""The provenance table with its texts, as tests look at it."""

import re


class Graph:
    """One group of the table, with the texts that its lines are of."""

    def __init__(self, it, row):
        table = it.table("provenance")
        self.row, self.compile = row, it.compiles[row["compile_index"]].key
        self.texts = {
            "pre": text_of(it, row["pre_graph_index"] is not None and table["graphs"][row["pre_graph_index"]]["event_index"]),
            "post": text_of(it, row["post_graph_index"] is not None and table["graphs"][row["post_graph_index"]]["event_index"]),
            "code": text_of(it, row["code_event_index"] is not None and row["code_event_index"]),
        }
        strings, sources = table["strings"], table["sources"]
        self.places = [(strings[file].rsplit("/", 1)[-1], line) for file, line in zip(sources["file"], sources["line"], strict=True)]
        self.graphs = {"pre": row["pre_graph_index"], "post": row["post_graph_index"]}
        self.table = table
        columns = row["kernels"]
        self.kernels = {}
        for cells in zip(*columns.values(), strict=True):
            kernel = dict(zip(columns, cells, strict=True))
            name = strings[kernel["name"]]
            kernel["stacks"] = [[self.places[source] for source in table["stacks"][stack]] for stack in kernel["stacks"]]
            self.kernels[name if kernel["handle"] is None else f"{name}:{kernel['handle']}"] = kernel

    def line(self, part, line):
        return self.texts[part].split("\n")[line - 1].strip()

    def name(self, part, line):
        return re.match(r"\w+", self.line(part, line))[0]

    def sources(self, part):
        """{line of a graph: (file, line)}"""
        graph = self.table["graphs"][self.graphs[part]]
        return {line: self.places[source] for line, source in zip(graph["line"], graph["source"], strict=True) if source >= 0}

    @property
    def pairs(self):
        return list(zip(self.row["pre_post"]["pre_line"], self.row["pre_post"]["post_line"], strict=True))

    @property
    def names(self):
        """[(pre-grad node, post-grad node)]"""
        return [(self.name("pre", a), self.name("post", b)) for a, b in self.pairs]


def text_of(it, event_index):
    if event_index is False:
        return None
    (artifact,) = (a for compile in it.compiles for a in compile.artifacts if a.event == event_index)
    return artifact.text()


def graphs_of(it):
    """{(compile, number in the compile): graph}"""
    out, counts = {}, {}
    for row in it.table("provenance")["groups"]:
        graph = Graph(it, row)
        counts[graph.compile] = counts.get(graph.compile, 0) + 1
        out[graph.compile, counts[graph.compile]] = graph
    return out
