"""The commands: each module parses its options, calls, and ends with an exit code."""
