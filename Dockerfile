# The app (default command) and its workers (`python -m agent worker`). Not tried where it was written: no daemon was at hand.
FROM python:3.12.8-slim-bookworm
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home agent \
    && install --directory --owner agent /state
WORKDIR /app
COPY pyproject.toml ./
RUN pip install --no-cache-dir uv==0.13.9 \
    && uv pip install --system --no-cache --compile-bytecode -r pyproject.toml --extra scale --extra otel
COPY . .
USER agent
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 STATE_DIR=/state GRADIO_SERVER_NAME=0.0.0.0 PORT=7860 \
    GRADIO_ANALYTICS_ENABLED=False
VOLUME /state
EXPOSE 7860
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:7860/api/health', timeout=4)"]
# First what isolates programs here, and how well.
CMD ["sh", "-c", "python -m sandbox doctor; exec python app.py"]
