package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"confab/internal/worker/access"
	"confab/schemas/json/scan"
)

// apiProblem is a refusal as the client sees it.
type apiProblem struct {
	status     int
	code       string // from a closed set
	message    string
	retryAfter time.Duration // 0: a repeat does not help
}

// Error implements error.
func (p *apiProblem) Error() string { return p.message }

// The types of errors, as OpenAI's API has them.
const (
	typeInvalid       = "invalid_request_error"
	typeAuth          = "authentication_error"
	typePermission    = "permission_error"
	typeRate          = "rate_limit_error"
	typeServer        = "server_error"
	typeHallucination = "hallucination_detected"
)

// Refusals.
var (
	errNoReceiver      = &apiProblem{http.StatusNotFound, "no_receiver", "OTLP is not received here: set serve.otlp_topic", 0}
	errUnknownPath     = &apiProblem{http.StatusNotFound, "unknown_path", "there is no such path: POST /v1/check, POST /check, POST /v1/check/chat, POST /v1/feedback; GET /openapi.yaml describes them", 0}
	errMethod          = &apiProblem{http.StatusMethodNotAllowed, "method_not_allowed", "use the method that the header Allow names", 0}
	errContentEncoding = &apiProblem{http.StatusUnsupportedMediaType, "content_encoding", "send the body as it is, or with Content-Encoding: gzip", 0}
	errEmptyBody       = &apiProblem{http.StatusBadRequest, "empty_body", "the body is empty: send an interaction as JSON", 0}
	errTruncatedBody   = &apiProblem{http.StatusBadRequest, "truncated_body", "the body ends early or is not what Content-Encoding says", 0}
	errBodyTooLarge    = &apiProblem{http.StatusRequestEntityTooLarge, "body_too_large", "the body is larger than 8 MiB", 0}
	errManyLines       = &apiProblem{http.StatusRequestEntityTooLarge, "too_many_lines", "the body has more than 10,000 lines that are not blank: send them in several requests", 0}
	errSlowBody        = &apiProblem{http.StatusRequestTimeout, "slow_body", "the body took longer than 10 s", 0}
	errDeadlineHeader  = &apiProblem{http.StatusBadRequest, "deadline", "X-Confab-Deadline-Ms is a number of milliseconds from 1", 0}
	errPass            = &apiProblem{http.StatusBadRequest, "pass", "pass is fast or deep", 0}
	errPreset          = &apiProblem{http.StatusBadRequest, "preset", "there is no such preset: confab check --help lists them", 0}
	errLeftOut         = &apiProblem{http.StatusBadRequest, "preset", "the record is one that the preset leaves out: it holds no answer", 0}
	errNoText          = &apiProblem{http.StatusBadRequest, "missing_answer", "the body has no response_text: send {\"response_text\": …, \"source_documents\": […]}", 0}
	errNoResponse      = &apiProblem{http.StatusBadRequest, "missing_answer", "the body has no response: send {\"request\": …, \"response\": …}", 0}
	errMalformed       = &apiProblem{http.StatusBadRequest, "malformed_field", "messages or sources cannot be read: messages are a list of {role, content}, sources a list of texts", 0}
	errNoVotes         = &apiProblem{http.StatusServiceUnavailable, "feedback_off", "votes are written to Kafka: set serve.publish to flags or all", 0}
	errVoteWrite       = &apiProblem{http.StatusServiceUnavailable, "publish", "the vote could not be written to Kafka: send it again", 5 * time.Second}
	errTenantName      = &apiProblem{http.StatusBadRequest, "tenant_name", "the name of the tenant is longer than 256 bytes", 0}
	errResponse        = &apiProblem{http.StatusServiceUnavailable, "response", "the response cannot be read: send it as the API wrote it, whole, the text of its events, or a list of its chunks", 0}
	errResponseLarge   = &apiProblem{http.StatusServiceUnavailable, "response_too_large", "the response has more than 128 choices, or 1,024 parts in a stream", 0}
	errNotMeasured     = &apiProblem{http.StatusServiceUnavailable, "not_measured", "the answer was not measured, or not all of it: unchecked says why", 0}
	errBodies          = &apiProblem{http.StatusServiceUnavailable, "overloaded", "the bodies of the requests in progress need too much memory: try again", time.Second}
	errOverloaded      = &apiProblem{http.StatusServiceUnavailable, "overloaded", "64 requests are in progress: try again", time.Second}
	errDeadline        = &apiProblem{http.StatusServiceUnavailable, "deadline", "the check took longer than its deadline", time.Second}
	errPublish         = &apiProblem{http.StatusServiceUnavailable, "publish", "the result could not be written to Kafka", 5 * time.Second}
	errNotStored       = &apiProblem{http.StatusServiceUnavailable, "publish", "the request could not be written to Kafka: send it again", 5 * time.Second}
	errSpansLarge      = &apiProblem{http.StatusRequestEntityTooLarge, "record_too_large", "a record would be larger than its topic or kafka.max_record_bytes allows: raise them, or send smaller batches", 0}
	errTenantDenied    = &apiProblem{http.StatusForbidden, "tenant_not_allowed", "these credentials are not for this tenant", 0}
	errTenantMissing   = &apiProblem{http.StatusBadRequest, "tenant_missing", "name the tenant in the header X-Confab-Tenant: these credentials are for several", 0}
	errCredentials     = &apiProblem{http.StatusUnauthorized, "credentials", "send a valid token (Authorization: Bearer TOKEN, or X-Confab-Token) or another configured login", 0}
	errInternal        = &apiProblem{http.StatusInternalServerError, "internal", "the check failed: the log of confab says why", time.Second}
)

