"""Arrays in files, by the library tensorstore."""
