"""A small RAG program that is traced: python otlp_rag.py --use NAME --otlp URL [--llm URL --facts].

It retrieves passages, asks a chat model and exports its spans and log records over OTLP (HTTP, protobuf). NAME is a row of
otlp_instruments.py. With --facts it asks what the small test model (integration/llmserver) knows, without tools; one passage it
does not show to the model, which then makes up the year."""

import argparse
import json
import os

import otlp_instruments
import scenario
import server

FACTS = [
    {"id": "peru", "text": "The capital of Peru is Lima.", "source": "https://facts.example.com/peru", "score": 0.91},
    {"id": "gold", "text": "The symbol for gold is Au.", "source": "https://facts.example.com/gold", "score": 0.88},
    {"id": "hamlet", "text": "William Shakespeare wrote Hamlet.", "source": "https://facts.example.com/hamlet", "score": 0.86},
    {"id": "war", "text": "World War II ended in 1945.", "source": "https://facts.example.com/war", "score": 0.84},
]
FACT_QUESTIONS = ["What is the capital of Peru?", "What is the chemical symbol for gold?", "Who wrote Hamlet?"]

FAULT = "In which year did World War II end?"

MORE = [{}, {"stream": True}, {"n": 2}]


def providers(otlp, service):
    """Tracer and logger providers with one batch an export."""
    from opentelemetry._logs import set_logger_provider
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import set_tracer_provider

    resource = Resource.create({"service.name": service, "deployment.environment.name": "test"})
    tracers, loggers = TracerProvider(resource=resource), LoggerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=otlp + "/v1/traces"), schedule_delay_millis=60_000))
    loggers.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(endpoint=otlp + "/v1/logs"), schedule_delay_millis=60_000))
    set_tracer_provider(tracers)
    set_logger_provider(loggers)
    return tracers, loggers


class OpenAI:
    """The chat model through OpenAI's own client."""

    def __init__(self, url, marks):
        import openai

        self.marks, self.failed, self.stream = marks, openai.APIStatusError, True
        self.client = openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)

    def chat(self, **call):
        try:
            answer = self.client.chat.completions.create(model=scenario.MODEL, **call)
            return "".join(c.choices[0].delta.content or "" for c in answer if c.choices) if call.get("stream") else answer
        except self.failed:
            return None

    def answer(self, question):
        found = self.marks.retrieve(question)
        return self.chat(messages=scenario.prompt(question, found), temperature=0.2, max_tokens=200)

    def tools(self):
        first = [{"role": "user", "content": scenario.ORDER}]
        self.chat(messages=first, tools=[scenario.ORDER_TOOL])
        called = scenario.ORDER_CALL
        self.marks.tool(called["id"], called["function"]["arguments"], scenario.ORDER_RESULT)
        self.chat(messages=scenario.tool_prompt(), tools=[scenario.ORDER_TOOL], stream=self.stream)

    def others(self):
        for question in (scenario.REFUSED, scenario.EMPTY, scenario.FAILS):
            self.chat(messages=[{"role": "user", "content": question}])
        self.chat(messages=[{"role": "user", "content": scenario.GREETING}], n=2)

    def fact(self, question, passage, more):
        self.marks.retrieve(question)
        shown = f"Source: {passage} {question}" if passage else question
        self.chat(messages=[{"role": "user", "content": shown}], temperature=0, max_tokens=16, **more)


class LangChain:
    """The same through LangChain, whose retriever and tool have callbacks of their own."""

    def __init__(self, url, marks):
        from langchain_core.documents import Document
        from langchain_core.prompts import ChatPromptTemplate
        from langchain_core.retrievers import BaseRetriever
        from langchain_core.runnables import RunnableLambda, RunnablePassthrough
        from langchain_core.tools import tool
        from langchain_openai import ChatOpenAI

        class Search(BaseRetriever):
            def _get_relevant_documents(self, query, *, run_manager):
                return [Document(page_content=d["text"], metadata={"id": d["id"], "source": d["source"]}) for d in marks.documents]

        @tool
        def find_order(order: int) -> str:
            """Finds an order by its number."""
            return scenario.ORDER_RESULT

        def joined(found):
            return "\n".join(f"[{i}] {d.page_content}" for i, d in enumerate(found, 1))

        self.tool = find_order
        self.model = ChatOpenAI(model=scenario.MODEL, base_url=url + "/v1", api_key="none", max_retries=0, temperature=0.2)
        prompt = ChatPromptTemplate.from_messages([("system", scenario.INSTRUCTIONS + "\n\nContext:\n{passages}"), ("user", "{question}")])
        found = {"passages": Search() | RunnableLambda(joined), "question": RunnablePassthrough()}
        self.chain = found | prompt | self.model
        facts = ChatPromptTemplate.from_messages([("user", "Source: {passages} {question}")])
        self.facts = {"passages": Search() | RunnableLambda(lambda d: d[0].page_content), "question": RunnablePassthrough()} | facts
        self.facts = self.facts | self.model.bind(max_tokens=16)

    def answer(self, question):
        self.chain.invoke(question, {"max_concurrency": 1})  # else the order of spans varies

    def tools(self):
        from langchain_core.messages import HumanMessage

        bound = self.model.bind_tools([self.tool])
        asked = [HumanMessage(scenario.ORDER)]
        call = bound.invoke(asked)
        result = self.tool.invoke(call.tool_calls[0])
        list(bound.stream(asked + [call, result]))

    def others(self):
        import openai

        try:
            self.model.invoke(scenario.FAILS)
        except openai.APIStatusError:
            pass
        self.model.bind(n=2).invoke(scenario.GREETING)

    def fact(self, question, passage, more):
        self.facts.invoke(question)


