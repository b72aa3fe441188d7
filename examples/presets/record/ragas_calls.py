"""Ragas: data sets as it writes them, and rows with the column names of versions before 0.2 (built from its changelog)."""

import os

import scenario
import stable
from ragas.dataset_schema import EvaluationDataset, MultiTurnSample, SingleTurnSample
from ragas.messages import AIMessage, HumanMessage


def record(_):
    contexts = [d["text"] for d in scenario.DOCUMENTS]
    samples = [
        SingleTurnSample(user_input=q, retrieved_contexts=contexts, retrieved_context_ids=[d["id"] for d in scenario.DOCUMENTS],
                         response=a, reference=contexts[i])
        for i, (q, a) in enumerate(scenario.ANSWERS.items())
    ]
    samples.append(SingleTurnSample(user_input=scenario.REFUSED, response=scenario.REFUSAL))
    samples.append(SingleTurnSample(user_input=scenario.ORDER, retrieved_contexts=contexts))  # not answered yet
    rows = lines(EvaluationDataset(samples=samples))
    turns = MultiTurnSample(user_input=[HumanMessage(content=scenario.ORDER), AIMessage(content=scenario.ORDER_ANSWER)])
    stable.write("ragas.jsonl", rows + lines(EvaluationDataset(samples=[turns])))
    old = {"user_input": "question", "retrieved_contexts": "contexts", "response": "answer", "reference": "ground_truth"}
    stable.write("ragas.v01.jsonl", [{old[k]: v for k, v in row.items() if k in old} for row in rows[:3]])


def lines(dataset):
    import json

    path = "ragas.tmp.jsonl"
    dataset.to_jsonl(path)
    with open(path, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    os.remove(path)
    return rows
