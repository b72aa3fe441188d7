package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	modev3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
)

// headerPrefix begins the headers that only Confab sets.
const headerPrefix = "x-confab-"

// exchange is one HTTP request and its response.
type exchange struct {
	*processor

	ctx      context.Context // of the gRPC stream, which the exchange is
	chat     bool            // the response is to be checked
	request  []byte
	encoding string // of the request
	response struct {
		pending, stream bool
		encoding        string
	}
}

// requestHeaders decides whether the response is to be checked, and refuses paths that are neither checked nor passed.
func (e *exchange) requestHeaders(m *extproc.HttpHeaders) reply {
	h := readHeaders(m)
	target, _, _ := strings.Cut(h.Get(":path"), "?")
	switch {
	case slices.Contains(e.settings.pass, target):
		return reply{remove: confabHeaders(h), mode: &modev3.ProcessingMode{ResponseHeaderMode: modev3.ProcessingMode_SEND}}
	case !isChatPath(target):
		return e.refuse(http.StatusNotFound, "path_not_checked")
	case h.Get(":method") != http.MethodPost:
		return e.refuse(http.StatusMethodNotAllowed, "method_not_allowed")
	case m.GetEndOfStream():
		return e.refuse(http.StatusBadRequest, "empty_body")
	case e.exceedsLimit(h):
		return e.refuse(http.StatusRequestEntityTooLarge, "body_too_large")
	}
	e.chat, e.encoding = true, h.Get("content-encoding")
	return reply{remove: append(confabHeaders(h), "accept-encoding")}
}

// requestBody keeps the request, which has the sources. One that Confab could not read is refused before the model is asked.
func (e *exchange) requestBody(body []byte) reply {
	if !e.chat {
		return reply{}
	}
	request, err := e.unpack(body, e.encoding)
	if failure, ok := errors.AsType[*checkFailure](err); ok {
		status := map[string]int{"body_too_large": http.StatusRequestEntityTooLarge, "content_encoding": http.StatusUnsupportedMediaType}[failure.code]
		return e.refuse(max(status, http.StatusBadRequest), failure.code)
	}
	if !json.Valid(request) { // also a byte order mark, UTF-16, NaN, text behind the object
		return e.refuse(http.StatusBadRequest, "syntax")
	}
	e.request = request
	return reply{}
}

// responseHeaders decides how the response is checked.
func (e *exchange) responseHeaders(m *extproc.HttpHeaders) reply {
	h := readHeaders(m)
	r := passUnchecked()
	if code, err := strconv.Atoi(h.Get(":status")); e.chat && (err != nil || code >= 200 && code <= 299) {
		r = e.chatHeaders(m, h)
	}
	if !e.response.pending {
		r.mode = &modev3.ProcessingMode{}
	}
	r.remove = confabHeaders(h)
	return r
}

// chatHeaders decides how the response of a chat completion is checked.
func (e *exchange) chatHeaders(m *extproc.HttpHeaders, h http.Header) reply {
	kind, _, _ := mime.ParseMediaType(h.Get("content-type"))
	e.response.stream, e.response.encoding = kind == "text/event-stream", h.Get("content-encoding")
	switch reason := e.skipResponse(m, h, kind); {
	case reason != "":
		return e.unchecked(reason)
	case e.response.stream && !e.settings.checkStreams:
		return passUnchecked()
	}
	e.response.pending = true
	return reply{}
}

// skipResponse is the reason why the response cannot be checked, by its headers, or empty.
func (e *exchange) skipResponse(m *extproc.HttpHeaders, h http.Header, kind string) string {
	switch {
	case m.GetEndOfStream():
		return "empty_body"
	case e.exceedsLimit(h) && (e.settings.checkStreams || !e.response.stream):
		return "body_too_large"
	case kind != "application/json" && !e.response.stream:
		return "content_type"
	}
	return ""
}

