"""OpenInference: spans of the instrumented OpenAI SDK, of LangChain's retriever and of a span with both, written by hand.

Three forms of the same spans: as the OpenTelemetry SDK prints them, as Phoenix lists them (GET /v1/projects/…/spans, built
after its published schema) and as OTLP JSON."""

import json

import openai
import otlp
import scenario
import stable
from openinference.instrumentation import OITracer, TraceConfig, using_attributes
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


def record(url):
    kept = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": "help-desk", "openinference.project.name": "shop"}))
    provider.add_span_processor(SimpleSpanProcessor(kept))
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    LangChainInstrumentor().instrument(tracer_provider=provider)
    client = openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)
    retrieve()
    with using_attributes(session_id="session-1", user_id="u-1", metadata={"operation": "help_desk"}, tags=["web"]):
        for call in scenario.CALLS.values():
            try:
                answer = client.chat.completions.create(model=scenario.MODEL, **call)
                if call.get("stream"):
                    for _ in answer:
                        pass
            except openai.APIStatusError:
                pass
    by_hand(OITracer(provider.get_tracer("shop"), TraceConfig()))
    OpenAIInstrumentor().uninstrument()
    LangChainInstrumentor().uninstrument()
    spans = kept.get_finished_spans()
    stable.write("openinference.jsonl", [json.loads(s.to_json()) for s in spans])
    stable.write("openinference.phoenix.jsonl", [listed(s, i) for i, s in enumerate(spans)])
    stable.write("openinference.otlp.jsonl", [otlp.batch(encode_spans([s]).SerializeToString())[0] for s in spans])


def retrieve():
    """A retriever of LangChain: a span of the kind RETRIEVER."""
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Search(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [Document(page_content=d["text"], metadata={"id": d["id"], "source": d["source"]}) for d in scenario.DOCUMENTS]

    Search().invoke(scenario.SUPPORTED)


def by_hand(tracer):
    """A span of an application that writes its passages and its answer on one span."""
    answer = scenario.ANSWERS[scenario.WRONG]
    with tracer.start_as_current_span("answer", openinference_span_kind="llm") as span:
        span.set_attribute("llm.model_name", scenario.MODEL)
        span.set_attribute("llm.provider", "openai")
        span.set_attribute("input.value", scenario.WRONG)
        span.set_attribute("output.value", answer)
        span.set_attribute("llm.input_messages.0.message.role", "user")
        span.set_attribute("llm.input_messages.0.message.content", scenario.WRONG)
        span.set_attribute("llm.output_messages.0.message.role", "assistant")
        span.set_attribute("llm.output_messages.0.message.content", answer)
        for i, d in enumerate(scenario.DOCUMENTS):
            prefix = f"retrieval.documents.{i}.document."
            span.set_attribute(prefix + "id", d["id"])
            span.set_attribute(prefix + "content", d["text"])
            span.set_attribute(prefix + "score", d["score"])
            span.set_attribute(prefix + "metadata", json.dumps({"source": d["source"]}))


def listed(span, i):
    """One span as Phoenix lists it."""
    own = json.loads(span.to_json())
    have = own["attributes"]
    return {
        "id": f"U3Bhbjo{i}", "name": own["name"],
        "context": {k: own["context"][k].removeprefix("0x") for k in ("trace_id", "span_id")},
        "span_kind": have.get("openinference.span.kind", "UNKNOWN"),
        "parent_id": own["parent_id"].removeprefix("0x") if own["parent_id"] else None,
        "start_time": own["start_time"].replace("Z", "+00:00"), "end_time": own["end_time"].replace("Z", "+00:00"),
        "status_code": own["status"]["status_code"], "status_message": own["status"].get("description", ""),
        "attributes": {k: v for k, v in have.items() if k != "openinference.span.kind"}, "events": [],
    }
