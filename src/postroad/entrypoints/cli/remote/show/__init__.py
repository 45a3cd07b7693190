"""How answers of the service look on a terminal; for programs they are passed on as they came."""
