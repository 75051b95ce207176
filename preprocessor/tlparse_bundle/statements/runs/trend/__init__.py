"""Many runs over time: numbers, jumps, the document."""
