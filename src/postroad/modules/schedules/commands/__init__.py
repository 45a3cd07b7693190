"""What people do with schedules: each is one transaction."""
