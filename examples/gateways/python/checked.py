"""A client of OpenAI's API whose answers Confab checks before the application sees them.

    client = CheckedClient(openai.OpenAI(), "http://localhost:9470")
    answer = client.create(model="m", messages=[...])

Needs confab serve. An answer that the tenant's action blocks raises AnswerBlocked. One that was not checked raises CheckFailed;
with fail_open it passes if Confab does not answer in time. A streamed answer is collected, checked, and then returned as a list
of its chunks. Only chat completions through create are checked: calls of client.client are not.
"""

import http.client
import json
import urllib.error
import urllib.request


class AnswerBlocked(Exception):
    """Confab blocked the answer. error has the incident id, the risk and the claims that no source supports."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.error = error


class CheckFailed(Exception):
    """The answer was not checked. status and error are Confab's, if it has answered."""

    def __init__(self, message, status=503, error=None):
        super().__init__(message)
        self.status = status
        self.error = error or {"message": message, "type": "server_error", "code": "unreachable", "param": None}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Confab does not redirect: whoever does is somebody else."""

    def redirect_request(self, *args):
        return None


def encode(body):
    """Encodes as JSON. NaN and Infinity, which servers in Python write and JSON does not have, become null."""
    return json.dumps(json.loads(json.dumps(body), parse_constant=lambda name: None), allow_nan=False).encode()


class CheckedClient:
    """Wraps a client of the package openai."""

    def __init__(self, client, confab, token=None, tenant=None, timeout=2.0, fail_open=False):
        self.client, self.url, self.timeout, self.fail_open = client, confab.rstrip("/") + "/v1/check/chat", timeout, fail_open
        self.opener = urllib.request.build_opener(NoRedirect)
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
        self.check({"request": request, "response": body, "sources": sources or []})
        return response

    def check(self, body):
        """Returns Confab's response. Raises AnswerBlocked or CheckFailed; None means that Confab did not answer, with fail_open."""
        try:
            call = urllib.request.Request(self.url, encode(body), self.headers)
        except (TypeError, ValueError) as wrong:
            raise CheckFailed("the request is not JSON: %s" % wrong, 400) from None
        try:
            with self.opener.open(call, timeout=self.timeout) as reply:
                if reply.headers.get("X-Confab-Checked"):
                    return json.load(reply)
            failure = CheckFailed("the reply is not Confab's")
        except urllib.error.HTTPError as refused:
            failure = self.refusal(refused)
        except (OSError, ValueError, http.client.HTTPException) as unreachable:
            failure = CheckFailed(str(unreachable))
        if self.fail_open and failure.error["code"] in ("unreachable", "overloaded", "logins", "internal"):
            return None
        raise failure

    def refusal(self, refused):
        """Raises AnswerBlocked, or returns the failure. What Confab refuses is not let through by fail_open."""
        try:
            error = json.load(refused)["error"]
            message, code = error["message"], error["code"]
        except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
            return CheckFailed("status %d of another server than Confab" % refused.code)
        if code == "blocked_by_policy":
            raise AnswerBlocked(error) from None
        return CheckFailed(message, refused.code, error)
