# A container with pintle and little else: docker build -t pintle . && docker run --rm -i -v "$PWD:/work" pintle --mode rpc
# Two stages: the sources and Bun stay in the first one.
FROM node:22-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json tsconfig.json ./
COPY packages packages
COPY scripts scripts
RUN node scripts/build.mjs

FROM debian:bookworm-slim
# For the tools of the agent: the sandbox of commands, repositories, and the certificates of model providers.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --create-home pintle \
  && mkdir /work && chown pintle /work
COPY --from=build /source/dist/pintle /opt/pintle/pintle
COPY --from=build /source/dist/native /opt/pintle/native
COPY LICENSE /opt/pintle/LICENSE
RUN ln -s /opt/pintle/pintle /usr/local/bin/pintle
USER pintle
WORKDIR /work
ENTRYPOINT ["/opt/pintle/pintle"]
CMD ["--help"]
