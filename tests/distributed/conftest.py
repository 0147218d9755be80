"""What the tests of jobs share."""

import pytest

from jax._src.distributed.client import client, session
from tests.distributed import jobs


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Clients of this process wait for a service that is suspended: to say a last word, and for its table."""
    monkeypatch.setattr(session, "_END_S", jobs.LIMIT_S)
    monkeypatch.setattr(client, "_STATES_S", jobs.LIMIT_S)


@pytest.fixture
def start(patient):
    """Makes services with clients, and ends them after the test."""
    made = []

    def make(count, **settings):
        made.append(jobs.ServiceAndClients(count, **settings))
        return made[-1]

    yield make
    for job in made:
        job.close()
