"""What every test shares: hypothesis runs with fixed seeds, so that a failure here is a failure everywhere."""

import hypothesis

hypothesis.settings.register_profile(
    "fixed", derandomize=True, deadline=None, database=None, print_blob=True
)
hypothesis.settings.load_profile("fixed")
