"""Any logs of ranks are compared, and nothing in them ends a build."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from log_strategies import cases, damaged_logs, hostile_logs
from tlparse_bundle import Bundle, BundleError, build, discover
from tlparse_bundle.bundle.validate import validate
from tlparse_bundle.legacy.report import write_legacy
from tlparse_bundle.pipeline.merge import merge


@cases(25)
@given(st.lists(st.one_of(damaged_logs(), hostile_logs()), min_size=2, max_size=4))
def test_any_logs_of_ranks_are_compared(logs):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "logs").mkdir()
        for rank, data in enumerate(logs):
            (folder / "logs" / f"dedicated_log_torch_trace_rank_{rank}.log").write_bytes(data)
        try:
            found = discover([folder / "logs"])
            build(found, folder / "out", jobs=1)
        except BundleError:
            return
        bundle = Bundle.open(folder / "out")
        assert validate(bundle) == []
        if len({log.rank for log in bundle.logs} - {None}) > 1:
            assert bundle.job and len(bundle.rank_table("ranks")) > 1
        write_legacy(bundle, folder / "legacy")
        merge([folder / "out"], folder / "merged", jobs=1)
        assert (folder / "merged" / "manifest.json").read_bytes() == (
            folder / "out" / "manifest.json"
        ).read_bytes()
