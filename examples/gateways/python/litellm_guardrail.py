"""A guardrail of LiteLLM's proxy that checks answers with Confab.

    guardrails:
      - guardrail_name: confab
        litellm_params:
          guardrail: litellm_guardrail.ConfabGuardrail
          mode: post_call
          default_on: true

CONFAB_URL names the server (http://localhost:9470), CONFAB_TOKEN its token. Answers that were not checked are refused;
CONFAB_FAIL_OPEN=1 lets them through if Confab does not answer. Streams are held back until their end. Answers of other APIs than
chat completions are refused, embeddings pass.
"""

import asyncio
import os

import litellm
from fastapi import HTTPException
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.guardrails import GuardrailEventHooks

from checked import AnswerBlocked, CheckedClient, CheckFailed

CHECKED = (litellm.ModelResponse, litellm.ModelResponseStream)
REQUEST = ("model", "messages", "temperature", "response_format", "stream")


class ConfabGuardrail(CustomGuardrail):
    """Answers 403 with Confab's error instead of an answer that is blocked, and another error if it was not checked."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.confab = CheckedClient(
            None, os.environ.get("CONFAB_URL", "http://localhost:9470"), os.environ.get("CONFAB_TOKEN"),
            fail_open=os.environ.get("CONFAB_FAIL_OPEN") == "1",
        )

    def should_run_guardrail(self, data, event_type):
        """Runs always: LiteLLM's own rule lets a request switch guardrails off."""
        return event_type == GuardrailEventHooks.post_call

    async def async_post_call_success_hook(self, data, user_api_key_dict, response):
        if not isinstance(response, litellm.EmbeddingResponse):
            await self.check(data, response)
        return response

    async def async_post_call_streaming_iterator_hook(self, user_api_key_dict, response, request_data):
        chunks = [chunk async for chunk in response]
        await self.check(request_data, *chunks, stream=True)
        for chunk in chunks:
            yield chunk

    async def check(self, data, *parts, stream=False):
        """Raises HTTPException for an answer, or the chunks of one, that must not pass."""
        try:
            if not all(isinstance(part, CHECKED) for part in parts):
                raise CheckFailed("only chat completions are checked", 503, {"message": "only chat completions are checked", "type": "server_error", "code": "api_not_checked", "param": None})
            response = [part.model_dump(mode="json") for part in parts]
            request = {name: data[name] for name in REQUEST if name in data}
            await asyncio.to_thread(self.confab.check, {"request": request, "response": response if stream else response[0]})
        except AnswerBlocked as blocked:
            raise HTTPException(status_code=403, detail={"error": blocked.error}) from None
        except CheckFailed as failed:
            raise HTTPException(status_code=failed.status, detail={"error": failed.error}) from None
