"""Records what instrumentations export; otlp.sh runs it.

Each export request is written to ../otlp as protobuf (NAME.traces.binpb, as a collector's Kafka exporter writes it with the
encoding otlp_proto) and, for the names in JSON, as otlp_json (NAME.traces.json). Ids, times and places of files are replaced."""

import argparse
import base64
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import otlp_instruments
import server
import stable
from google.protobuf.json_format import MessageToDict, ParseDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "..", "otlp")
KINDS = {"/v1/traces": ("traces", ExportTraceServiceRequest), "/v1/logs": ("logs", ExportLogsServiceRequest)}
JSON = {"genai.traces", "v2.legacy.logs"} | set(os.environ.get("OTLP_JSON", "").split())
IDS = {"traceId", "spanId", "parentSpanId"}
TIMED = re.compile(r"duration|latency|time_to|ttft|tbt|_ms$|elapsed", re.IGNORECASE)
SETTLED = [
    (re.compile(r'(File ")[^"]*/((?:site-packages|record|lib/python3\.\d+)/[^"]*")'), r"\1\2"),
    (re.compile(r'(date\\*": \\*")[^"\\]*'), r"\1Sat, 21 Nov 2026 10:00:01 GMT"),
    (re.compile(r'("created": ?)\d+'), r"\g<1>1795255201"),
    (re.compile(r'("\w+_(?:ms|second)": ?)[\d.e-]+'), r"\g<1>0.25"),
    (re.compile(r"\bat 0x[0-9a-f]+"), "at 0x1"),
]
REPLY = re.compile(r"chatcmpl-[A-Za-z0-9]{32}")  # an id of llama.cpp
IDS_OF_REPLIES = {}


class Receiver(BaseHTTPRequestHandler):
    got = []  # (path, body)

    def log_message(self, *_):
        pass

    def do_POST(self):
        Receiver.got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()


@contextmanager
def receiving():
    """Receives OTLP on a free port of loopback; yields the base URL."""
    Receiver.got = []
    one = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=one.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{one.server_port}"
    finally:
        one.shutdown()
        one.server_close()


def visit(value, change):
    """A copy whose dictionaries went through change, the innermost first."""
    if isinstance(value, dict):
        return change({k: visit(v, change) for k, v in value.items()})
    return [visit(v, change) for v in value] if isinstance(value, list) else value


def recode(encode):
    return lambda d: {k: encode(v) if k in IDS and v else v for k, v in d.items()}


def settled(d):
    """Durations, ports and places of files do not change from one recording to the next; stack traces are short."""
    if "key" not in d or "value" not in d:
        return d
    key, value = d["key"], dict(d["value"])
    if TIMED.search(key):
        for name in ("doubleValue", "intValue"):
            if name in value:
                value[name] = 0.25 if name == "doubleValue" else "25"
    if key in ("server.port", "net.peer.port", "process.pid", "thread.id") and "intValue" in value:
        value["intValue"] = "8000"
    if key == "exception.stacktrace":
        value["stringValue"] = "\n".join(value["stringValue"].splitlines()[-3:])
    if "stringValue" in value:
        value["stringValue"] = REPLY.sub(lambda m: f"chatcmpl-{IDS_OF_REPLIES.setdefault(m[0], len(IDS_OF_REPLIES) + 1):04}", value["stringValue"])
        for pattern, with_ in SETTLED:
            value["stringValue"] = pattern.sub(with_, value["stringValue"])
    return d | {"value": value}


def moved(rows):
    """Times keep their order, with 50 ms between two of them; equal ones stay equal."""
    times = set()

    def collect(d):
        times.update(v for k, v in d.items() if k.endswith("UnixNano"))
        return d

    visit(rows, collect)
    order = {t: str(1795255200_000_000_000 + 50_000_000 * i) for i, t in enumerate(sorted(times, key=int))}
    return visit(rows, lambda d: {k: order[v] if k.endswith("UnixNano") else v for k, v in d.items()})


def requests(got):
    """The export requests as dictionaries in the form of OTLP JSON: ids in hex, enumerations as integers."""
    rows = []
    for path, body in got:
        request = MessageToDict(KINDS[path][1].FromString(body), use_integers_for_enums=True)
        rows.append({"path": path, "request": visit(visit(request, recode(lambda t: base64.b64decode(t).hex())), settled)})
    return [(r["path"], r["request"]) for r in stable.Stable().records(moved(rows))]


def write(name, got):
    counts = {}
    for path, request in requests(got):
        kind, message = KINDS[path]
        counts[kind] = counts.get(kind, 0) + 1
        base = os.path.join(OUT, name + ("." + str(counts[kind]) if counts[kind] > 1 else "") + "." + kind)
        if os.path.basename(base) in JSON or "all" in JSON:
            with open(base + ".json", "w", encoding="utf-8") as f:
                json.dump(request, f, ensure_ascii=False, separators=(",", ":"))
                f.write("\n")
        with open(base + ".binpb", "wb") as f:
            coded = visit(request, recode(lambda t: base64.b64encode(bytes.fromhex(t)).decode()))
            f.write(ParseDict(coded, message()).SerializeToString(deterministic=True))
    print(name, counts)


def record(name, python, llm, facts=False):
    """Runs the program with one instrumentation and writes what it exported."""
    use = otlp_instruments.USES[name]
    IDS_OF_REPLIES.clear()
    with receiving() as url:
        command = [python, os.path.join(HERE, "otlp_rag.py"), "--use", name, "--llm", llm, "--otlp", url] + ["--facts"] * facts
        env = {k: v for k, v in os.environ.items() if not k.startswith("OTEL_")} | use.env
        subprocess.run(command, check=True, env=env, timeout=180)
        write(name + ".model" * facts, Receiver.got)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--python", action="append", help="ENVIRONMENT=INTERPRETER, for each of requirements-otlp-*.txt", required=True)
    p.add_argument("--model", help="base URL of the server with the test model, instead of the scripted one")
    p.add_argument("names", nargs="*", metavar="NAME", help="rows of otlp_instruments.py; all of them when none is given")
    o = p.parse_args()
    pythons = dict(one.split("=", 1) for one in o.python)
    os.makedirs(OUT, exist_ok=True)
    for name in o.names or [n for n, u in otlp_instruments.USES.items() if u.recorded]:
        with server.running() as url:
            record(name, pythons[otlp_instruments.USES[name].environment], o.model or url, bool(o.model))
