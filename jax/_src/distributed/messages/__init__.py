"""What processes and the coordination service send each other, and how."""
