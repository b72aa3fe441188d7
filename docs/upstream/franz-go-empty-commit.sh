#!/usr/bin/env bash
# Runs franz-go-empty-commit.go twice: with franz-go as it is, and with a copy that pauses for 500 ms where its goroutine may
# be preempted anyway.
set -euo pipefail
cd "$(dirname "$0")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp -r "$(go list -m -f '{{.Dir}}' github.com/twmb/franz-go)" "$work/franz-go"
chmod -R u+w "$work/franz-go"
file="$work/franz-go/pkg/kgo/topics_and_partitions.go"
sed -i 's/^\tdefer l\.v\.Store(lv)$/\tdefer func() { time.Sleep(500 * time.Millisecond); l.v.Store(lv) }()/; s/^import (/import (\n\t"time"/' "$file"
if ! grep -q 'time.Sleep(500' "$file"; then
	echo "storePartitionsUpdate has changed: is the fault mended?" >&2
	exit 1
fi
module="$(go list -m -f '{{.Dir}}')"
cp "$module/go.mod" "$module/go.sum" "$work/"
go mod edit -replace "github.com/twmb/franz-go=$work/franz-go" "$work/go.mod"
echo "as it is:"
go run franz-go-empty-commit.go
echo "with the pause:"
go run -modfile "$work/go.mod" franz-go-empty-commit.go
