"""Records about the process and the log."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind(
        "str",
        "interned string",
        "process",
        "none",
        "Number that stacks use for a file name.",
    ),
    Kind(
        "artifact:torch_version",
        "torch version",
        "process",
        "json",
        "Version and commit of the PyTorch that wrote the log.",
    ),
    Kind(
        "dump_file",
        "dumped source",
        "process",
        "python",
        "Source of generated code that Dynamo traced, such as <eval_with_key>; stacks refer to it by name.",
    ),
    Kind("link", "link", "process", "none", "A link that the job attached, such as one to a profile."),
    Kind("damaged_record", "damaged record", "process", "text", "A record whose JSON could not be read."),
    Kind("untyped_record", "untyped record", "process", "text", "A record with context keys but no event."),
)
