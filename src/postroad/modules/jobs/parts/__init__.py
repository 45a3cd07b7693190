"""Whether the parts of a job fit together, and finding a job."""
