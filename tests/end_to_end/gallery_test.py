"""Short runs of the examples of one file: each has to reach what it promises."""

import importlib.util
import json
import os
import pathlib
import re
import socket
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from tests.testing import patience

ROOT = pathlib.Path(__file__).resolve().parents[2]
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def example(name):
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(
        name, ROOT / "examples" / f"{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def quick(tmp_path):
    """A function that runs an example of a name in its quick mode, and checks what it draws."""

    def run(name, *arguments, drawn=(".png",)):
        module = example(name)
        result = module.main(["--quick", "--output", str(tmp_path), *arguments])
        written = sorted(path.name for path in tmp_path.iterdir())
        assert written == sorted(name + suffix for suffix in drawn)
        assert (tmp_path / f"{name}.png").read_bytes().startswith(PNG_SIGNATURE)
        return module, result

    return run


def test_the_autoencoder_bounds_the_likelihood_of_held_out_digits(quick):
    _, result = quick("variational_autoencoder")
    assert result.train_losses[-1] < result.train_losses[0] - 8
    # What one mean image for all digits reaches, by the pixels' entropies.
    mean = np.clip(result.held_out.mean(axis=0), 1e-6, 1 - 1e-6)
    entropy = -np.sum(mean * np.log(mean) + (1 - mean) * np.log1p(-mean))
    assert result.held_out_losses[-1] < entropy - 1


def test_the_gaussian_process_finds_the_noise_and_knows_what_it_does_not_know(quick):
    module, result = quick("gaussian_process")
    assert result.losses[-1] < result.losses[0] - 20
    assert abs(result.hyper["noise"] - module.NOISE) < 0.06
    assert result.coverage > 0.8
    in_the_gap = result.deviation[np.abs(result.line - 1.25) < 0.1].min()
    among_points = result.deviation[np.abs(result.line + 1) < 1].max()
    assert in_the_gap > 2 * among_points


def test_the_gpt_learns_and_writes_the_same_with_and_without_its_cache(quick):
    module, result = quick("character_gpt")
    assert np.mean(result.losses[-5:]) < np.log(len(module.SYMBOLS)) - 1.2
    with_cache, without = result.greedy
    assert with_cache == without
    assert {len(text) for text in result.texts} == {module.CONTEXT}


def test_the_cache_gives_the_logits_of_a_whole_pass():
    module = example("character_gpt")
    parameters = module.init_parameters(module.jax.random.key(0))
    text = module.read_text()[:12]
    whole, _ = module.forward(parameters, text, module.empty_caches())
    logits, caches = module.forward(parameters, text[:5], module.empty_caches())
    parts = [logits]
    for position in range(5, 12):
        symbol = text[position : position + 1]
        logits, caches = module.forward(parameters, symbol, caches, position)
        parts.append(logits)
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-4, atol=1e-4)


def test_leapfrog_keeps_the_energy_and_euler_does_not(quick, tmp_path):
    _, found = quick("n_body", drawn=(".png", ".gif"))
    with Image.open(tmp_path / "n_body.gif") as film:
        assert film.n_frames == 120
    assert np.abs(found["leapfrog"].energy_drift).max() < 1e-3
    assert np.abs(found["leapfrog"].momentum_drift).max() < 1e-10
    assert np.abs(found["Euler"].energy_drift).max() > 1e-2


def test_the_search_finds_networks_that_learn_and_others_that_do_not(quick):
    _, result = quick("hyperparameter_search")
    best = result.history[-1].max()
    assert best > 0.85 and result.best_alone > 0.7
    # The choice matters: the smallest rate learns little, the largest decay nothing.
    assert result.history[-1][0].max() < best - 0.3
    assert result.history[-1].min() < 0.2


def test_the_search_trains_each_network_as_if_it_were_alone():
    module = example("hyperparameter_search")
    jax, digits = module.jax, module.load_digits(0)[0]
    key, rates, decays = (
        jax.random.key(1),
        np.float32([0.01, 0.1]),
        np.float32([0, 0.1]),
    )
    first = module.init_parameters(jax.random.key(0))
    both = jax.tree.map(lambda p: np.broadcast_to(p, (2, 2, *p.shape)), first)
    networks = module.train_grid(both, key, rates, decays, digits)
    alone = jax.jit(module.train_epoch)(first, key, rates[1], decays[0], digits)
    for many, one in zip(
        jax.tree.leaves(networks), jax.tree.leaves(alone), strict=True
    ):
        np.testing.assert_allclose(many[1, 0], one, rtol=1e-4, atol=1e-5)


