"""The definitions of every number that users see. Manifest, commands, SQL and viewers take their
numbers from fields that follow them.

- **compile**: something torch compiled, all attempts together: a row of ``compiles``. A frame, a frame of
  compiled autograd, or an ahead-of-time compile.
- **attempt**: one try of a compile: a row of ``attempts``. Dynamo restarts make several; ``attempt_count``
  counts them.
- **limit**: a compile id that torch refused, at the recompile limit or because ``error_on_recompile`` forbids
  recompiles. Not a compile.
- **capture**: a compile id under which something was captured that is not compiled under it: the graph of
  compiled autograd (``!0``), a call of ``torch.export``, a function that was inlined elsewhere. Not a
  compile.
- **export**: a call of ``torch.export``. Not a compile.
- **status** of a compile: see ``compiles``.
- **time** of a compile: ``total_us`` = forward + backward + restarts; see ``compiles.phase_times``.
- **compile time of a log** (``compile_us``): the union of the compile intervals on the timeline, nested and
  parallel time counted once; without a timeline the sum over compiles. ``wall_us`` is from the first to the
  last moment of compiling.
- **function**: a function of the program; resumed parts (``torch_dynamo_resume_in_f_at_12``) belong to ``f``.
- **graph breaks**: ``graph_breaks`` has one row per place and reason; ``graph_break_count`` is the sum of
  their ``count``, ``graph_break_place_count`` the number of places.
- **recompile**: a row of ``recompiles``: a compile after the first of its code object. **cause**: a row of
  ``recompile_causes``: recompiles with the same guard;
  ``recompile_cause_count`` counts them.
- **failure**: one per failed compile, export or process. Records nested in it are evidence of it, not further
  failures.
"""
