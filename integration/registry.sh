#!/usr/bin/env bash
# Prints the directory of an Apicurio Registry, which speaks Confluent's API: fetched once with Maven (104 MB) and kept in
# the user's cache. Needs mvn and Java 17.
set -euo pipefail
version=3.0.9
cache=${XDG_CACHE_HOME:-$HOME/.cache}/confab/apicurio-$version

for program in mvn java; do
  command -v "$program" >/dev/null || {
    echo "registry.sh: $program is missing; on Debian: apt-get install maven openjdk-17-jre-headless" >&2
    exit 1
  }
done

if [ ! -d "$cache" ]; then
  mkdir -p "$(dirname "$cache")"
  work=$(mktemp -d "$cache.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mvn -B -q -Dstyle.color=never dependency:copy \
    -Dartifact=io.apicurio:apicurio-registry-app:$version:tar.gz:all -DoutputDirectory="$work" >&2
  mkdir "$work/app"
  tar -xzf "$work"/*.tar.gz -C "$work/app"
  mv "$work/app" "$cache"
fi
echo "$cache"
