"""Everything before the first message leaves: checking, importing, looking, and the choice of whom to send to again."""
