"""Slow tests, which `scripts/test --quick` leaves out, and of which `scripts/test` runs an eighth: another one with
another commit, with those of IN_EACH_PART.

A test is slow when its id begins with a line of SLOW, or when it reads a public trace (those of fixtures/ are
smaller). All browser tests are slow, except QUICK_PAGES: they open each viewer once, and any error in the
console fails the test.
"""

import os
import subprocess
from pathlib import Path
from zlib import crc32

from traces import PUBLIC_LOGS, ROOT, SHARED

SLOW = (
    "tests/base/test_plugin_faults.py::test_a_",
    "tests/base/test_plugin_faults.py::test_follow",
    "tests/base/test_plugin_faults.py::test_the_command_line",
    "tests/base/test_remote.py",
    "tests/bundle/test_bounds.py::test_a_bomb",
    "tests/bundle/test_commit.py::test_a_writer_that_is_killed",
    "tests/bundle/test_json_standard.py::test_values_have_the_same_bytes",
    "tests/bundle/test_malformed.py::test_malformed_bundles",
    "tests/bundle/test_recipes.py::test_output_code_in_javascript",
    "tests/bundle/test_schema.py::test_an_additional",
    "tests/bundle/test_schema.py::test_every_schema_is_used",
    "tests/bundle/test_schema.py::test_real_tables",
    "tests/bundle/test_schema.py::test_statuses",
    "tests/bundle/test_shape.py::test_it_agrees",
    "tests/bundle/test_sql_limits.py::test_a_hostile_bundle",
    "tests/bundle/test_sql_limits.py::test_an_attack",
    "tests/bundle/test_sql_limits.py::test_attacks",
    "tests/bundle/test_sql_limits.py::test_more_queries",
    "tests/bundle/test_sql_limits.py::test_the_command",
    "tests/bundle/test_validate.py::test_a_damaged_compressed_file",
    "tests/bundle/test_validate.py::test_damage_is_found",
    "tests/bundle/test_validate.py::test_every_file_matters",
    "tests/cli/test_browser.py",
    "tests/cli/test_cli.py::test_a_shell_completes",
    "tests/cli/test_cli.py::test_ctrl_c",
    "tests/cli/test_cli.py::test_ranks_choose",
    "tests/cli/test_endings.py::test_a_full_disk",
    "tests/cli/test_endings.py::test_a_place_that_is_read_only",
    "tests/cli/test_endings.py::test_a_signal",
    "tests/cli/test_endings.py::test_an_empty_mount_point_is_filled",
    "tests/cli/test_endings.py::test_little_of_something",
    "tests/cli/test_follow.py",
    "tests/cli/test_follow_terminal.py::test_a_terminal_that",
    "tests/cli/test_follow_terminal.py::test_ctrl_z",
    "tests/cli/test_say.py::test_everything_goes",
    "tests/cli/test_say.py::test_names_of_a_bundle",
    "tests/cli/test_sql.py::test_a_query",
    "tests/cli/test_sql.py::test_every_value",
    "tests/cli/test_sql.py::test_the_command",
    "tests/cli/test_sql.py::test_the_programs",
    "tests/cli/test_sql.py::test_the_queries",
    "tests/log/test_broken_bytes.py::test_many_ways_to_cut_a_small_log",
    "tests/log/test_broken_bytes.py::test_the_size_of_the_blocks",
    "tests/end_to_end/test_fixtures.py::test_bundle_of_a_public_trace",
    "tests/end_to_end/test_fixtures.py::test_every_",
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
    "tests/follow/test_follow_faults.py::test_killed_at_any_moment",
    "tests/follow/test_follow_states.py::test_of_real_logs",
    "tests/follow/test_follow_states.py::test_ranks_that_come",
    "tests/follow/test_follow_states.py::test_urls",
    "tests/fuzz/test_fuzz.py::test_a_",
    "tests/fuzz/test_fuzz.py::test_earlier_faults",
    "tests/fuzz/test_fuzz.py::test_hostile_ones",
    "tests/fuzz/test_kills.py",
    "tests/guards/test_reasons.py::test_the_guards",
    "tests/legacy/test_legacy.py::test_the_report",
    "tests/log/test_event_walk.py::test_a_fixture_has_it",
    "tests/log/test_known.py::test_nothing_changes_for_any_log",
    "tests/log/profiler/test_hostile_traces.py::test_memory_is_bounded",
    "tests/mcp/test_mcp.py::test_a_hostile_log",
    "tests/model/test_numbers.py",
    "tests/pipeline/test_blobs.py::test_the_timeline_of_every_fixture_is_json",
    "tests/pipeline/test_determinism.py",
    "tests/pipeline/test_helpers.py",
    "tests/pipeline/test_plugins.py::test_it_works_for_worker",
    "tests/pipeline/test_profile_commands.py::test_add_profile_gives",
    "tests/pipeline/test_row_memory.py",
    "tests/redact/test_redact.py::test_a_part",
    "tests/redact/test_redact.py::test_any_bundle",
    "tests/redact/test_redact.py::test_nothing_of_the_program",
    "tests/redact/test_redact.py::test_sentences_are_made",
    "tests/redact/test_rules.py",
    "tests/redact/test_secrets.py",
    "tests/repository/test_benchmarks.py",
    "tests/repository/test_contributing.py::test_the_",
    "tests/repository/test_imports.py::test_registered",
    "tests/repository/test_links.py::test_each",
    "tests/repository/test_pages.py::test_the_queries",
    "tests/repository/test_python_types.py",
    "tests/repository/test_release.py::test_the_documentation_site",
    "tests/repository/test_release.py::test_the_release_works",
    "tests/repository/test_scripts.py::test_a_screenshot_is_taken",
    "tests/repository/test_scripts.py::test_fuzz_runs",
    "tests/repository/test_scripts.py::test_mutate_reports",
    "tests/repository/test_scripts.py::test_the_tests_start",
    "tests/repository/test_scripts.py::test_versions",
    "tests/repository/test_types.py",
    "tests/repository/test_workflows.py::test_the_smoke",
    "tests/serve/test_proxy.py::test_a_bundle_on_an_s3_server",
    "tests/serve/test_fork_plugin.py::test_its_own_tests_fail",
    "tests/statements/ranks/test_findings_of_jobs.py",
    "tests/statements/ranks/test_many_ranks.py",
    "tests/statements/ranks/test_parallel_jobs.py",
    "tests/statements/ranks/test_rank_lengths.py::test_sentences",
    "tests/statements/ranks/test_ranks_properties.py",
    "tests/statements/runs/test_check.py::test_a_number",
    "tests/statements/runs/test_check.py::test_findings_that_are_not_listed",
    "tests/statements/runs/test_compared_",
    "tests/pipeline/test_program.py::test_merged",
    "tests/statements/test_again.py::test_a_short_program",
    "tests/statements/test_again.py::test_live_runs",
    "tests/statements/test_again.py::test_the_script_makes_them_all",
    "tests/statements/test_headline_agrees.py::test_of_every_log",
    "tests/statements/test_kinds.py::test_every_kind",
    "tests/tables/test_anatomy.py::test_sums_are_those",
    "tests/tables/test_reads.py::test_the_payloads",
    "tests/tables/test_rows.py::test_the_memory_of_numbers",
    "tests/tables/test_spans.py::test_any_timeline_nests",
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


PARTS = 8
# With each part: what keeps secrets in, and attacks out.
IN_EACH_PART = (
    "tests/bundle/test_sql_limits.py",
    "tests/end_to_end/test_hostile.py",
    "tests/mcp/test_mcp.py::test_a_hostile_log",
    "tests/redact/test_secrets.py",
    "tests/web/test_web_hostile.py",
    "tests/web/test_web_safety.py",
)
MOST_CASES = 3  # of a slow test, without --all
# Single tests that take longest, with others beside them that would notice most faults.
ONLY_WITH_ALL = (
    "tests/base/test_remote.py::test_roles_groups_and_dumps_are_the_same_everywhere",
    "tests/fuzz/test_fuzz.py::test_earlier_faults",
    "tests/fuzz/test_kills.py",
    "tests/repository/test_benchmarks.py::test_it_prints_its_figures_of_pages[browser]",
    "tests/repository/test_benchmarks.py::test_it_prints_its_figures_of_pages[multirank]",
    "tests/repository/test_benchmarks.py::test_it_prints_its_figures_of_pages[viewer]",
    "tests/repository/test_scripts.py::test_mutate_reports",
    "tests/web/test_web_open_local.py::test_a_folder_of_logs_is_built_kept_shared_and_removed",
    "tests/web/test_web_open_local.py::test_a_file_that_cannot_be_opened",
    "tests/web/test_web_open_local.py::test_a_site_works_without_its_server",
    "tests/web/test_web_open_local.py::test_an_address_names_a_log",
    "tests/web/test_web_open_local.py::test_two_are_before_and_after",
    "tests/web/test_web_open_local.py::test_without_python",
    "tests/web/test_web_python.py::test_every_table_has_rows",
    "tests/web/test_web_python.py::test_fixtures_have_the_same_bundle",
    "tests/web/test_web_python.py::test_progress_and_an_end",
)


def part_now():
    """Return which part of the slow tests to run: TEST_PART if set, else that of the commit."""
    if os.environ.get("TEST_PART"):
        return int(os.environ["TEST_PART"]) % PARTS
    command = ("git", "rev-parse", "HEAD")
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # an archive of the sources
        return 0
    return int(done.stdout, 16) % PARTS


def part_of(test):
    """Return the part that the test of this id belongs to, with all its cases."""
    return crc32(test.partition("[")[0].encode()) % PARTS


def left_out(tests, part):
    """Return the ids of the tests that do not run with a part, of the ids of slow tests in their order.

    Of a test with many cases some are kept: the first, the last, and others evenly between them.
    """
    cases = {}
    for test in tests:
        cases.setdefault(test.partition("[")[0], []).append(test)
    kept = set()
    for of_one in cases.values():
        last, most = len(of_one) - 1, min(len(of_one), MOST_CASES)
        kept.update(of_one[round(number * last / max(1, most - 1))] for number in range(most))
    runs = {test for test in kept if part_of(test) == part or test.startswith(IN_EACH_PART)}
    return {test for test in tests if test not in runs or test.startswith(ONLY_WITH_ALL)}
