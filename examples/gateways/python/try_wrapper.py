"""Asks a model through the wrapper and prints what comes of it. Arguments: the model's URL, Confab's URL."""

import socket
import sys

import openai

from checked import AnswerBlocked, CheckedClient, CheckFailed

model, confab = sys.argv[1:3]
server = openai.OpenAI(base_url=model, api_key="none", max_retries=0)
messages = [{"role": "user", "content": "What does the lamp cost?"}]
sources = ["The lamp costs 20 euros and ships in 4 days."]
nowhere = "http://127.0.0.1:1"
silent = socket.create_server(("127.0.0.1", 0))  # takes connections and does not answer


def attempt(name, answers="wrong", url=confab, sources=sources, messages=messages, stream=False, **settings):
    """answers is what the model answers."""
    client = CheckedClient(server, url, **settings)
    try:
        answer = client.create(model=answers, messages=messages, sources=sources, stream=stream)
        print(name, "passed", len(answer) if stream else answer.choices[0].message.content)
    except AnswerBlocked as blocked:
        print(name, "blocked", ",".join(blocked.error["fired"]))
    except CheckFailed as failed:
        print(name, "failed", failed.status, failed.error["code"])


attempt("whole")
attempt("right", "right")
attempt("stream", stream=True)
attempt("second choice", "two")
attempt("NaN", "nan")
attempt("tool call", "tool")
attempt("no sources", sources=None, fail_open=True)
attempt("large", messages=messages + [{"role": "user", "content": "a" * 9_000_000}], fail_open=True)
attempt("wrong messages", messages=[{"role": 7, "content": {"a": 1}}], fail_open=True)
attempt("tenant", tenant="a" * 300, fail_open=True)
attempt("rate", "right", tenant="slow")
attempt("rate limit", tenant="slow", fail_open=True)
attempt("down", url=nowhere)
attempt("down, open", url=nowhere, fail_open=True)
attempt("late", url="http://127.0.0.1:%d" % silent.getsockname()[1], timeout=0.2)
attempt("another server", url=model, fail_open=False)
