#!/usr/bin/env bash
# Generates requests from openapi.yaml with schemathesis and compares the responses of a running confab serve with it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
address=127.0.0.1:9477
bin/confab serve --listen "$address" --set admin.listen= 2>bin/api-test.log &
server=$!
trap 'kill "$server"; wait "$server"' EXIT
for _ in $(seq 100); do curl -sf "http://$address/healthz" >/dev/null && break || sleep 0.1; done
bin/schemathesis/bin/schemathesis run "http://$address/openapi.yaml" --max-examples "${EXAMPLES:-150}" --continue-on-failure \
  --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance,unsupported_method
! grep -q panic bin/api-test.log
