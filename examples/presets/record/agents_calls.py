"""Records what agent libraries of Python log of two turns, with a scripted model on loopback: the second answer claims a refund that
no call made. Run it with the packages of requirements-agents.txt; it writes ../langchain.agent.jsonl,
../openai.agents.jsonl and ../otlp/agents.*.traces.binpb.

agents_vercel.mjs records the Vercel AI SDK with the server of this file (python agents_calls.py serve PORT); python agents_calls.py
settle FILE then replaces ids and times in its spans."""

import asyncio
import json
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = "small-4"
PLACES = re.compile(r"(?<=[\s\"(])(?:file:/*)?/[\w./@-]*/(?=[\w.-]+\.(?:py|m?js)\b)|node:internal/")
SYSTEM = "You are the help desk of a shop. Look orders up before you answer."
TURNS = {
    "Where is my order 4711?": "Your order 4711 was sent with Posten and should arrive on 24 November 2026.",
    "Please refund my order 4712.": "I have refunded your order 4712. You will have the 59 euros within five days.",
}
ORDERS = {4711: {"order": 4711, "status": "sent", "carrier": "Posten", "expected": "2026-11-24"}}


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/responses"):
            return self.send(response(body))
        if not self.path.endswith("/chat/completions"):
            return self.send({})
        message, finish = reply(body["messages"])
        self.send({"id": f"chatcmpl-{order_of(body['messages'])}-{len(body['messages'])}", "object": "chat.completion", "created": 1795255200, "model": MODEL, "choices": [
            {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}], "usage": usage("prompt", "completion")})

    def send(self, value):
        raw = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def usage(asked, got):
    return {f"{asked}_tokens": 40, f"{got}_tokens": 12, "total_tokens": 52}


def text_of(content):
    return content if isinstance(content, str) else content[0]["text"]


def order_of(messages):
    return int(question_of(messages).rstrip("?.").split()[-1])


def question_of(messages):
    return next(text_of(m["content"]) for m in reversed(messages) if m["role"] == "user")


def reply(messages):
    """The scripted message of the chat API."""
    if messages[-1]["role"] == "tool":
        return {"content": TURNS[question_of(messages)]}, "stop"
    arguments = json.dumps({"order": order_of(messages)})
    return {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "find_order", "arguments": arguments}}]}, "tool_calls"


def response(body):
    """The same of the Responses API."""
    items = body["input"]
    messages = [{"role": "tool"} if i.get("type") == "function_call_output" else i for i in items if i.get("role") or i.get("type") == "function_call_output"]
    message, _ = reply(messages)
    if message["content"]:
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": message["content"], "annotations": []}]}
    else:
        call = message["tool_calls"][0]
        item = {"id": "fc_1", "type": "function_call", "call_id": call["id"], "status": "completed", **call["function"]}
    return {"id": f"resp_{len(items)}", "object": "response", "created_at": 1795255200, "model": MODEL, "status": "completed", "output": [item],
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": body.get("tools", []), "error": None, "incomplete_details": None,
            "instructions": body.get("instructions"), "metadata": {},
            "usage": {**usage("input", "output"), "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}}


def find_order(order: int) -> str:
    """Finds an order by its number."""
    if order not in ORDERS:
        raise ValueError(f"no order {order}")
    return json.dumps(ORDERS[order])


def refund_order(order: int, amount: float) -> str:
    """Pays an amount back to the customer of an order."""
    return json.dumps({"order": order, "refunded": amount})


def langgraph(url):
    from langchain_core.load import dumpd
    from langchain_core.messages import messages_to_dict
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import ToolNode, create_react_agent

    tools = ToolNode([tool(find_order), tool(refund_order)], handle_tool_errors=True)
    agent = create_react_agent(ChatOpenAI(model=MODEL, base_url=url, api_key="none"), tools, prompt=SYSTEM)
    rows = []
    for question in TURNS:
        state = agent.invoke({"messages": [{"role": "user", "content": question}]}, {"configurable": {"thread_id": "t-1"}})
        rows.append({"messages": [m.model_dump() for m in state["messages"]]})
        rows.append({"thread_id": "t-1", "output": {"messages": messages_to_dict(state["messages"])}})
        rows.append(dumpd(state))
    return rows


async def openai_agents(url):
    from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, add_trace_processor, function_tool
    from agents.tracing.processors import BatchTraceProcessor, TracingExporter
    from openai import AsyncOpenAI

    exported = []

    class Keep(TracingExporter):
        def export(self, items):
            exported.extend(i.export() for i in items)

    keep = BatchTraceProcessor(Keep())
    add_trace_processor(keep)
    client = AsyncOpenAI(base_url=url, api_key="none")
    tools = [function_tool(find_order), function_tool(refund_order)]
    rows = []
    for model in (OpenAIResponsesModel(MODEL, client), OpenAIChatCompletionsModel(MODEL, client)):
        agent = Agent(name="Help desk", instructions=SYSTEM, model=model, tools=tools)
        for question in TURNS:
            run = await Runner.run(agent, question)
            rows.append({"agent": "Help desk", "input": question, "items": run.to_input_list(), "final_output": run.final_output})
            rows.append({"messages": run.to_input_list()})
            keep.force_flush()
            if isinstance(model, OpenAIChatCompletionsModel):  # those of the Responses API hold no content
                rows.append({"spans": list(exported)})
            exported.clear()
    return rows


def trace(name, run, instrument):
    """Runs with a tracer whose spans become one export request."""
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "help-desk"}))
    provider.add_span_processor(SimpleSpanProcessor(spans))
    instrument(provider)
    rows = run()
    settle(encode_spans(spans.get_finished_spans()), name)
    return rows


def settle(request, name):
    import stable
    from google.protobuf.json_format import MessageToDict, ParseDict
    import base64

    def ids(value, to):
        for key, v in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
            if key in ("traceId", "spanId", "parentSpanId"):
                value[key] = base64.b64decode(v).hex() if to == "hex" else base64.b64encode(bytes.fromhex(v)).decode()
            else:
                ids(v, to)
        return value

    value = stable.Stable().records([ids(MessageToDict(request), "hex")])[0]
    text = PLACES.sub("", json.dumps(ids(value, "base64")))
    with open(os.path.join(HERE, "..", "otlp", f"agents.{name}.traces.binpb"), "wb") as f:
        f.write(ParseDict(json.loads(text), type(request)()).SerializeToString())


def main():
    if sys.argv[1:2] == ["settle"]:
        import stable

        with open(sys.argv[2], encoding="utf-8") as f:
            value = stable.Stable().records([json.load(f)])[0]
        with open(os.path.join(HERE, "..", "otlp", "agents.vercel.traces.json"), "w", encoding="utf-8") as f:
            f.write(PLACES.sub("", json.dumps(value)))
        return None
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Model)
    if sys.argv[1:2] == ["serve"]:
        return server.serve_forever()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    import stable
    from openinference.instrumentation.langchain import LangChainInstrumentor
    from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

    stable.write("langchain.agent.jsonl", trace("langgraph", lambda: langgraph(url), lambda p: LangChainInstrumentor().instrument(tracer_provider=p)))
    LangChainInstrumentor().uninstrument()
    stable.write("openai.agents.jsonl", trace("openai", lambda: asyncio.run(openai_agents(url)), lambda p: OpenAIAgentsInstrumentor().instrument(tracer_provider=p)))


main()
