"""A client of OpenAI's API whose answers Confab checks before the application sees them.

    client = CheckedClient(openai.OpenAI(), "http://localhost:9470")
    answer = client.create(model="m", messages=[...])

Needs confab serve. An answer that the tenant's action blocks raises AnswerBlocked. If Confab cannot be reached in time, the
answer passes unless fail_closed is set. A streamed answer is collected, checked, and then returned as a list of its chunks.
"""

import json
import urllib.error
import urllib.request


class AnswerBlocked(Exception):
    """Confab blocked the answer. error has the incident id, the risk and the claims that no source supports."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.error = error


class CheckFailed(Exception):
    """The answer could not be checked, and fail_closed is set."""


class CheckedClient:
    """Wraps a client of the package openai."""

    def __init__(self, client, confab, token=None, tenant=None, timeout=2.0, fail_closed=False):
        self.client, self.url, self.timeout, self.fail_closed = client, confab.rstrip("/") + "/v1/check/chat", timeout, fail_closed
        self.headers = {"Content-Type": "application/json"}
        if token:
            self.headers["Authorization"] = "Bearer " + token
        if tenant:
            self.headers["X-Confab-Tenant"] = tenant

    def create(self, sources=None, **request):
        """Asks the model and checks the answer. sources are passages that the messages do not hold."""
        response = self.client.chat.completions.create(**request)
        if request.get("stream"):
            response = list(response)
            body = [chunk.model_dump(mode="json") for chunk in response]
        else:
            body = response.model_dump(mode="json")
        self.check({"request": request, "response": body, "sources": sources})
        return response

    def check(self, body):
        """Raises AnswerBlocked for an answer that is blocked; returns Confab's response, or None if there is none."""
        call = urllib.request.Request(self.url, json.dumps(body).encode(), self.headers)
        try:
            with urllib.request.urlopen(call, timeout=self.timeout) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refused:
            error = json.load(refused)["error"]
            if error["code"] == "blocked_by_policy":
                raise AnswerBlocked(error) from None
            failure = error["message"]
        except OSError as unreachable:
            failure = str(unreachable)
        if self.fail_closed:
            raise CheckFailed(failure)
        return None
