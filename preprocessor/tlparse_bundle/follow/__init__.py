"""A bundle of logs that are still being written.

A state is a fork: this process reads the logs as a build does, and stops where they end now. To show what
there is it makes a copy of itself, for which what was read is the whole log: the copy ends the build, as any
build ends, and puts the manifest in place, while this process reads on. So each state is what a fresh build
of the same bytes makes, and nothing is read twice.
"""

from tlparse_bundle.follow.follower import Follower

__all__ = ["Follower"]
