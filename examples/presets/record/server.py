"""A scripted server with the OpenAI chat and responses API on loopback. Ids and times are fixed."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import scenario

CREATED = 1795255200  # 2026-11-21T10:00:00Z


def logprobs(text):
    """Two tokens a word, the second alternative a little less likely."""
    tokens = [t if i == 0 else " " + t for i, t in enumerate(text.split(" "))]

    def one(token, value):
        return {"token": token, "logprob": value, "bytes": list(token.encode())}

    rows = []
    for i, token in enumerate(tokens):
        value = -0.05 - 0.01 * i
        rows.append(one(token, value) | {"top_logprobs": [one(token, value), one(" or", value - 2)]})
    return {"content": rows, "refusal": None}


def message(request):
    """The assistant's message and the finish reason."""
    last = request["messages"][-1]
    text = last["content"] if isinstance(last["content"], str) else last["content"][0]["text"]
    if last["role"] == "tool":
        return {"role": "assistant", "content": scenario.ORDER_ANSWER, "refusal": None}, "stop"
    if text == scenario.ORDER:
        return {"role": "assistant", "content": None, "refusal": None, "tool_calls": [scenario.ORDER_CALL]}, "tool_calls"
    if text == scenario.REFUSED:
        return {"role": "assistant", "content": None, "refusal": scenario.REFUSAL}, "stop"
    if text == scenario.EMPTY:
        return {"role": "assistant", "content": "", "refusal": None}, "stop"
    if text == scenario.GREETING:
        return {"role": "assistant", "content": scenario.GREETINGS[0], "refusal": None}, "stop"
    answer = next((a for q, a in scenario.ANSWERS.items() if q in text), "I do not know.")
    return {"role": "assistant", "content": answer, "refusal": None}, "stop"


def usage(request, text):
    sent = sum(len(str(m.get("content") or "").split()) for m in request["messages"])
    got = len((text or "").split())
    return {"prompt_tokens": sent, "completion_tokens": got, "total_tokens": sent + got}


class Handler(BaseHTTPRequestHandler):
    count = 0
    posts = []  # (path, headers, body) of the requests that are not for the model

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send(200, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/chat/completions"):
            Handler.count += 1
            self.chat(json.loads(body), Handler.count)
        elif self.path.endswith("/responses"):
            Handler.count += 1
            self.response(json.loads(body), Handler.count)
        else:
            Handler.posts.append((self.path, dict(self.headers), body))
            self.send(200, {})

    def send(self, code, value, kind="application/json"):
        raw = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("x-request-id", f"req_{Handler.count:04}")
        self.end_headers()
        self.wfile.write(raw)

    def chat(self, request, n):
        if request["messages"][-1]["content"] == scenario.FAILS:
            fault = {"message": "The server had an error.", "type": "server_error", "param": None, "code": None}
            self.send(400, {"error": fault})
            return
        head = {"id": f"chatcmpl-{n:04}", "created": CREATED + n, "model": scenario.MODEL + "-2024-07-18"}
        head |= {"system_fingerprint": "fp_44709d6fcb", "service_tier": "default"}
        reply, finish = message(request)
        if request.get("stream"):
            self.stream(request, head, reply, finish)
            return
        choice = {"index": 0, "message": reply | {"annotations": []}, "logprobs": None, "finish_reason": finish}
        if request.get("logprobs") and reply["content"]:
            choice["logprobs"] = logprobs(reply["content"])
        choices = [choice] + [
            choice | {"index": i, "message": choice["message"] | {"content": scenario.GREETINGS[i]}, "finish_reason": "length"}
            for i in range(1, request.get("n") or 1)
        ]
        body = head | {"object": "chat.completion", "choices": choices, "usage": usage(request, reply["content"])}
        self.send(200, body)

    def stream(self, request, head, reply, finish):
        text = reply["content"] or ""
        words = [w if i == 0 else " " + w for i, w in enumerate(text.split(" "))]
        deltas = [{"role": "assistant", "content": ""}] + [{"content": w} for w in words] + [{}]
        lines = []
        for i, delta in enumerate(deltas):
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish if i == len(deltas) - 1 else None}
            lines.append(head | {"object": "chat.completion.chunk", "choices": [choice]})
        if (request.get("stream_options") or {}).get("include_usage"):
            lines.append(head | {"object": "chat.completion.chunk", "choices": [], "usage": usage(request, text)})
        raw = "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n"
        self.send(200, raw.encode(), "text/event-stream")

    def response(self, request, n):
        text = message({"messages": request["input"]})[0]["content"]
        part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        output = [
            {"id": f"rs_{n:04}", "type": "reasoning", "summary": []},
            {"id": f"msg_{n:04}", "type": "message", "status": "completed", "role": "assistant", "content": [part]},
        ]
        body = {"id": f"resp_{n:04}", "object": "response", "created_at": CREATED + n, "status": "completed", "error": None}
        body |= {"incomplete_details": None, "instructions": request.get("instructions"), "model": scenario.MODEL + "-2024-07-18"}
        body |= {"output": output, "parallel_tool_calls": True, "previous_response_id": None, "store": True}
        body |= {"temperature": 1.0, "text": {"format": {"type": "text"}}, "tool_choice": "auto", "tools": [], "top_p": 1.0}
        body |= {"truncation": "disabled", "user": None, "metadata": request.get("metadata") or {}}
        body["usage"] = {"input_tokens": 60, "output_tokens": 12, "total_tokens": 72}
        body["usage"] |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        self.send(200, body)


@contextmanager
def running():
    """Serves on a free port of loopback; yields the base URL."""
    Handler.count, Handler.posts = 0, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
