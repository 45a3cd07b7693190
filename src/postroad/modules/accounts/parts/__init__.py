"""How a configuration is checked, the authentication circuit, and finding an account."""
