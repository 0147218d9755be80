"""Compiled programs and checkpoints in an object store, reached by S3's protocol at a server of this machine."""

import json
import logging
import threading
from urllib import parse

import fsspec
import pytest
from moto.moto_server import werkzeug_app as moto_server
from werkzeug import serving

from tests.testing import processes

BUCKET = "things"


@pytest.fixture(scope="module")
def variables():
    """A server with an empty bucket; what programs are told of it."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application = moto_server.DomainDispatcherApplication(
        moto_server.create_backend_app
    )
    # One request at a time: an object that is replaced while it is read is none of this server's strengths.
    server = serving.make_server("127.0.0.1", 0, application, threaded=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = parse.urlunsplit(("http", f"127.0.0.1:{server.port}", "", "", ""))
    files(address).mkdir(BUCKET)
    yield {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "something",
        "AWS_DEFAULT_REGION": "us-east-1",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }
    server.shutdown()
    server.server_close()


def files(address):
    return fsspec.filesystem(
        "s3",
        key="somebody",
        secret="something",
        endpoint_url=address,
        use_listings_cache=False,
        skip_instance_cache=True,
    )


def names_in(variables, folder):
    found = files(variables["AWS_ENDPOINT_URL"]).glob(f"{BUCKET}/{folder}/*")
    return [path.rpartition("/")[2] for path in found]


COMPILE = """
import json, warnings
import numpy as np
import jax

events, notes = [], []
jax.monitoring.register_event_listener(lambda name, **_: events.append(name))
warnings.showwarning = lambda message, *_: notes.append(str(message))
if SEVERAL:
    jax.distributed.initialize()
mesh = jax.make_mesh((jax.device_count(),), ("x",))
x = jax.make_array_from_callback(
    (64,), jax.NamedSharding(mesh, jax.P("x")), lambda i: np.arange(64.0, dtype=np.float32)[i])
answer = float(jax.jit(lambda x: (jax.numpy.sin(x) * x).sum())(x))
count = events.count
print(json.dumps({
    "answer": answer, "notes": notes,
    "hits": count("/jax/compilation_cache/cache_hits"),
    "misses": count("/jax/compilation_cache/cache_misses"),
}))
"""


def told(job):
    with job:
        ended = job.ended()
    assert [end.status for end in ended] == [0] * len(ended), ended[0].err
    return [json.loads(end.out) for end in ended]


def compile_in(folder, variables, count=1, **more):
    cache = {"JAX_COMPILATION_CACHE_DIR": f"s3://{BUCKET}/{folder}"}
    program = COMPILE.replace("SEVERAL", str(count > 1))
    return processes.Job(program, count, **variables, **cache, **more)


def test_writers_at_once_leave_whole_entries_and_the_oldest_make_room(variables):
    jobs = [compile_in("alone", variables) for _ in range(3)]
    first = [told(job)[0] for job in jobs]
    (after,) = told(compile_in("alone", variables))
    assert not any(one["notes"] for one in first)
    assert any(one["misses"] for one in first)
    assert not after["notes"] and not after["misses"] and after["hits"]
    assert {one["answer"] for one in [*first, after]} == {after["answer"]}
    (old,) = names_in(variables, "alone")
    store = files(variables["AWS_ENDPOINT_URL"])
    limit = 3 * store.du(f"{BUCKET}/alone") // 2
    limits = {"JAX_COMPILATION_CACHE_MAX_SIZE": str(limit)}
    # The variable narrows the instruction set, so the entry is another.
    told(compile_in("alone", variables, XLA_CPU_FEATURES="baseline", **limits))
    (new,) = names_in(variables, "alone")
    assert old != new and store.du(f"{BUCKET}/alone") <= limit


def test_the_first_process_of_a_job_writes_and_all_read(variables):
    first = told(compile_in("job", variables, 2))
    assert [one["notes"] for one in first] == [[], []]
    assert first[0]["misses"] and not first[1]["misses"]
    assert len(names_in(variables, "job")) == first[0]["misses"]
    again = told(compile_in("job", variables, 2))
    assert not again[0]["misses"]
    assert again[0]["hits"] and again[1]["hits"]
    assert {one["answer"] for one in first + again} == {first[0]["answer"]}


def test_a_store_that_refuses_is_a_warning(variables):
    cache = {"JAX_COMPILATION_CACHE_DIR": "s3://nobodys/folder"}
    program = COMPILE.replace("SEVERAL", "False")
    (end,) = told(processes.Job(program, 1, **variables, **cache))
    assert "cannot write the entry of 'jit(" in end["notes"][0]
    assert "s3://nobodys/folder" in end["notes"][0]


CHECKPOINT = """
import os, sys
import numpy as np
import jax
from jax.experimental.array_serialization import serialization, tensorstore_impl

jax.distributed.initialize()
mesh = jax.make_mesh((jax.device_count(),), ("x",))
values = np.arange(60, dtype=np.float32).reshape(12, 5)
sharding = jax.NamedSharding(mesh, jax.P("x"))
spec = tensorstore_impl.get_tensorstore_spec("s3://things/checkpoint/rows", ocdbt=False)
spec["kvstore"] |= {"endpoint": os.environ["AWS_ENDPOINT_URL"], "aws_region": "us-east-1"}
manager = serialization.GlobalAsyncCheckpointManager(240)
if SAVE:
    manager.serialize([jax.device_put(values, sharding)], [spec])
    manager.wait_until_finished()
else:
    (found,) = manager.deserialize([sharding], [spec])
    for shard in found.addressable_shards:
        assert np.array_equal(shard.data, values[shard.index])
"""


def test_two_processes_write_arrays_and_three_read_them(variables):
    for count, is_saved in ((2, True), (3, False)):
        program = CHECKPOINT.replace("SAVE", str(is_saved))
        for end in processes.run(program, count, JAX_NUM_CPU_DEVICES="2", **variables):
            assert end.status == 0, end.err
