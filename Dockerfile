# Hotlap in a container.
#   docker build --tag hotlap .                                  on the cores
#   docker build --tag hotlap:cuda --build-arg TORCH=cuda .      on an NVIDIA GPU: docker run --gpus all …
#   docker run --rm --volume hotlap:/home/driver hotlap train racer-ppo
#   docker run --rm --publish 8642:8642 --volume hotlap:/home/driver hotlap play --host 0.0.0.0 --no-open
# The volume keeps the runs and the compiled kernels. Docker makes it for the user `driver`; a folder of the host in its
# place has to be writable for user 1000.
FROM node:22-slim AS pages
WORKDIR /source
COPY frontend frontend
COPY src src
RUN cd frontend && npm install --no-audit --no-fund && npm run build

FROM python:3.12-slim
ARG TORCH=cpu
WORKDIR /source
COPY requirements-torch.lock ./
# torch first and alone: the usual index has it with CUDA, its own without
RUN if [ "$TORCH" = cpu ]; then index=--index-url=https://download.pytorch.org/whl/cpu; fi \
    && pip install --no-cache-dir $index -r requirements-torch.lock
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src src
COPY --from=pages /source/src/hotlap/web/static src/hotlap/web/static
RUN pip install --no-cache-dir ".[all]" && if [ "$TORCH" = cuda ]; then pip install --no-cache-dir ".[gpu]"; fi
RUN useradd --create-home driver && mkdir /home/driver/runs && chown driver /home/driver/runs
USER driver
WORKDIR /home/driver
ENTRYPOINT ["hotlap"]
CMD ["--help"]
