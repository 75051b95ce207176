"""A run of a function, for tests of fixes."""

from tlparse_bundle.guards.code_history import CodeHistory
from tlparse_bundle.guards.fixes import Fix
from tlparse_bundle.guards.inputs import input_of
from tlparse_bundle.guards.predicates import Predicate
from tlparse_bundle.guards.savings import Compiled
from tlparse_bundle.guards.views import results_of
from tlparse_bundle.guards.what_if import WhatIf


class Run:
    """A run of a function: each call adds a compile with its guards."""

    def __init__(self):
        self.guards, self.ids, self.compiles = {}, {}, []

    def call(
        self,
        *,
        size=None,
        dynamic=(),
        dtype="torch.float32",
        grad=False,
        is_leaf=True,
        stride=None,
        parameters=(),
        conditions=(),
        guards=(),
        **constants,
    ):
        """Add a compile. ``dynamic``: dimensions of x that its guards leave open; ``parameters``: whether those
        of a module require gradients; ``guards``: more of its own.
        """
        own, tensors = [], []
        if size is not None:
            stride = stride or tuple(_contiguous(size))
            shown = [None if place in dynamic else number for place, number in enumerate(size)]
            inner = [
                None if any(later in dynamic for later in range(place + 1, len(size))) else number
                for place, number in enumerate(stride)
            ]
            own.append(
                Predicate(
                    "TENSOR_MATCH",
                    "L['x']",
                    f"check_tensor(L['x'], Tensor, DispatchKeySet(CPU), {dtype}, device=None, requires_grad={grad}, size={shown}, stride={inner})",
                )
            )
            own += [Predicate("LAMBDA_GUARD", None, f"2 <= L['x'].size()[{place}]") for place in dynamic]
            row = {
                "is_leaf": is_leaf,
                "shape": list(size),
                "stride": list(stride),
                "dtype": dtype,
                "device": "cpu",
                "requires_grad": grad,
            }
            tensors.append({**row, "is_parameter": False, "sources": ["L['x']"]})
        for number, needs_grad in enumerate(parameters):
            source = f"L['self']._modules['{number}']._parameters['weight']"
            text = f"check_tensor({source}, Parameter, DispatchKeySet(CPU), torch.float32, device=None, requires_grad={needs_grad}, size=[3], stride=[1])"
            own.append(Predicate("TENSOR_MATCH", source, text))
            row = {"is_leaf": True, "shape": [3], "stride": [1], "dtype": "torch.float32", "device": "cpu"}
            tensors.append({**row, "requires_grad": needs_grad, "is_parameter": True, "sources": [source]})
        own += [
            Predicate("EQUALS_MATCH", f"L['{name}']", f"L['{name}'] == {value!r}")
            for name, value in constants.items()
        ]
        own += [Predicate("LAMBDA_GUARD", None, text) for text in conditions]
        own += guards
        ids = {}
        for guard in own:
            number = self.ids.setdefault(guard, len(self.ids))
            self.guards[number], ids[number] = guard, None
        key, results = f"0/{len(self.compiles)}", results_of(tensors)
        self.compiles.append(Compiled(key, ids, input_of(tensors, [], own), 10, 10, results=results))

    def savings(self, **options):
        """Return what each fix avoids."""
        return {fixes: saving.avoided for fixes, saving in self.all_savings(**options).items()}

    def all_savings(self, **options):
        history = CodeHistory(self.compiles, self.guards, **options)
        return {saving.fixes: saving for saving in WhatIf(history).savings()}


def _contiguous(size):
    step, steps = 1, []
    for number in reversed(size):
        steps.append(step)
        step *= number
    return reversed(steps)


X0, X1 = Fix("mark_dynamic", "L['x']", 0), Fix("mark_dynamic", "L['x']", 1)
UNBACKED, DYNAMIC, FLAG = (
    Fix("mark_unbacked", "L['x']", 0),
    Fix("dynamic_true"),
    Fix("few_values", "L['flag']"),
)
