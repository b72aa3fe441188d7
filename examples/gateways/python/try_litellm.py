"""Runs LiteLLM's proxy with the guardrail and asks it. Arguments: the model's URL, Confab's URL, an address of the proxy."""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

model, confab, address = sys.argv[1:4]
host, port = address.rsplit(":", 1)
CONFIG = """
model_list:
%s
guardrails:
  - guardrail_name: confab
    litellm_params: {guardrail: litellm_guardrail.ConfabGuardrail, mode: post_call, default_on: true}
litellm_settings: {num_retries: 0, telemetry: false}
router_settings: {disable_cooldowns: true}
"""
MODEL = "  - {model_name: %s, litellm_params: {model: openai/%s, api_base: '%s', api_key: none}}"
key = "sk-" + secrets.token_hex(32)
prompt = "Answer from the context.\n\nContext:\n[1] The lamp costs 20 euros and ships in 4 days.\n\nQuestion: What does the lamp cost?"
request = {"model": "wrong", "messages": [{"role": "user", "content": prompt}]}


def ask(name, path="/v1/chat/completions", body=None, method="POST", kind="application/json", **change):
    """Prints the status, the code of the error, and whether the wrong answer is in the response."""
    data = body if body is not None else json.dumps({**request, **change}).encode()
    call = urllib.request.Request("http://" + address + path, data, {"Content-Type": kind, "Authorization": "Bearer " + key}, method=method)
    try:
        with urllib.request.urlopen(call, timeout=60) as reply:
            status, text = reply.status, reply.read().decode()
    except urllib.error.HTTPError as refused:
        status, text = refused.code, refused.read().decode(errors="replace")
    code = next((c for c in CODES if c in text), "-")
    print(name, "|", "passed" if "30 euros" in text and "hallucination" not in text else "held", "|", status, code)


CODES = ("blocked_by_policy", "not_measured", "api_not_checked", "body_too_large", "unreachable", "lamp costs 20 euros.")


def run(url, then, **environment):
    with tempfile.TemporaryDirectory() as folder:
        names = ("wrong", "right", "two", "tool", "nan")
        with open(os.path.join(folder, "config.yaml"), "w") as file:
            file.write(CONFIG % "\n".join(MODEL % (name, name, model) for name in names))
        for module in ("litellm_guardrail.py", "checked.py"):
            os.symlink(os.path.abspath(module), os.path.join(folder, module))
        program = os.path.join(os.path.dirname(sys.executable), "litellm")
        env = {**os.environ, "CONFAB_URL": url, "LITELLM_MASTER_KEY": key, **environment}
        with open(os.path.join(folder, "log"), "w+") as log:
            proxy = subprocess.Popen([program, "--config", "config.yaml", "--host", host, "--port", port], cwd=folder, env=env, stdout=log, stderr=log)
            try:
                wait(proxy, log)
                then()
            finally:
                proxy.terminate()
                proxy.wait()


def wait(proxy, log):
    for _ in range(240):
        try:
            return urllib.request.urlopen("http://" + address + "/health/liveliness", timeout=5).read()
        except OSError:
            if proxy.poll() is not None:
                break
            time.sleep(0.5)
    log.seek(0)
    sys.exit("the proxy does not start: " + log.read()[-3000:])


def outcomes():
    ask("wrong")
    ask("right", model="right")
    ask("second choice", model="two")
    ask("stream", stream=True)
    ask("stream, right", stream=True, model="right")
    ask("tool call", model="tool")
    ask("NaN of the model", model="nan")
    ask("guardrails off", guardrails=[], metadata={"disable_global_guardrail": True}, disable_global_guardrails=True)
    ask("no sources", messages=[{"role": "user", "content": "What does the lamp cost?"}])
    ask("large", messages=[{"role": "user", "content": prompt + "a" * 9_000_000}])
    ask("deployment path", "/openai/deployments/wrong/chat/completions")
    ask("engine path", "/engines/wrong/chat/completions")
    for path in ("/v1/chat/completions/", "/v1/chat%2fcompletions", "/v1/chat/Completions", "/v1/chat/completions;x=1", "/v1/chat/completions%20"):
        ask(path, path)
    ask("text completions", "/v1/completions", prompt="What?")
    ask("responses", "/v1/responses", input="What?")
    ask("messages", "/v1/messages", max_tokens=50)
    ask("PUT", method="PUT")
    ask("text/plain", kind="text/plain")
    text = json.dumps(request)
    ask("byte order mark", body=b"\xef\xbb\xbf" + text.encode())
    ask("UTF-16", body=text.encode("utf-16"))
    ask("NaN", body=('{"x": NaN, ' + text[1:]).encode())
    ask("duplicate key", body=('{"messages": [], ' + text[1:]).encode())


run(confab, outcomes)
run("http://127.0.0.1:1", lambda: (ask("down"), ask("down, stream", stream=True)))
run("http://127.0.0.1:1", lambda: ask("down, open"), CONFAB_FAIL_OPEN="1")
