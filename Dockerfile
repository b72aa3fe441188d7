# The worker's image: a static binary and the certificate authorities, run by an unprivileged user.
# docker build --build-arg VERSION=$(git describe --tags --always) -t confab .
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS TARGETARCH VERSION=dev
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X confab/cmd/worker/internal/buildinfo.version=$VERSION" -o /confab ./cmd/worker

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /confab /usr/local/bin/confab
COPY LICENSE NOTICE /usr/share/doc/confab/
USER 65532:65532
EXPOSE 9464
ENTRYPOINT ["/usr/local/bin/confab"]
CMD ["run"]
