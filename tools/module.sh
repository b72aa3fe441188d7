#!/bin/sh
# Changes the path of the module, so that others can fetch it: tools/module.sh github.com/you/confab
set -eu
to=${1:?name the new path, such as github.com/you/confab}
from=$(go list -m)
export from to
go mod edit -module "$to"
(cd examples/library && go mod edit -droprequire "$from" -dropreplace "$from" -require "$to@v0.0.0" -replace "$to=../..")
# Import lines and other strings of package paths, the flags of the linker, the settings of the linters.
find . -name '*.go' -not -path './bin/*' -exec perl -pi -e 's#"\Q$ENV{from}\E/#"$ENV{to}/#g; s#^((import)?\s*([\w.]+ )?)"\Q$ENV{from}\E"(\s*(//.*)?)$#$1"$ENV{to}"$4#; s#^(const module = )"\Q$ENV{from}\E"#$1"$ENV{to}"#' {} +
perl -pi -e 's#-X \Q$ENV{from}\E/#-X $ENV{to}/#' Makefile .goreleaser.yaml
perl -pi -e 's#(module-path: |local-prefixes: \[)\Q$ENV{from}\E#$1$ENV{to}#' .golangci.yml
gofmt -w $(git ls-files '*.go')
go build ./... && (cd examples/library && go build ./...)
echo "the module is $to; commit the change"
