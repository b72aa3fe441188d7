#!/usr/bin/env bash
# Prints a Python with requirements.txt (CONFAB_TEST_PHOENIX_PYTHON, when set), made under bin/ on first use: 855 MB, a minute.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=integration/phoenix made=$PWD/bin/phoenix
if [ -n "${CONFAB_TEST_PHOENIX_PYTHON:-}" ]; then
  echo "$CONFAB_TEST_PHOENIX_PYTHON"
  exit
fi
if ! cmp -s $here/requirements.txt "$made/requirements.txt"; then
  python3 -m venv "$made" >&2
  "$made/bin/python" -m pip install -q --disable-pip-version-check -r $here/requirements.txt >&2
  cp $here/requirements.txt "$made/requirements.txt"
fi
echo "$made/bin/python"
