"""Jobs of many ranks, made from the logs of a case of fixtures/parallel.

    python tests/multiplied_jobs.py CASE RANKS FOLDER [--place COPY]

The job is copied until it has RANKS ranks, and one copy keeps the fault. In the other copies each guilty rank is
replaced by an innocent one of the same role, or all ranks by those of the same program without the fault. Ranks, process ids and names of process groups are rewritten in the
records, with their checksums.

Groups of data parallel ranks, and those of all ranks, grow over the copies, as long as no call depends on the size of
its group: all_reduce does not, all_gather does. All other groups are copied, with new names, so that the copies of a
group of all ranks are groups of some. Ranks of a ring name their neighbours by number: the copies make one larger ring.
"""

import argparse
import hashlib
import json
import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import job_cases

GROWS = ("dp", "world")
# Splits differ by rank, so no innocent rank fits: the case of the same program without the fault.
WITHOUT_FAULT = {"moe_splits": "moe"}
SIZED = re.compile(rb"_c10d_functional\.(?:all_gather|reduce_scatter|all_to_all)")
ENVELOPE = re.compile(rb"^(V\d+ \S+ +)(\d+)( .*)$", re.DOTALL)
RANK = re.compile(rb'"rank": \d+')
CHECKSUM = re.compile(rb'"has_payload": "[0-9a-f]{32}"')
CALL = re.compile(rb"(_c10d_functional\.[^\n]*?')(\d+)('\))")
GUARD = re.compile(rb"(\.group_name == ')(\d+)(')")
PEERS = re.compile(rb"(batch_p2p_ops(?:\.default)?\(\[[^]]*\], \[)([\d, ]+)(\])")
PEER = re.compile(rb"(EQUALS_MATCH: L\['(?:after|before)'\] == )(\d+)()")
FAKE = re.compile(rb"setup_fake_process_groups\((\{.*\})\)")


@dataclass(frozen=True)
class Group:
    """A process group of the case: its name, and how its copies are named."""

    name: str
    axis: str
    ranks: list
    grows: bool

    def name_in(self, copy, step):
        return self.name if self.grows else str(int(self.name) + (copy + 1) * step)


@dataclass(frozen=True)
class Template:
    """A log in pieces: [(before the process id, the id, after it, payload, whether it has names of groups)]."""

    rank: int
    pieces: list

    @classmethod
    def read(cls, rank, data):
        pieces = []
        for record in re.split(rb"\n(?=V\d)", data.removesuffix(b"\n")):
            head, found, payload = record.partition(b"\n")
            before, process, after = ENVELOPE.match(head).groups()
            named = any(pattern.search(payload) for pattern in (CALL, GUARD, PEERS, PEER, FAKE))
            pieces.append((before, int(process), after, payload if found else None, named))
        return cls(rank, pieces)

    def write(self, rank, process, rename):
        """Return the log of a rank; ``rename`` changes the names of groups in a payload."""
        out = []
        for before, old, after, payload, named in self.pieces:
            after = RANK.sub(b'"rank": %d' % rank, after)
            if payload is not None and named:
                payload = rename(payload)
                plain = b"\n".join(line[1:] for line in payload.split(b"\n"))
                checksum = hashlib.md5(plain).hexdigest().encode()
                after = CHECKSUM.sub(b'"has_payload": "%s"' % checksum, after)
            out.append(b"%s%d%s" % (before, process + old - self.pieces[0][1], after))
            if payload is not None:
                out.append(payload)
        return b"\n".join(out) + b"\n"


