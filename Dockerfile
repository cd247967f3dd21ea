# One image for every role: `serve` (the default), `worker`, `mcp` and all other commands.
#
#     docker build --tag hindsight .
#     docker run --publish 127.0.0.1:8080:8080 --env HINDSIGHT_TOKEN=… --volume hindsight-data:/data --volume hindsight-keys:/keys hindsight
FROM python:3.11-slim-bookworm AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY requirements requirements
COPY scripts/install.py scripts/install.py
COPY deploy/image deploy/image
COPY src src
RUN sh deploy/image/install.sh /opt/hindsight

FROM python:3.11-slim-bookworm
# Group 0 may write too, so that any user id works on the volumes (docker run --user 12345:0).
RUN useradd --uid 10001 --gid 0 --no-create-home --home-dir /data --shell /usr/sbin/nologin hindsight \
  && mkdir --mode 0770 /data /keys \
  && chown 10001:0 /data /keys
COPY --from=build /opt/hindsight /opt/hindsight
ENV PATH=/opt/hindsight/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/data \
    HINDSIGHT_HOST=0.0.0.0 \
    HINDSIGHT_PORT=8080 \
    HINDSIGHT_STORE=/data \
    HINDSIGHT_MODEL_CACHE=/opt/hindsight/models \
    HINDSIGHT_SEAL_KEY_FILE=/keys/seal.key \
    HINDSIGHT_LOG_FORMAT=json
USER 10001:0
WORKDIR /data
VOLUME ["/data", "/keys"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/health/ready', timeout=4)"]
ENTRYPOINT ["hindsight"]
CMD ["serve"]
