"""Slow tests, which `scripts/test --quick` leaves out.

A test is slow when its id begins with a line of SLOW, or when it reads a public trace (those of fixtures/ are
smaller). All browser tests are slow, except QUICK_PAGES: they open each viewer once, and any error in the
console fails the test.
"""

from pathlib import Path

from traces import PUBLIC_LOGS, SHARED

SLOW = (
    "tests/pipeline/test_blobs.py::test_the_timeline_of_every_fixture_is_json",
    "tests/pipeline/test_determinism.py",
    "tests/base/test_remote.py",
    "tests/pipeline/test_helpers.py::test_the_same_bundle",
    "tests/cli/test_cli.py::test_ctrl_c",
    "tests/cli/test_endings.py::test_a_full_disk",
    "tests/cli/test_endings.py::test_a_place_that_is_read_only",
    "tests/cli/test_endings.py::test_an_empty_mount_point_is_filled",
    "tests/cli/test_endings.py::test_little_of_something",
    "tests/cli/test_sql_limits.py::test_a_hostile_bundle",
    "tests/cli/test_sql_limits.py::test_an_attack",
    "tests/cli/test_sql_limits.py::test_attacks",
    "tests/cli/test_sql_limits.py::test_more_queries",
    "tests/cli/test_sql_limits.py::test_the_command",
    "tests/cli/test_follow.py",
    "tests/cli/test_follow_terminal.py::test_a_terminal_that",
    "tests/cli/test_follow_terminal.py::test_ctrl_z",
    "tests/repository/test_contributing.py::test_the_",
    "tests/bundle/test_recipes.py::test_output_code_in_javascript",
    "tests/statements/test_again.py::test_live_runs",
    "tests/follow/test_follow_faults.py::test_killed_at_any_moment",
    "tests/fuzz/test_fuzz.py::test_earlier_faults",
    "tests/fuzz/test_kills.py",
    "tests/end_to_end/test_broken_bytes.py::test_many_ways_to_cut_a_small_log",
    "tests/end_to_end/test_broken_bytes.py::test_the_size_of_the_blocks",
    "tests/end_to_end/test_fixtures.py::test_bundle_of_a_public_trace",
    "tests/end_to_end/test_fixtures.py::test_undefined_strings",
    "tests/end_to_end/test_hostile.py::test_20_000_damaged_records",
    "tests/end_to_end/test_hostile.py::test_a_name_from_a_log",
    "tests/end_to_end/test_hostile.py::test_any_value_of_any_key",
    "tests/end_to_end/test_hostile.py::test_many_kinds_of_events",
    "tests/end_to_end/test_hostile.py::test_nesting_without_end",
    "tests/end_to_end/test_hostile.py::test_wide_metadata",
    "tests/end_to_end/test_limits.py::test_a_compressed_bomb[",
    "tests/end_to_end/test_limits.py::test_a_disk_that_is_full",
    "tests/end_to_end/test_limits.py::test_every_byte_of_a_compressed_log",
    "tests/end_to_end/test_limits.py::test_json_that_takes_too_much_memory",
    "tests/end_to_end/test_limits.py::test_limits_do_not_depend_on_block_size",
    "tests/end_to_end/test_properties.py",
    "tests/statements/ranks/test_ranks_properties.py",
    "tests/bundle/test_validate.py::test_a_damaged_compressed_file",
    "tests/bundle/test_validate.py::test_every_file_matters",
    "tests/repository/test_benchmarks.py::test_it_prints_its_figures[follow]",
    "tests/repository/test_benchmarks.py::test_it_prints_its_figures[preprocessor]",
    "tests/repository/test_benchmarks.py::test_it_prints_its_figures[reader]",
    "tests/repository/test_benchmarks.py::test_it_prints_its_figures_of_pages",
    "tests/repository/test_scripts.py::test_a_screenshot_is_taken",
    "tests/repository/test_types.py",
    "tests/serve/test_proxy.py::test_a_bundle_on_an_s3_server",
    "tests/tables/test_anatomy.py::test_sums_are_those",
    "tests/tables/test_rows.py::test_the_memory_of_numbers",
    "tests/tables/test_spans.py::test_any_timeline_nests",
    "tests/log/test_known.py::test_nothing_changes_for_any_log",
    "tests/web/",
)
QUICK_PAGES = (
    "tests/web/test_web_compare_runs.py::test_ranks_and_no_change",
    "tests/web/test_web_exported.py::test_nothing_is_fetched",  # a file
    "tests/web/test_web_fork.py::test_a_fork_runs_and_shows_the_edit",  # every viewer in turn
    "tests/web/test_web_multirank.py::test_healthy_ranks_have_no_warning",
    # the page that lists bundles
    "tests/web/test_web_open.py::test_the_list_leads_to_each_bundle_and_viewer",
    "tests/web/test_web_overview.py::test_nothing_wrong_is_an_answer",
    "tests/web/test_web_provenance.py::test_coverage_is_shown",
    "tests/web/test_web_safety.py::test_pages_carry_a_strict_policy",
    "tests/web/test_web_safety.py::test_sources_make_no_markup_from_data",
    "tests/web/test_web_servers.py::test_artifact_over_each_server_in_each_codec[zstd-static]",
)


def is_slow(test, parameters=()):
    """Return whether the test of this id is slow."""
    return (test.startswith(SLOW) and not test.startswith(QUICK_PAGES)) or any(
        it in PUBLIC_LOGS or (isinstance(it, Path) and it.is_relative_to(SHARED)) for it in parameters
    )
