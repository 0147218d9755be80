"""Programs that cross over to TensorFlow and back; it is loaded at the first use."""
