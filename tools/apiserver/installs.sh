#!/usr/bin/env bash
# Installs, tests, upgrades and removes the chart by Helm, at the API server that KUBECONFIG names: run by `make chart-apiserver`.
set -euo pipefail
cd "$(dirname "$0")/../.."
values=helm/confab/ci
for helm in bin/helm/helm bin/helm4/helm; do
  [ -x $helm ] || continue
  cache=$(mktemp -d)
  export HELM_CACHE_HOME=$cache/cache HELM_CONFIG_HOME=$cache/config HELM_DATA_HOME=$cache/data
  ns=by-$(basename "$(dirname $helm)")
  run() { $helm "$1" judge helm/confab -n "$ns" -f "$values/$2-values.yaml" --timeout 60s "${@:3}" >/dev/null; }
  run install minimal --create-namespace
  $helm test judge -n "$ns" --timeout 60s >/dev/null
  run upgrade two-roles
  run upgrade keda-sasl
  $helm uninstall judge -n "$ns" >/dev/null
  rm -r "$cache"
  echo "apiserver: $helm $($helm version --template '{{.Version}}'): installed, tested, upgraded twice and removed"
done
