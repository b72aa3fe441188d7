"""LiteLLM SDK: the standard logging payload, as a custom logger gets it."""

import os
import time

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
import scenario
import stable
from litellm.integrations.custom_logger import CustomLogger


class Keep(CustomLogger):
    def __init__(self):
        super().__init__()
        self.rows = []

    def log_success_event(self, kwargs, response_obj, start_time, end_time):
        self.rows.append(kwargs["standard_logging_object"])

    def log_failure_event(self, kwargs, response_obj, start_time, end_time):
        self.rows.append(kwargs["standard_logging_object"])


def record(url):
    keep = Keep()
    litellm.callbacks = [keep]
    for name, call in scenario.CALLS.items():
        before = len(keep.rows)
        meta = {"requester_metadata": {"operation": "help_desk"}, "tags": ["web"], "user_api_key_alias": "help-desk"}
        if name == "supported":
            meta["requester_metadata"]["sources"] = [{"id": d["id"], "text": d["text"]} for d in scenario.DOCUMENTS]
        try:
            answer = litellm.completion(
                model="openai/" + scenario.MODEL, api_base=url + "/v1", api_key="none", max_retries=0, metadata=meta, **call,
            )
            if call.get("stream"):
                for _ in answer:
                    pass
        except litellm.exceptions.BadRequestError:
            pass
        for _ in range(100):  # callbacks run in a thread
            if len(keep.rows) > before:
                break
            time.sleep(0.05)
    for row in keep.rows:  # seven KB of prices of the model
        row["model_map_information"] = {"model_map_key": scenario.MODEL, "model_map_value": None}
    stable.write("litellm.jsonl", keep.rows)
