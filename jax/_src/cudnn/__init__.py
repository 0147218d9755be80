"""What cuDNN would do: re-exports for third-party libraries, which import this path."""
