"""LangChain: the outputs of chains as applications log them, and the runs that a tracer gets."""

import json

import scenario
import stable
from langchain_classic.chains import RetrievalQA, create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_core.documents import Document
from langchain_core.load import dumpd
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from langchain_core.tracers.base import BaseTracer
from langchain_openai import ChatOpenAI


class Search(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(page_content=d["text"], id=d["id"], metadata={"source": d["source"]}) for d in scenario.DOCUMENTS]


class Keep(BaseTracer):
    """Keeps every run with its children, as LangSmith and exporters of runs get it."""

    def __init__(self):
        super().__init__(_schema_format="original+chat")
        self.rows = []

    def _persist_run(self, run):
        pass

    def _end_trace(self, run):
        super()._end_trace(run)
        row = json.loads(run.json(exclude={"child_runs", "parent_run", "serialized"})) | {"child_runs": []}
        row["events"] = row["events"][:2]  # one a token of a stream
        row["inputs"], row["outputs"] = json.loads(json.dumps([row["inputs"], row["outputs"]]))
        self.rows.append(row)


def record(url):
    model = ChatOpenAI(model=scenario.MODEL, base_url=url + "/v1", api_key="none", max_retries=0)
    keep = Keep()
    template = ChatPromptTemplate.from_messages(
        [("system", scenario.INSTRUCTIONS + "\n\nContext:\n{context}"), ("user", "{question}")]
    )
    old = RetrievalQA.from_chain_type(
        model, retriever=Search(), return_source_documents=True, chain_type_kwargs={"prompt": template}
    )
    rows = [plain(old.invoke({"query": scenario.SUPPORTED}, {"callbacks": [keep]}))]
    stuff = create_stuff_documents_chain(model, ChatPromptTemplate.from_messages(
        [("system", scenario.INSTRUCTIONS + "\n\nContext:\n{context}"), ("user", "{input}")]
    ))
    rows.append(plain(create_retrieval_chain(Search(), stuff).invoke({"input": scenario.WRONG})))
    chain = RunnablePassthrough.assign(answer=template | model | StrOutputParser())
    documents = Search().invoke("")
    text = "\n\n".join(d.page_content for d in documents)
    rows.append(plain(chain.invoke({"question": scenario.THIRD, "context": documents})))
    rows.append(plain(chain.invoke({"question": scenario.WRONG, "context": text})))
    rows.append(dumpd(chain.invoke({"question": scenario.WRONG, "context": documents})))
    stable.write("langchain.jsonl", rows)
    runs(model, keep)


def runs(model, keep):
    """Runs of single calls: an answer, a tool call, the answer to its result, a refusal and an error."""
    for name, call in scenario.CALLS.items():
        if name == "supported":
            continue  # within the chain
        bound = model.bind(**{k: v for k, v in call.items() if k in ("tools", "logprobs", "top_logprobs", "temperature")})
        try:
            if call.get("stream"):
                list(bound.stream(call["messages"], {"callbacks": [keep]}))
            else:
                bound.invoke(call["messages"], {"callbacks": [keep], "metadata": {"operation": "help_desk"}, "tags": ["web"]})
        except Exception as fault:
            print("langchain:", type(fault).__name__)
    stable.write("langchain.runs.jsonl", keep.rows)


def plain(value):
    """Chain outputs as most applications log them: documents by model_dump."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value