class Job:
    """What a case runs, as templates by rank."""

    def __init__(self, case):
        truth = job_cases.truth(case)
        self.truth = truth["jobs"][truth["compared"] or 0]
        data = job_cases.logs(case)
        logs = {int(name.split("_rank_")[1].split("_")[0]): data[name] for name in self.truth["logs"]}
        self.templates = {rank: Template.read(rank, log) for rank, log in logs.items()}
        self.size = len(logs)
        sized = any(SIZED.search(log) for log in logs.values())
        self.groups = list(self._groups(logs, sized))
        self.step = 1 + max((int(group.name) for group in self.groups), default=0)

    def _groups(self, logs, sized):
        """Yield the groups that calls name. Of the groups with all its callers, the smallest one is meant."""
        callers = {}
        for rank, log in logs.items():
            for name in {found[2].decode() for found in CALL.finditer(log)}:
                callers.setdefault(name, set()).add(rank)
        known = [(axis, ranks) for axis, lists in self.truth["groups"].items() for ranks in lists]
        for name, ranks in sorted(callers.items()):
            axis, members = min((one for one in known if ranks <= set(one[1])), key=lambda one: len(one[1]))
            yield Group(name, axis, members, axis in GROWS and not sized)

    def donor(self, rank):
        """Return an innocent rank of the same role."""
        (role,) = (role for role in self.truth["roles"] if rank in role)
        return next(other for other in role if other not in self.truth["guilty"])

    def renaming(self, source, rank, copy, copies):
        """Return a function that turns the groups of one rank in a payload into those of another one."""
        of_rank = {group.axis: group for group in self.groups if rank in group.ranks}
        new = {group.name: of_rank[group.axis] for group in self.groups if source in group.ranks}

        def name(found):
            return b"%s%s%s" % (found[1], new[found[2].decode()].name_in(copy, self.step).encode(), found[3])

        def fake(found):
            groups = json.loads(found[1].replace(b"'", b'"'))
            out = {}
            for old in groups:
                group = new[old]
                size, place = len(group.ranks), group.ranks.index(rank)
                if group.grows:
                    size, place = size * copies, place + copy * size
                out[group.name_in(copy, self.step)] = {"size": size, "rank": place}
            return b"setup_fake_process_groups(%s)" % str(out).encode()

        def neighbours(found):
            return b"%s%s%s" % (found[1], b", ".join(map(neighbour, found[2].split(b", "))), found[3])

        def neighbour(peer):
            after = (int(peer) - source) % self.size  # 1, or one less than the size: the rank before
            moved = copy * self.size + rank + (after if after == 1 else after - self.size)
            return b"%d" % (moved % (copies * self.size))

        def rename(payload):
            payload = FAKE.sub(fake, GUARD.sub(name, CALL.sub(name, payload)))
            return PEER.sub(neighbours, PEERS.sub(neighbours, payload))

        return rename

    def grown(self, copies):
        """Return {axis: lists of ranks} of the whole job."""
        out = {}
        for group in self.groups:
            lists = [[rank + copy * self.size for rank in group.ranks] for copy in range(copies)]
            out.setdefault(group.axis, []).extend(
                [list(chain.from_iterable(lists))] if group.grows else lists
            )
        return {axis: sorted(lists) for axis, lists in out.items()}


def multiply(case, ranks, folder, place=None):
    """Write logs of many ranks into a folder, and return their roles, groups and guilty ranks."""
    job = Job(case)
    copies, rest = divmod(ranks, job.size)
    if rest or not copies:
        raise ValueError(f"{ranks} ranks: not a multiple of {job.size}, the ranks of {case}")
    place = copies * 2 // 3 if place is None else place
    other = Job(WITHOUT_FAULT[case]) if case in WITHOUT_FAULT else None
    for copy in range(copies):
        own = other if other and copy != place else job
        for rank in own.templates:
            replaced = rank in own.truth["guilty"] and copy != place
            source = own.donor(rank) if replaced else rank
            number = copy * own.size + rank
            data = own.templates[source].write(
                number, 100_000 + number, own.renaming(source, rank, copy, copies)
            )
            (folder / f"dedicated_log_torch_trace_rank_{number}_made0.log").write_bytes(data)
    return {
        "world_size": ranks,
        "guilty": [rank + place * job.size for rank in job.truth["guilty"]],
        "roles": [
            [rank + copy * job.size for copy in range(copies) for rank in role] for role in job.truth["roles"]
        ],
        "groups": job.grown(copies),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("case", choices=job_cases.NAMES)
    parser.add_argument("ranks", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--place", type=int, help="the copy that keeps the fault; after two thirds by default"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(json.dumps(multiply(options.case, options.ranks, options.folder, options.place)))


if __name__ == "__main__":
    main()
