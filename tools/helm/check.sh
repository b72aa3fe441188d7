#!/usr/bin/env bash
# Checks the chart, without a cluster or a network: lint, the objects of ci/*-values.yaml against Kubernetes' schemas and
# the golden files, helm-unittest, and values that must be refused. With UPDATE=1 it rewrites the golden files.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=$PWD/bin/helm chart=helm/confab
export HELM_CACHE_HOME=$tools/cache HELM_CONFIG_HOME=$tools/config HELM_DATA_HOME=$tools/data
render() { "$tools/helm" template confab $chart --namespace llm --kube-version v1.34.0 "$@"; }
conform() { "$tools/kubeconform" -strict -schema-location 'tools/helm/schemas/{{.ResourceKind}}{{.KindSuffix}}.json' "$@"; }
die() { echo "chart: $*" >&2 && exit 1; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$tools/helm" lint --quiet --strict $chart
for values in $chart/ci/*-values.yaml; do
  name=$(basename "$values" -values.yaml)
  "$tools/helm" lint --quiet --strict -f "$values" $chart
  render -f "$values" >"$out/$name.yaml"
  if grep -nE ' +$' "$out/$name.yaml"; then die "$name: spaces at the ends of lines"; fi
  conform "$out/$name.yaml"
  [ -z "${UPDATE:-}" ] || cp "$out/$name.yaml" "helm/golden/$name.yaml"
  diff -u "helm/golden/$name.yaml" "$out/$name.yaml" || die "$name differs from its golden: UPDATE=1 make chart accepts it"
done

# The schemas are closed: a misspelt key is found.
sed 's/terminationGracePeriodSeconds/terminationGracePeriodSecond/' "$out/minimal.yaml" >"$out/misspelt"
if conform - <"$out/misspelt" >/dev/null; then die "kubeconform let a misspelt key pass"; fi

refused=0
for values in helm/refused/*.yaml; do
  want=$(sed -n '1s/^# refused: //p' "$values")
  [ -n "$want" ] || die "$values: its first line must say why it is refused"
  if render -f $chart/ci/minimal-values.yaml -f "$values" >/dev/null 2>"$out/error"; then die "$values is not refused"; fi
  grep -qF -- "$want" "$out/error" || die "$values: expected \"$want\": $(cat "$out/error")"
  refused=$((refused + 1))
done
echo "chart: $(ls $chart/ci/*-values.yaml | wc -l) renderings conform, $refused values are refused"

# The schema is closed: every object with known properties refuses others.
[ "$(grep -c '"properties": {' $chart/values.schema.json)" = "$(grep -cE '"additionalProperties": (false|true)' $chart/values.schema.json)" ] && # true: global, which other charts share
  [ "$(grep -c '"additionalProperties": true' $chart/values.schema.json)" = 1 ] ||
  die "$chart/values.schema.json has an open object: give it additionalProperties: false"

# Every value is in the README and in the schema.
for key in $(sed -n 's/^\([a-zA-Z]*\):.*/\1/p' $chart/values.yaml); do
  grep -q "^| \`$key[\`.]" $chart/README.md || die "$chart/README.md lacks $key"
  grep -q "^    \"$key\": {" $chart/values.schema.json || die "$chart/values.schema.json lacks $key"
done
"$tools/helm-unittest" --strict $chart
