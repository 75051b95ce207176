"""Guard trees as programs: what a call must satisfy, and which calls recompile."""
