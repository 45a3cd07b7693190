"""What is kept on this disk becomes what the service keeps: people from a file, a job from a job file."""
