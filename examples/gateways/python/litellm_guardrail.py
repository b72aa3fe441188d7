"""A guardrail of LiteLLM's proxy that checks answers with Confab.

    guardrails:
      - guardrail_name: confab
        litellm_params:
          guardrail: litellm_guardrail.ConfabGuardrail
          mode: post_call
          default_on: true

CONFAB_URL names the server (http://localhost:9470), CONFAB_TOKEN its token.
"""

import asyncio
import os

from fastapi import HTTPException
from litellm.integrations.custom_guardrail import CustomGuardrail

from checked import AnswerBlocked, CheckedClient


class ConfabGuardrail(CustomGuardrail):
    """Answers 403 with Confab's error instead of an answer that is blocked."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.confab = CheckedClient(None, os.environ.get("CONFAB_URL", "http://localhost:9470"), os.environ.get("CONFAB_TOKEN"))

    async def async_post_call_success_hook(self, data, user_api_key_dict, response):
        request = {name: data[name] for name in ("model", "messages", "metadata") if name in data}
        body = {"request": request, "response": response.model_dump(mode="json")}
        try:
            await asyncio.to_thread(self.confab.check, body)
        except AnswerBlocked as blocked:
            raise HTTPException(status_code=403, detail={"error": blocked.error}) from None
        return response
