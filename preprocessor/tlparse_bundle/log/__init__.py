"""The raw log: discovery, records, envelopes, stacks, clock and compile ids."""