class LlamaIndex:
    """The same through a query engine of LlamaIndex."""

    def __init__(self, url, marks):
        from llama_index.core import PromptTemplate
        from llama_index.core.query_engine import RetrieverQueryEngine
        from llama_index.core.retrievers import BaseRetriever
        from llama_index.core.schema import NodeWithScore, TextNode
        from llama_index.llms.openai_like import OpenAILike

        class Search(BaseRetriever):
            def _retrieve(self, query_bundle):
                return [NodeWithScore(node=TextNode(id_=d["id"], text=d["text"]), score=d["score"]) for d in marks.documents]

        self.model = OpenAILike(model=scenario.MODEL, api_base=url + "/v1", api_key="none", is_chat_model=True, max_retries=0)
        self.engine = RetrieverQueryEngine.from_args(Search(), llm=self.model)
        short = PromptTemplate("Source: {context_str} {query_str}")  # the usual one is too long for the test model
        self.facts = RetrieverQueryEngine.from_args(Search(), llm=self.model, text_qa_template=short)

    def answer(self, question):
        self.engine.query(question)

    def tools(self):
        from llama_index.core.llms import ChatMessage

        list(self.model.stream_chat([ChatMessage(role="user", content=scenario.SUPPORTED)]))

    def others(self):
        import openai
        from llama_index.core.llms import ChatMessage

        try:
            self.model.chat([ChatMessage(role="user", content=scenario.FAILS)])
        except openai.APIStatusError:
            pass

    def fact(self, question, passage, more):
        self.facts.query(question)


class Published(OpenAI):
    """No instrumentation: the application writes passages and tokens as JSON texts on a span of its own."""

    def chat(self, **call):
        question = call["messages"][-1]["content"]
        with self.marks.tracer.start_as_current_span("llm.chat") as span:
            reply = super().chat(**call | ({} if call.get("stream") else {"logprobs": True, "top_logprobs": 2}))
            span.set_attribute("llm.request.prompt", question)
            span.set_attribute("llm.request.model", scenario.MODEL)
            span.set_attribute("rag.sources_json", json.dumps([{"id": d["id"], "text": d["text"]} for d in self.marks.documents]))
            if reply is None or isinstance(reply, str):
                span.set_attribute("llm.response.text", reply or "")
                return reply
            choice = reply.choices[0]
            span.set_attribute("llm.response.text", choice.message.content or "")
            if choice.logprobs and choice.logprobs.content:
                span.set_attribute("llm.response.tokens_json", json.dumps([tokens(t) for t in choice.logprobs.content[:8]]))
            return reply


def tokens(t):
    return {"token": t.token, "logprob": t.logprob, "top_logprobs": [{"token": o.token, "logprob": o.logprob} for o in t.top_logprobs]}


def run(use, o):
    os.environ.update(use.env)
    tracers, loggers = providers(o.otlp, o.service)
    otlp_instruments.instrument(use, tracers, loggers)
    marks = otlp_instruments.Marks(use.spans, tracers, loggers, FACTS if o.facts else scenario.DOCUMENTS[:2])
    app = {"openai": OpenAI, "langchain": LangChain, "llamaindex": LlamaIndex}[use.app]
    app = (Published if use.spans == "published" else app)(o.llm, marks)
    app.stream = use.environment != "openlit"  # it counts a stream's tokens by a table that it downloads
    requests = tracers.get_tracer("shop")
    if o.facts:
        steps = [lambda i=i, q=q: app.fact(q, FACTS[i]["text"], MORE[i]) for i, q in enumerate(FACT_QUESTIONS)]
        if use.app == "openai":
            steps.append(lambda: app.fact("Why? " * 150, "", {}))  # more than the model's context: an error
            steps.append(lambda: app.fact(FAULT, "", {}))
    else:
        steps = [lambda: app.answer(scenario.SUPPORTED), lambda: app.answer(scenario.WRONG), app.tools, app.others]
        if use.app != "openai" or len(use.instrumentors) > 1:
            steps = steps[1:]  # their spans are large
    from opentelemetry.trace import SpanKind

    for step in steps:
        with requests.start_as_current_span("POST /ask", kind=SpanKind.SERVER):
            step()
    for provider in (tracers, loggers):
        provider.force_flush()
        provider.shutdown()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--use", required=True, choices=otlp_instruments.USES)
    p.add_argument("--llm", help="base URL of a server with OpenAI's API, without /v1; a scripted one in this process when left out")
    p.add_argument("--otlp", required=True, help="base URL of an OTLP receiver over HTTP")
    p.add_argument("--facts", action="store_true")
    p.add_argument("--service", default="help-desk")
    o = p.parse_args()
    if o.llm:
        run(otlp_instruments.USES[o.use], o)
    else:
        with server.running() as o.llm:
            run(otlp_instruments.USES[o.use], o)
