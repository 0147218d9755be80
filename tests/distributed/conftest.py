"""What the tests of jobs share."""

import pytest

from tests.distributed import jobs


@pytest.fixture
def start():
    """Makes services with clients, and ends them after the test."""
    made = []

    def make(count, **settings):
        made.append(jobs.ServiceAndClients(count, **settings))
        return made[-1]

    yield make
    for job in made:
        job.close()
