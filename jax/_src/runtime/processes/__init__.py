"""Programs of several processes: arrays over all their devices, and what they say to each other."""
