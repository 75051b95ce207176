"""Symbolic shapes and the inputs they come from (torch/fx/experimental/symbolic_shapes.py)."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind("create_symbol", "new symbol", "shapes", "none", "A dimension became a symbol."),
    Kind(
        "create_unbacked_symbol",
        "new unbacked symbol",
        "shapes",
        "none",
        "A value that is only known at run time became a symbol.",
    ),
    Kind(
        "guard_added",
        "shape guard (full)",
        "shapes",
        "none",
        "A guard on symbols, with local variables and symbol sources.",
    ),
    Kind("guard_added_fast", "shape guard", "shapes", "none", "A guard on symbols."),
    Kind(
        "symbolic_shape_specialization",
        "specialization",
        "shapes",
        "none",
        "A symbol was specialized to a constant.",
    ),
    Kind(
        "propagate_real_tensors",
        "real value used",
        "shapes",
        "none",
        "A real value replaced an unbacked one.",
    ),
    Kind(
        "propagate_real_tensors_provenance",
        "real value used (full)",
        "shapes",
        "none",
        "A real value decided a data-dependent condition.",
    ),
    Kind(
        "guard_on_data_dependent_error",
        "data-dependent guard",
        "shapes",
        "none",
        "A condition depends on data that is only known at run time.",
    ),
    Kind("expression_created", "expression", "shapes", "none", "One node of a symbolic expression."),
    Kind("describe_storage", "storage", "shapes", "none", "Storage of an input tensor."),
    Kind(
        "describe_tensor", "tensor", "shapes", "none", "Shape, dtype, strides and flags of an input tensor."
    ),
    Kind("describe_source", "tensor source", "shapes", "none", "Where an input tensor comes from."),
)
