"""The instrumentations that spans are recorded from: environment, set-up, and how the application marks its own spans."""

import importlib
import json
from contextlib import contextmanager
from dataclasses import dataclass, field

LATEST = {"OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental"}
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
EMIT = "OTEL_INSTRUMENTATION_GENAI_EMIT_EVENT"


@dataclass
class Use:
    """One instrumentation as a team would switch it on."""

    environment: str  # requirements-otlp-NAME.txt
    convention: str
    instrumentors: list  # module:class
    env: dict = field(default_factory=dict)
    app: str = "openai"  # the client library: openai, langchain, llamaindex
    options: dict = field(default_factory=dict)  # of the instrumentor
    recorded: bool = True  # else for the chain only
    spans: str = "plain"  # how retriever and tool spans are written: plain, genai, openinference, traceloop, chroma, published


USES = {
    "genai": Use("new", "GenAI, current: messages on spans", ["opentelemetry.instrumentation.genai.openai:OpenAIInstrumentor"],
                 LATEST | {CAPTURE: "SPAN_ONLY"}, spans="genai"),
    "genai.events": Use("new", "GenAI, current: messages on operation.details log records",
                        ["opentelemetry.instrumentation.genai.openai:OpenAIInstrumentor"],
                        LATEST | {CAPTURE: "EVENT_ONLY", EMIT: "true"}, spans="genai"),
    "genai.off": Use("new", "GenAI, current: capture of content off",
                     ["opentelemetry.instrumentation.genai.openai:OpenAIInstrumentor"],
                     LATEST | {CAPTURE: "NO_CONTENT"}, spans="genai"),
    "genai.langchain": Use("new", "GenAI, current: LangChain", ["opentelemetry.instrumentation.genai.langchain:LangChainInstrumentor"],
                           LATEST | {CAPTURE: "SPAN_ONLY"}, app="langchain"),
    "v2.both": Use("v2", "GenAI, current: the same call on a span and on a log record",
                   ["opentelemetry.instrumentation.openai_v2:OpenAIInstrumentor"],
                   LATEST | {CAPTURE: "SPAN_AND_EVENT", EMIT: "true"}),
    "v2.legacy": Use("v2", "GenAI 1.30: gen_ai.*.message and gen_ai.choice log records",
                     ["opentelemetry.instrumentation.openai_v2:OpenAIInstrumentor"], {CAPTURE: "true"}),
    "v2.legacy.off": Use("v2", "GenAI 1.30: capture of content off",
                         ["opentelemetry.instrumentation.openai_v2:OpenAIInstrumentor"], {CAPTURE: "false"}),
    "v2.oldest": Use("old", "GenAI 1.28: log records that name themselves by the attribute event.name",
                     ["opentelemetry.instrumentation.openai_v2:OpenAIInstrumentor"], {CAPTURE: "true"}),
    "openllmetry": Use("new", "OpenLLMetry: gen_ai.input.messages, vector store reads as span events",
                       ["opentelemetry.instrumentation.openai:OpenAIInstrumentor",
                        "opentelemetry.instrumentation.chromadb:ChromaInstrumentor"],
                       {"TRACELOOP_TRACE_CONTENT": "true"}, spans="chroma"),
    "openllmetry.tasks": Use("new", "OpenLLMetry: retrieval as a task", ["opentelemetry.instrumentation.openai:OpenAIInstrumentor"],
                             {"TRACELOOP_TRACE_CONTENT": "true"}, recorded=False, spans="traceloop"),
    "openllmetry.events": Use("new", "OpenLLMetry: use_legacy_attributes off, log records instead of attributes",
                              ["opentelemetry.instrumentation.openai:OpenAIInstrumentor"],
                              {"TRACELOOP_TRACE_CONTENT": "true"}, options={"use_legacy_attributes": False}, spans="traceloop"),
    "openllmetry.langchain": Use("new", "OpenLLMetry: LangChain, traceloop.entity.*",
                                 ["opentelemetry.instrumentation.langchain:LangchainInstrumentor"],
                                 {"TRACELOOP_TRACE_CONTENT": "true"}, app="langchain"),
    "openllmetry.old": Use("old", "OpenLLMetry: flattened gen_ai.prompt.N and gen_ai.completion.N",
                           ["opentelemetry.instrumentation.openai:OpenAIInstrumentor"],
                           {"TRACELOOP_TRACE_CONTENT": "true"}, spans="traceloop"),
    "openinference": Use("new", "OpenInference: OpenAI", ["openinference.instrumentation.openai:OpenAIInstrumentor"],
                         spans="openinference"),
    "openinference.langchain": Use("new", "OpenInference: LangChain", ["openinference.instrumentation.langchain:LangChainInstrumentor"],
                                   app="langchain"),
    "openinference.llamaindex": Use("new", "OpenInference: LlamaIndex",
                                    ["openinference.instrumentation.llama_index:LlamaIndexInstrumentor"], app="llamaindex"),
    "mixed": Use("new", "two on one client: OpenInference and GenAI spans of the same call, nested",
                 ["openinference.instrumentation.openai:OpenAIInstrumentor",
                  "opentelemetry.instrumentation.genai.openai:OpenAIInstrumentor"],
                 LATEST | {CAPTURE: "SPAN_ONLY"}, spans="openinference"),
    "openlit": Use("openlit", "OpenLIT 1.33: gen_ai.content.prompt and .completion as span events",
                   ["openlit.instrumentation.openai:OpenAIInstrumentor"]),
    "published": Use("new", "attributes by hand: rag.sources_json, llm.response.tokens_json", [], spans="published"),
}


