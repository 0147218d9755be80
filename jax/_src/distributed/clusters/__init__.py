"""What is known of a job at its start: arguments, launchers and what they say, addresses."""
