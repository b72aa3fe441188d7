#!/usr/bin/env bash
# Records the spans of examples/presets/otlp anew, with real instrumentations in virtual environments under bin/ (1 GB, from the
# package index): against the scripted server, and against the small test model. NAMES narrows it; OTLP_JSON=all also writes JSON.
set -euo pipefail
cd "$(dirname "$0")/../../.."
here=examples/presets/record pythons=()
for environment in new v2 old openlit; do
  pythons+=(--python "$environment=$($here/otlp_python.sh $environment)")
done
record=(bin/otlp-new/bin/python $here/otlp_record.py "${pythons[@]}")
# shellcheck disable=SC2086 # names without spaces
"${record[@]}" ${NAMES:-}
[ -z "${NAMES:-}" ] || exit 0

python=$(integration/llmserver/python.sh)
coproc model { exec "$python" integration/llmserver/serve.py integration/llmserver/testdata/tiny-facts.gguf --port "${PORT:-18080}" --context 224 2>/dev/null; }
pid=$model_PID
trap 'kill "$pid"' EXIT
read -r _ <&"${model[0]}" # it says "listening"
"${record[@]}" --model "http://127.0.0.1:${PORT:-18080}" genai v2.legacy openllmetry openinference
