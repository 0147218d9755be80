"""What cuDNN would do, where other libraries ask for it. A door."""
