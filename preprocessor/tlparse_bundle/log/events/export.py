"""torch.export and draft export."""

from tlparse_bundle.log.events.kind import Kind

KINDS = (
    Kind("export", "export", "export", "text", "torch.export starts."),
    Kind("exported_program", "exported program", "export", "fx", "The program that was exported."),
    Kind(
        "missing_fake_kernel",
        "missing fake kernel",
        "export",
        "none",
        "A custom operator has no fake kernel.",
    ),
    Kind(
        "mismatched_fake_kernel",
        "mismatched fake kernel",
        "export",
        "none",
        "A fake kernel disagrees with the real one.",
    ),
)