def test_variational_inference_comes_close_to_the_exact_posterior(quick):
    module, result = quick("variational_inference")
    (mean, deviation), (exact_mean, exact_deviation) = result.fitted, result.exact
    assert np.all(np.abs(mean - exact_mean) < 0.4 * exact_deviation)
    np.testing.assert_allclose(deviation, exact_deviation, rtol=0.25)
    bound = result.elbos[-4 * module.BLOCK :].mean()
    assert result.log_evidence - 1 < bound < result.log_evidence + 0.05
    # Least squares would follow the outliers.
    assert (
        abs(mean[1] - module.TRUTH[1])
        < 0.2
        < abs(np.polyfit(*result.points, 1)[1] - module.TRUTH[1])
    )


def test_private_sgd_learns_and_its_budget_grows_with_steps_and_falls_with_noise(quick):
    _, result = quick("private_sgd")
    assert result.accuracies[-1, :2].min() > 0.7
    assert np.all(np.diff(result.budgets[:, 1:], axis=0) > 0)
    assert np.all(np.diff(result.budgets[-1, 1:]) < 0)
    assert result.budgets[-1, 0] == np.inf


def test_private_sgd_clips_the_gradient_of_each_example():
    module = example("private_sgd")
    jax, jnp = module.jax, module.jnp
    parameters = module.init_parameters(jax.random.key(0))
    images = (
        jax.random.uniform(jax.random.key(1), (8, 64)) * np.logspace(-3, 1, 8)[:, None]
    )
    labels = jnp.arange(8)
    each = jax.vmap(module.clipped_gradient, (None, 0, 0))(parameters, images, labels)
    plain = jax.vmap(jax.grad(module.loss), (None, 0, 0))(parameters, images, labels)

    def norms(tree):
        squares = [jnp.sum(g.reshape(8, -1) ** 2, 1) for g in jax.tree.leaves(tree)]
        return np.sqrt(sum(squares))

    np.testing.assert_allclose(
        norms(each), np.minimum(norms(plain), module.CLIP), rtol=1e-5
    )


@pytest.mark.parametrize("noise", [0.5, 1.0, 4.0])
def test_private_sgd_knows_the_divergence_of_gaussian_noise(noise):
    module = example("private_sgd")
    for order in (2, 5, 20):
        whole = module.renyi_divergence(1, noise, order)
        np.testing.assert_allclose(whole, order / (2 * noise**2), rtol=1e-12)
        assert 0 < module.renyi_divergence(0.1, noise, order) < whole
    # Order 2 has a closed form for any share of the examples.
    np.testing.assert_allclose(
        module.renyi_divergence(0.1, noise, 2),
        np.log1p(0.01 * np.expm1(noise**-2)),
        rtol=1e-9,
    )


def test_the_diffusion_model_makes_digits_that_read_as_meant(quick):
    module, result = quick("diffusion")
    assert result.losses[-module.BLOCK :].mean() < 0.2 < result.losses[0]
    assert result.readable > 0.6


def test_the_kernel_chooses_its_bandwidth_and_the_iteration_finds_the_fit(quick):
    module, result = quick("kernel_least_squares")
    assert result.errors[-1] < 0.5 * result.errors[0]
    line = np.linspace(0.05, 0.95, 50)
    fit = np.asarray(module.gram(result.bandwidth, line, result.x)) @ result.weights
    assert np.sqrt(np.mean((fit - np.sin(20 * line**2)) ** 2)) < 0.25
    assert result.distances[-1] < 1e-3 < result.distances[0]


def test_the_kernel_matrix_by_blocks_is_the_whole_one():
    module = example("kernel_least_squares")
    x, y = module.examples(module.jax.random.key(1), 100)
    whole = module.gram(0.1, x, x) @ y + module.RIDGE * y
    np.testing.assert_allclose(module.product(0.1, x, y), whole, rtol=1e-10)


def test_the_learned_field_follows_new_starts(quick):
    _, result = quick("neural_ode")
    assert result.losses[-1] < 0.02 * result.losses[0]
    assert result.new_error < 0.3


def test_the_pole_stays_up_longer_after_training(quick):
    # One training may end early or late by the rounding of a processor; three seldom do.
    results = [quick("reinforcement_learning", "--seed", str(n))[1] for n in range(3)]
    first = np.mean([result.lengths[:5] for result in results])
    assert first < 70
    assert np.mean([result.lengths[-10:] for result in results]) > 120
    # How long the untrained policy lasts hangs on rounding: it prefers neither side.
    assert np.mean([len(result.after) for result in results]) > 2 * first


def test_a_pole_falls_without_pushes_to_its_side():
    module = example("reinforcement_learning")
    jax = module.jax
    state = module.State(0.0, 0.0, 0.1, 0.0, jax.numpy.int32(0))
    for number in range(60):
        state, fell, _ = module.push(state, False, jax.random.key(number))
        if fell:
            break
    assert fell and number < 40


def test_the_residual_network_reads_digits(quick):
    pytest.importorskip("flax", reason="the example is written with Flax")
    pytest.importorskip("optax", reason="the example is trained with Optax")
    _, result = quick("resnet")
    assert result.losses[-1] < 0.7
    assert result.accuracies[-1] > 0.9
    # Batch normalization's statistics move with training.
    assert np.abs(result.means[-1]).max() > 0.01


