"""Words that every room shares: ids, outcomes, transition tables, errors, secrets, the clock. Standard library only."""
