"""Langfuse SDK: the spans it exports (OTLP, caught by a local receiver), and the rows that Langfuse exports from them.

Langfuse itself does not run here. The export rows are built from the recorded spans after its published references:
blob storage export (observations_v2, every payload a string) and GET /api/public/observations (payloads as JSON)."""

import datetime
import gzip
import json

import langfuse
import otlp
import scenario
import stable
from langfuse.openai import openai


def record(url):
    import server

    client = langfuse.Langfuse(public_key="pk-lf-none", secret_key="sk-lf-none", base_url=url, environment="shop")
    model = openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)
    for name, call in scenario.CALLS.items():
        with client.start_as_current_observation(name="help-desk", as_type="span", input={"case": name}) as root:
            with client.start_as_current_observation(name="search", as_type="retriever", input=name) as found:
                found.update(output=[{"id": d["id"], "content": d["text"]} for d in scenario.DOCUMENTS])
            root.create_event(name="searched")
            try:
                answer = model.chat.completions.create(
                    model=scenario.MODEL, name="answer", metadata={"operation": "help_desk"}, **call
                )
                if call.get("stream"):
                    for _ in answer:
                        pass
            except openai.APIStatusError:
                pass
    with client.start_as_current_observation(  # written by hand: the output is plain text
        name="answer", as_type="generation", model=scenario.MODEL, input=scenario.prompt(scenario.THIRD),
        model_parameters={"temperature": 0.1}, metadata={"operation": "help_desk"},
    ) as own:
        own.update(output=scenario.ANSWERS[scenario.THIRD])
    client.flush()
    spans = []
    for path, headers, body in server.Handler.posts:
        if path.endswith("/v1/traces"):
            plain = {k.lower(): v for k, v in headers.items()}.get("content-encoding") == "gzip"
            spans += otlp.batch(gzip.decompress(body) if plain else body)
    spans = keep(spans)
    stable.write("langfuse.otlp.jsonl", spans)
    stable.write("langfuse.jsonl", [exported(s) for s in spans])
    stable.write("langfuse.api.jsonl", [listed(s) for s in spans])


def keep(spans):
    """All generations, and the other observations of the first case."""
    spans.sort(key=lambda s: int(otlp.span(s)["startTimeUnixNano"]))
    kept, others = [], 0
    for s in spans:
        if kind(s) == "generation":
            kept.append(s)
        elif others < 3:
            kept.append(s)
            others += 1
    return kept


def kind(batch):
    return otlp.attributes(batch).get("langfuse.observation.type", "span")


def clock(nanos):
    at = datetime.datetime.fromtimestamp(int(nanos) / 1e9, datetime.timezone.utc)
    return at.strftime("%Y-%m-%d %H:%M:%S.%f")


def metadata(attributes):
    prefix = "langfuse.observation.metadata."
    return {k.removeprefix(prefix): parsed(v) for k, v in attributes.items() if k.startswith(prefix)}


def exported(batch):
    """One row of observations_v2 of the blob storage export."""
    span, have = otlp.span(batch), otlp.attributes(batch)
    usage = json.loads(have.get("langfuse.observation.usage_details") or "{}")
    first = have.get("langfuse.observation.completion_start_time")
    return {
        "id": span["spanId"], "trace_id": span["traceId"], "project_id": "shop-project",
        "environment": have.get("langfuse.environment", "default"), "type": kind(batch).upper(),
        "parent_observation_id": span.get("parentSpanId", ""), "start_time": clock(span["startTimeUnixNano"]),
        "end_time": clock(span["endTimeUnixNano"]), "name": span["name"], "metadata": metadata(have),
        "level": have.get("langfuse.observation.level", "DEFAULT"),
        "status_message": have.get("langfuse.observation.status_message", ""), "version": "",
        "input": have.get("langfuse.observation.input", ""), "output": have.get("langfuse.observation.output", ""),
        "provided_model_name": have.get("langfuse.observation.model.name", ""),
        "model_parameters": have.get("langfuse.observation.model.parameters", ""), "usage_details": usage, "cost_details": {},
        "completion_start_time": json.loads(first).replace("T", " ").rstrip("Z") if first else None,
        "prompt_name": "", "prompt_version": None, "total_cost": 0, "latency": 0.25, "time_to_first_token": None,
        "model_id": "", "tool_calls": [], "tool_call_names": [], "tool_definitions": {}, "user_id": "u-1", "session_id": "",
        "trace_name": "help-desk", "tags": ["web"], "release": "",
    }


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def listed(batch):
    """One item of the list that GET /api/public/observations answers with."""
    row = exported(batch)

    def iso(at):
        return at.replace(" ", "T")[:23] + "Z"

    return {
        "id": row["id"], "traceId": row["trace_id"], "projectId": row["project_id"], "environment": row["environment"],
        "type": row["type"], "parentObservationId": row["parent_observation_id"] or None, "startTime": iso(row["start_time"]),
        "endTime": iso(row["end_time"]), "name": row["name"], "metadata": row["metadata"], "level": row["level"],
        "statusMessage": row["status_message"] or None, "version": None, "input": parsed(row["input"]) if row["input"] else None,
        "output": parsed(row["output"]) if row["output"] else None, "model": row["provided_model_name"] or None,
        "modelParameters": parsed(row["model_parameters"]) if row["model_parameters"] else None,
        "usageDetails": row["usage_details"], "costDetails": {}, "completionStartTime": None, "promptName": None, "latency": 0.25,
    }
