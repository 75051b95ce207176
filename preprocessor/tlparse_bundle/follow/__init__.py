"""Follows logs that are still being written.

A state is a fork: this process reads the logs as a build does, up to their current end. To publish a
state it forks a copy, which ends the build as if the logs were complete and puts the manifest in place,
while this process reads on. So each state equals a fresh build of the same bytes, and nothing is read
twice.
"""

from tlparse_bundle.follow.follower import Follower

__all__ = ["Follower"]
