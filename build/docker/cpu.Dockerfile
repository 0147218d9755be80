# The wheels of dist/, on a bare system: docker build -f build/docker/cpu.Dockerfile .
FROM python:3.11-slim-bookworm
COPY dist/*.whl /wheels/
RUN pip install --no-cache-dir /wheels/jax-*.whl /wheels/jaxlib-*.whl && rm -r /wheels
CMD ["python", "-c", "import jax; jax.print_environment_info()"]
