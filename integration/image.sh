#!/usr/bin/env bash
# Prints the Kafka image that the real tier runs on: KAFKA_IMAGE when set; else the public image when it is here or can
# be pulled; else one built from the distribution's packages and Maven's jars by image/build.sh.
set -euo pipefail
public=apache/kafka:4.3.1

if [ -n "${KAFKA_IMAGE:-}" ]; then
  echo "$KAFKA_IMAGE"
elif docker image inspect "$public" >/dev/null 2>&1 || timeout 60 docker pull -q "$public" >/dev/null 2>&1; then
  echo "$public"
else
  exec "$(dirname "$0")/image/build.sh"
fi