def test_the_server_answers_right_and_computes_requests_together(tmp_path):
    pytest.importorskip("aiohttp", reason="the example serves with aiohttp")
    result = example("model_server").main(["--quick", "--output", str(tmp_path)])
    assert result.accuracy > 0.85
    assert max(result.batches) > 1
    assert sum(result.batches) == sum(map(len, result.seconds.values()))


def test_the_server_refuses_what_is_no_image(tmp_path):
    pytest.importorskip("aiohttp", reason="the example serves with aiohttp")
    module = example("model_server")
    path = tmp_path / "digits.jax"
    module.main(["export", str(path), "--steps", "2"])

    async def statuses():
        runner = module.web.AppRunner(module.application(module.Model(path)))
        await runner.setup()
        await module.web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        address = f"http://{host}:{port}"
        found = []
        async with module.aiohttp.ClientSession() as session:
            for body in ("no JSON", "{}", '{"images": [[1, 2]]}', '{"images": []}'):
                async with session.post(f"{address}/predict", data=body) as response:
                    found.append(response.status)
            async with session.get(f"{address}/health") as response:
                found.append(response.status)
        await runner.cleanup()
        return found

    assert module.asyncio.run(statuses()) == [400, 400, 400, 400, 200]


def run_together(programs):
    """Runs arguments of Python, each with variables of its own, at once; returns what each printed, if none failed."""
    settings = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen(
            [sys.executable, *arguments],
            env=settings | own,
            stdout=subprocess.PIPE,
            text=True,
        )
        for arguments, own in programs
    ]
    printed = [
        process.communicate(timeout=patience.LIMIT_S)[0] for process in processes
    ]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return printed


def test_the_job_for_kubernetes_trains_over_processes(tmp_path):
    """The program of each pod, with the environment that the Job gives it."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{listening.getsockname()[1]}"
    path = ROOT / "examples/kubernetes/train.py"
    settings = {"JAX_NUM_PROCESSES": "2", "JAX_COORDINATOR_ADDRESS": address}
    printed = run_together(
        (
            [path, "--steps", "60", "--output", tmp_path],
            settings | {"JAX_PROCESS_ID": str(number)},
        )
        for number in range(2)
    )
    losses = {re.search(r"of 2: loss ([\d.]+)", text)[1] for text in printed}
    assert len(losses) == 1 and float(losses.pop()) < 0.02
    (drawn,) = tmp_path.iterdir()
    assert drawn.name == "kubernetes_job.png"
    assert drawn.read_bytes().startswith(PNG_SIGNATURE)


def test_the_job_for_kubernetes_has_as_many_pods_as_processes():
    job = (ROOT / "examples/kubernetes/train.yaml").read_text()
    (count,) = re.findall(r"completions: (\d+)", job)
    assert re.findall(r"parallelism: (\d+)", job) == [count]
    assert re.search(rf'JAX_NUM_PROCESSES\s+value: "{count}"', job)


def check_that_workers_trained_as_one(module, job, steps):
    """All have the weights that one process finds from the examples of all of them."""
    whole = module.learn_in_numpy([0, 1], steps)
    np.testing.assert_allclose(job.losses, whole.losses, rtol=1e-4)
    np.testing.assert_array_equal(job.weights[0], job.weights[1])
    np.testing.assert_allclose(job.weights[0], whole.weights[0], atol=1e-5)
    for rank in range(2):
        alone = module.learn_in_numpy([rank], steps).weights
        assert np.abs(job.weights - alone).max() > 0.01


# Ray warns of settings of its own.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_job_through_ray_trains_as_one(quick):
    pytest.importorskip("ray", reason="ray[train] is in no lock file: it is 60 MB")
    module, job = quick("ray_train")
    check_that_workers_trained_as_one(module, job, 20)


RAY_WORKER = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("ray_train", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
job = module.learn(sys.argv[2], 2, int(sys.argv[3]), 20)
print(json.dumps([job.losses, job.weights.tolist()]))
"""


def test_the_workers_of_ray_train_as_one_whoever_starts_them():
    """What each worker runs after Ray has given it an address, a rank and a size."""
    module = example("ray_train")
    address = f"127.0.0.1:{module.free_port()}"
    path = ROOT / "examples/ray_train.py"
    printed = run_together(
        (["-c", RAY_WORKER, path, address, str(rank)], {}) for rank in range(2)
    )
    for rank, text in enumerate(printed):
        first, last = text.splitlines()
        assert first == f"worker {rank}: one of 2 processes"
        losses, weights = json.loads(last)
        job = module.Learned(losses, np.array(weights))
        check_that_workers_trained_as_one(module, job, 20)
