"""What people do with audiences and imports: each is one transaction."""
