"""Ways in: each one translates a request into one use case and presents what comes back."""
