"""The places of graph breaks in the user's code."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tlparse_bundle.model.functions import function_of
from tlparse_bundle.statements.facts import Facts
from tlparse_bundle.statements.failure_groups import break_attempts
from tlparse_bundle.statements.user_code import CodeLine, calling_place, own_place, package_of, user_place

if TYPE_CHECKING:
    from tlparse_bundle.bundle.row_types import GraphBreaksRow


def places_of(facts: Facts, row: GraphBreaksRow) -> dict[CodeLine, int]:
    """Return the places in the user's code with the number of breaks at each. Breaks at one line of a library
    have one row, with the traceback of the first. Others are at the function that Dynamo compiles, or at the
    line that calls it.
    """
    place = user_place(row)
    numbers = facts.once(break_attempts)[row["id"]]
    if own_place(row).inside is None or (place.inside is None and len(numbers) < 2):
        return {place: row["count"]}
    places: Counter[CodeLine] = Counter()
    for number in numbers:
        compiled = facts.compiles[number]
        name = function_of(compiled["function"])
        if not compiled["file"] or package_of(compiled["file"]) is not None:
            calling = calling_place(facts, number)
            places[place if calling is None or calling[1:3] == place[1:3] else calling] += 1
        elif (place.file, function_of(place.function)) == (compiled["file"], name):
            places[place] += 1
        else:
            places[CodeLine(name, compiled["file"], None)] += 1
    return dict(places) if len(places) > 1 else {next(iter(places), place): row["count"]}
