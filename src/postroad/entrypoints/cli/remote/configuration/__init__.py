"""What is kept to be sent with: accounts, messages, audiences, secrets, files."""