// responseBody checks the answer and acts on the verdict.
func (e *exchange) responseBody(body []byte) reply {
	if !e.response.pending {
		return reply{}
	}
	e.response.pending = false
	began := time.Now()
	v, err := e.check(body)
	outcome := "passed"
	defer func() {
		e.logger.Info("answer checked", "outcome", outcome, "incident_id", v.headers["X-Confab-Incident-Id"], "duration", time.Since(began).Round(time.Microsecond))
	}()
	if failure, ok := errors.AsType[*checkFailure](err); ok {
		if outcome = failure.code; failure.status == 0 {
			return e.unchecked(outcome)
		}
		r := refusal(failure.status, failure.body)
		maps.Copy(r.set, v.headers)
		return r
	}
	r := reply{set: maps.Clone(v.headers)}
	if v.blocked {
		outcome = "blocked"
		r.status, r.body = http.StatusForbidden, v.body
		r.set["Content-Type"], r.set["Cache-Control"] = "application/json", "no-store"
	}
	return r
}

// check unpacks the answer and asks Confab.
func (e *exchange) check(body []byte) (v verdict, err error) {
	if len(e.request) == 0 || len(body) == 0 {
		return v, &checkFailure{code: "empty_body"}
	}
	if body, err = e.unpack(body, e.response.encoding); err != nil {
		return v, err
	}
	ctx, cancel := context.WithTimeout(e.ctx, e.settings.timeout)
	defer cancel()
	return e.checker.checkAnswer(ctx, e.request, body, e.response.stream)
}

// unpack returns the body without its encoding, if it is within the limit.
func (e *exchange) unpack(body []byte, encoding string) ([]byte, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
	case "gzip", "x-gzip":
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, &checkFailure{code: "truncated_body"}
		}
		if body, err = io.ReadAll(io.LimitReader(r, int64(e.settings.maxBody)+1)); err != nil {
			return nil, &checkFailure{code: "truncated_body"}
		}
	default:
		return nil, &checkFailure{code: "content_encoding"}
	}
	if len(body) > e.settings.maxBody {
		return nil, &checkFailure{code: "body_too_large"}
	}
	return body, nil
}

// unchecked lets an answer through that cannot be checked, or refuses it.
func (e *exchange) unchecked(code string) reply {
	if !e.settings.failClosed {
		e.logger.Warn("answer not checked", "reason", code)
		return passUnchecked()
	}
	return e.refuse(http.StatusServiceUnavailable, code)
}

// refuse answers with an error in the shape of OpenAI's API.
func (e *exchange) refuse(status int, code string) reply {
	e.logger.Warn("request refused", "reason", code, "status", status)
	kind, message := "invalid_request_error", "the request is refused, because its answer could not be checked"
	if status >= http.StatusInternalServerError {
		kind, message = "server_error", "the answer could not be checked"
	}
	body, err := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": kind, "code": code, "param": nil}})
	if err != nil {
		body = nil
	}
	return refusal(status, body)
}

func refusal(status int, body []byte) reply {
	return reply{status: status, body: body, set: map[string]string{
		"Content-Type": "application/json", "Cache-Control": "no-store", checkedHeader: "none",
	}}
}

func passUnchecked() reply { return reply{set: map[string]string{checkedHeader: "none"}} }

// exceedsLimit reports a body whose announced length is too large.
func (e *exchange) exceedsLimit(h http.Header) bool {
	n, err := strconv.ParseUint(h.Get("content-length"), 10, 63)
	return err == nil && n > uint64(e.settings.maxBody)
}

// readHeaders returns the headers, and Envoy's pseudo headers by their own names.
func readHeaders(m *extproc.HttpHeaders) http.Header {
	h := http.Header{}
	for _, header := range m.GetHeaders().GetHeaders() {
		value := string(header.GetRawValue())
		if value == "" {
			value = header.GetValue()
		}
		h.Add(header.GetKey(), value)
	}
	return h
}

// confabHeaders are the names of headers that clients and models must not set.
func confabHeaders(h http.Header) (names []string) {
	for name := range h {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, headerPrefix) {
			names = append(names, lower)
		}
	}
	return names
}

// isChatPath reports a path of chat completions, also one with other case, escapes or parameters.
func isChatPath(target string) bool {
	target, _, _ = strings.Cut(target, "?")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	target, _, _ = strings.Cut(target, ";")
	return strings.HasSuffix(strings.ToLower(path.Clean("/"+target)), "/chat/completions")
}
