"""OpenAI SDK: what a gateway logs (request and response), and the bare responses."""

import json

import httpx
import openai
import scenario
import stable


def record(url):
    exchanges = []

    def keep(response):
        response.read()
        exchanges.append((json.loads(response.request.content), response.text))

    client = openai.OpenAI(
        base_url=url + "/v1", api_key="none", max_retries=0,
        http_client=httpx.Client(event_hooks={"response": [keep]}),
    )
    gateway, bare = [], []
    for name, call in scenario.CALLS.items():
        extra = {"metadata": {"operation": "help_desk", "user": "u-1"}} if not call.get("stream") else {}
        context = [{"page_content": d["text"], "id": d["id"], "score": d["score"]} for d in scenario.DOCUMENTS]
        try:
            answer = complete(client, call | extra)
            reply = answer.model_dump(mode="json")
            bare.append(reply)
        except openai.APIStatusError:
            reply = json.loads(exchanges[-1][1])
        row = {"request": exchanges[-1][0], "response": reply}
        gateway.append(row | {"context": context} if name == "supported" else row)
    done = client.responses.create(
        model=scenario.MODEL, instructions=scenario.prompt("")[0]["content"],
        input=[{"role": "user", "content": scenario.WRONG}], metadata={"operation": "help_desk"},
    )
    reply = done.model_dump(mode="json")
    stable.write("openai.jsonl", gateway + [{"request": exchanges[-1][0], "response": reply}])
    stable.write("openai.bare.jsonl", bare + [reply])


def complete(client, call):
    if not call.get("stream"):
        return client.chat.completions.create(model=scenario.MODEL, **call)
    rest = {k: v for k, v in call.items() if k != "stream"}
    with client.chat.completions.stream(model=scenario.MODEL, **rest) as stream:
        return stream.get_final_completion()
