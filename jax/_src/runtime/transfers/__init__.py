"""Values from the host to devices, back, and between devices."""