// problem is the refusal that an error stands for.
func (s *Server) problem(err error) *apiProblem {
	if p, ok := errors.AsType[*apiProblem](err); ok {
		return p
	}
	if bad, ok := errors.AsType[*scan.Error](err); ok {
		return &apiProblem{http.StatusBadRequest, bad.Reason, bad.Error(), 0}
	}
	switch {
	case errors.Is(err, access.ErrUnauthenticated):
		return errCredentials
	case errors.Is(err, access.ErrTenant):
		return errTenantDenied
	case errors.Is(err, access.ErrAmbiguousTenant):
		return errTenantMissing
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return errDeadline
	}
	s.Logger.Error("check failed", "error", err)
	return errInternal
}

// kind is the type of the error, by its status.
func (p *apiProblem) kind() string {
	switch p.status {
	case http.StatusUnauthorized:
		return typeAuth
	case http.StatusForbidden:
		return typePermission
	case http.StatusTooManyRequests:
		return typeRate
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		return typeServer
	}
	return typeInvalid
}

// errorBody is the error of a response, in the shape of OpenAI's API.
type errorBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Code    string  `json:"code"`
	Param   *string `json:"param"`
}

func (p *apiProblem) body() errorBody { return errorBody{p.message, p.kind(), p.code, nil} }

// fail writes the refusal, unless a response was begun.
func (q *webRequest) fail(p *apiProblem) {
	r := q.reply
	if p.retryAfter > 0 {
		r.header().Set("Retry-After", strconv.Itoa(max(1, int(p.retryAfter/time.Second))))
	}
	switch {
	case q.isCall():
		r.writeCall(p.status, nil, p.call())
	case q.kind == kindProto:
		r.write(p.status, kindProto, encodeProto(p.call().Proto()))
	case q.route != nil && q.route.isOTLP():
		r.write(p.status, kindJSON, encodeJSON(map[string]any{"code": p.call().Code(), "message": p.message}))
	default:
		r.write(p.status, kindJSON, encodeJSON(map[string]any{"error": p.body()}))
	}
}

// encodeJSON encodes values of this package, which always works.
func encodeJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Appendf(nil, `{"error":{"message":%q,"type":%q,"code":"internal","param":null}}`, errInternal.message, typeServer)
	}
	return text
}
