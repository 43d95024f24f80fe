# The desk: every worker role and the `desk` command, from one image.
FROM python:3.11.15-slim-bookworm@sha256:d29f48a31a8b408ed19272ca1e7b10ebae13b240a27e862d3d4217c528e2e0c3 AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/desk
COPY requirements-deliver.lock requirements-swarm.lock requirements-observe.lock /build/
RUN /opt/desk/bin/pip install --require-hashes --only-binary :all: -r /build/requirements-deliver.lock
# Indicators, statistics and series of stocks: without them swarms and stocks come to little.
RUN /opt/desk/bin/pip install --require-hashes --only-binary :all: -r /build/requirements-swarm.lock
# Sends traces where a collector is named, and is not loaded otherwise.
RUN /opt/desk/bin/pip install --require-hashes --only-binary :all: -r /build/requirements-observe.lock

COPY pyproject.toml README.md LICENSE /build/
COPY desk /build/desk
COPY workflows /build/workflows
COPY activities /build/activities
COPY workers /build/workers
COPY starters /build/starters
COPY mcp_servers /build/mcp_servers
RUN /opt/desk/bin/pip install --no-deps --no-build-isolation /build

# The slim image brings the certificates that outgoing TLS is checked against.
FROM python:3.11.15-slim-bookworm@sha256:d29f48a31a8b408ed19272ca1e7b10ebae13b240a27e862d3d4217c528e2e0c3

RUN groupadd --gid 10001 desk \
    && useradd --uid 10001 --gid desk --no-create-home --home-dir /data/desk desk \
    && install --directory --owner desk --group desk /data/desk /data/reports

COPY --from=build /opt/desk /opt/desk
COPY deploy/mcp.json /app/.mcp.json

# A read-only root file system has no place for byte code; matplotlib keeps its fonts in /tmp.
ENV PATH=/opt/desk/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MPLCONFIGDIR=/tmp/matplotlib \
    DESK_HOME=/data/desk \
    DESK_REPORTS=/data/reports
WORKDIR /app
USER desk
VOLUME ["/data/desk", "/data/reports"]
ENTRYPOINT ["desk"]
CMD ["--help"]
