# Builds and tests everything: docker build -f build/docker/development.Dockerfile .
FROM debian:12
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git python3 python3-venv sudo \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
# Installs the compiler's packages as they are locked, and says what is there.
RUN python3 -c "import sys; sys.path.insert(0, 'build'); import machine; machine.ensure_packages()"
CMD ["python3", "build/build.py", "doctor"]
