"""OTLP as JSON: one batch a span, as a collector's Kafka exporter writes small batches in the encoding otlp_json."""

import base64

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def batch(raw):
    """The batches of one span each in an export request, with ids in hex as the OTLP specification asks."""
    found = []
    request = MessageToDict(ExportTraceServiceRequest.FromString(raw))
    for resource in request.get("resourceSpans", []):
        for scope in resource.get("scopeSpans", []):
            for one in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in one:
                        one[name] = base64.b64decode(one[name]).hex()
                found.append({"resourceSpans": [resource | {"scopeSpans": [scope | {"spans": [one]}]}]})
    return found


def span(b):
    return b["resourceSpans"][0]["scopeSpans"][0]["spans"][0]


def attributes(b):
    """Attributes by name."""
    return {a["key"]: plain(a["value"]) for a in span(b).get("attributes", [])}


def plain(value):
    if "arrayValue" in value:
        return [plain(v) for v in value["arrayValue"].get("values", [])]
    if "intValue" in value:
        return int(value["intValue"])
    return next(iter(value.values()), None)
