"""Calls the guardrail as LiteLLM's proxy does, with a wrong and a right answer. Argument: Confab's URL."""

import asyncio
import os
import sys

os.environ["CONFAB_URL"] = sys.argv[1]

import litellm  # noqa: E402
from fastapi import HTTPException  # noqa: E402

from litellm_guardrail import ConfabGuardrail  # noqa: E402

data = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Answer from the context.\n\nContext:\n[1] The lamp costs 20 euros and ships in 4 days."},
        {"role": "user", "content": "What does the lamp cost?"},
    ],
}


async def attempt(answer):
    response = litellm.completion(model="gpt-4o-mini", messages=data["messages"], mock_response=answer)
    try:
        await ConfabGuardrail().async_post_call_success_hook(data, None, response)
        print("passed")
    except HTTPException as refused:
        print("refused", refused.status_code, refused.detail["error"]["code"])


asyncio.run(attempt("The lamp costs 30 euros and ships in 9 days."))
asyncio.run(attempt("The lamp costs 20 euros."))
