#!/usr/bin/env bash
# otlp_python.sh ENVIRONMENT: prints a Python with requirements-otlp-ENVIRONMENT.txt, made under bin/ on first use.
set -euo pipefail
cd "$(dirname "$0")/../../.."
here=examples/presets/record made=$PWD/bin/otlp-$1
wanted=$(cat "$here/requirements-otlp-$1.txt" $here/requirements-otlp-chain.txt)
if [ "$wanted" != "$(cat "$made/requirements.txt" 2>/dev/null)" ]; then
  python3 -m venv "$made" >&2
  "$made/bin/python" -m pip install -q --disable-pip-version-check -r "$here/requirements-otlp-$1.txt" >&2
  printf '%s\n' "$wanted" >"$made/requirements.txt"
fi
echo "$made/bin/python"
