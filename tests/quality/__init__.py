"""The quality bench: labelled logs with planted faults, and what the audit makes of them."""
