# The worker's image: a static binary and the certificate authorities, run by an unprivileged user.
#   make container                  from the binary of this machine, without a base image
#   docker build -t confab .        compiles it too
FROM scratch AS base
ARG VERSION=dev REVISION=unknown
LABEL org.opencontainers.image.title="confab" \
      org.opencontainers.image.description="Detects hallucinations of language models in Kafka streams" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
USER 65532:65532
EXPOSE 9464 9470 9471
ENTRYPOINT ["/usr/local/bin/confab"]
CMD ["run"]

FROM base AS prebuilt
ARG TARGETARCH=amd64
COPY bin/image/$TARGETARCH/ /

FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS=linux TARGETARCH=amd64 VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make container-files ARCH=$TARGETARCH VERSION=$VERSION && mv bin/image/$TARGETARCH /image

FROM base
COPY --from=build /image/ /
