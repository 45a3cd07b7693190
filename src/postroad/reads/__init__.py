"""Reading across rooms: SELECTs over the tables of several owners. Nothing here writes."""
