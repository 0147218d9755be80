"""The coordination service of a job, and its standby."""
