"""Who may take part in a job: certificates and secrets."""
