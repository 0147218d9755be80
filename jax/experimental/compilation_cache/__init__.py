"""Compiled programs kept in a folder, for the processes to come."""
