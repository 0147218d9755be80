"""Arrays in files; its modules need the package tensorstore."""
