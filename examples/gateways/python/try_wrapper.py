"""Asks a model three times through the wrapper and prints what comes of it. Arguments: the model's URL, Confab's URL."""

import sys

import openai

from checked import AnswerBlocked, CheckedClient, CheckFailed

model, confab = sys.argv[1:3]
server = openai.OpenAI(base_url=model, api_key="none")
messages = [{"role": "user", "content": "What does the lamp cost?"}]


def attempt(name, client, **more):
    try:
        answer = client.create(model="m", messages=messages, sources=["The lamp costs 20 euros and ships in 4 days."], **more)
        print(name, "passed", len(answer) if more.get("stream") else answer.choices[0].message.content)
    except AnswerBlocked as blocked:
        print(name, "blocked", ",".join(blocked.error["fired"]))
    except CheckFailed:
        print(name, "failed")


attempt("whole", CheckedClient(server, confab))
attempt("stream", CheckedClient(server, confab), stream=True)
attempt("open", CheckedClient(server, "http://127.0.0.1:1"))
attempt("closed", CheckedClient(server, "http://127.0.0.1:1", fail_closed=True))
