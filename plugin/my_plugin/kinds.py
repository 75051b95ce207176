"""The kinds of records that my program writes."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind("my_step", "step", "runtime", "none", "One step of my program, with the number of its requests."),
)
