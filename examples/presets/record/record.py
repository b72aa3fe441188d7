"""Records the samples of the presets: python record.py [openai litellm langfuse openinference ragas langchain]."""

import importlib
import sys

import server

NAMES = ["openai", "litellm", "langfuse", "openinference", "langchain", "ragas"]

if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        with server.running() as url:
            importlib.import_module(name + "_calls").record(url)