def instrument(use, tracers, loggers):
    """Switches the instrumentation on for the whole process."""
    for name in use.instrumentors:
        module, kind = name.split(":")
        cls = getattr(importlib.import_module(module), kind)
        one = cls(**use.options)
        if module.startswith("openlit"):
            one.instrument(environment="test", application_name="help-desk", tracer=tracers.get_tracer("openlit"),
                           pricing_info={}, capture_message_content=True, trace_content=True, metrics_dict=None, disable_metrics=True)
            continue
        more = {}
        if use.environment == "old":
            from opentelemetry.sdk._events import EventLoggerProvider

            more["event_logger_provider"] = EventLoggerProvider(loggers)
        one.instrument(tracer_provider=tracers, logger_provider=loggers, skip_dep_check=True, **more)


class Marks:
    """Spans of the application itself, in the manner of one convention."""

    def __init__(self, how, tracers, loggers, documents):
        self.how, self.documents = how, documents
        self.tracer = tracers.get_tracer("shop")
        if how == "genai":
            from opentelemetry.util.genai.handler import TelemetryHandler

            self.genai = TelemetryHandler(tracer_provider=tracers, logger_provider=loggers)
        if how == "openinference":
            from openinference.instrumentation import OITracer, TraceConfig

            self.tracer = OITracer(self.tracer, TraceConfig())
        if how == "chroma":
            self.collection = chroma(documents)

    def retrieve(self, question):
        """The passages for a question; the retriever's span has them where the convention has a place for them."""
        found = self.documents
        if self.how == "genai":
            with self.genai.retrieval(data_source_id="help-pages") as one:
                one.query_text, one.top_k = question, len(found)
                one.documents = [{"id": d["id"], "score": d["score"], "content": d["text"]} for d in found]
        elif self.how == "chroma":
            self.collection.query(query_embeddings=[[1.0, 0.0]], n_results=len(found))
        elif self.how == "openinference":
            with self.tracer.start_as_current_span("search", openinference_span_kind="retriever") as span:
                span.set_attribute("input.value", question)
                for i, d in enumerate(found):
                    for name, value in (("id", d["id"]), ("content", d["text"]), ("score", d["score"])):
                        span.set_attribute(f"retrieval.documents.{i}.document.{name}", value)
        elif self.how == "traceloop":
            with self.entity("search.task", "task", {"args": [question]}) as span:
                span.set_attribute("traceloop.entity.output", json.dumps([d["text"] for d in found]))
        else:
            with self.tracer.start_as_current_span("search"):
                pass
        return found

    def tool(self, call, arguments, result):
        """Runs a tool."""
        if self.how == "genai":
            with self.genai.tool("find_order", tool_call_id=call, tool_type="function") as one:
                one.arguments, one.tool_result = arguments, result
        elif self.how == "openinference":
            with self.tracer.start_as_current_span("find_order", openinference_span_kind="tool") as span:
                for name, value in (("tool.name", "find_order"), ("input.value", arguments), ("output.value", result)):
                    span.set_attribute(name, value)
        elif self.how == "traceloop":
            with self.entity("find_order.tool", "tool", arguments) as span:
                span.set_attribute("traceloop.entity.output", result)
        else:
            with self.tracer.start_as_current_span("find_order"):
                pass
        return result

    @contextmanager
    def entity(self, name, kind, value):
        with self.tracer.start_as_current_span(name) as span:
            span.set_attribute("traceloop.span.kind", kind)
            span.set_attribute("traceloop.entity.name", name.split(".")[0])
            span.set_attribute("traceloop.entity.input", value if isinstance(value, str) else json.dumps(value))
            yield span


def chroma(documents):
    """A collection in memory whose vectors need no model."""
    import chromadb

    client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection("help-pages", embedding_function=None)
    collection.add(
        ids=[d["id"] for d in documents], documents=[d["text"] for d in documents], embeddings=[[d["score"], 0.1] for d in documents],
        metadatas=[{"source": d["source"]} for d in documents],
    )
    return collection
