# NVIDIA's libraries come by pip, the driver from the host: docker run --gpus all ...
FROM python:3.11-slim-bookworm
ARG EXTRA=cuda12
COPY dist/*.whl /wheels/
RUN pip install --no-cache-dir --find-links /wheels \
    "$(echo /wheels/jax-*.whl)[${EXTRA}]" /wheels/jaxlib-*.whl && rm -r /wheels
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
CMD ["python", "-c", "import jax; jax.print_environment_info()"]
