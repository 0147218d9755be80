# ROCm's libraries are those of the base image: docker run --device /dev/kfd --device /dev/dri --shm-size 64g ...
FROM rocm/dev-ubuntu-24.04:7.0
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY dist/*.whl /wheels/
RUN python3 -m venv /opt/jax \
    && /opt/jax/bin/pip install --no-cache-dir --find-links /wheels \
    "$(echo /wheels/jax-*.whl)[rocm]" /wheels/jaxlib-*.whl \
    && rm -r /wheels
ENV PATH=/opt/jax/bin:$PATH
CMD ["python", "-c", "import jax; jax.print_environment_info()"]
