package serve

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"

	"confab/cmd/worker/internal/config/serving"
	"confab/schemas"
	"confab/schemas/chatstream"
	"confab/schemas/json/scan"
)

// chatPath ends the paths whose responses are checked.
const chatPath = "/chat/completions"

// proxiedRequest is one request that goes on to the upstream server.
type proxiedRequest struct {
	*webRequest

	server  *Server
	body    []byte // of the request to the model
	tenant  string
	options checkOptions
}

// proxy passes the request on to the upstream server, checks the answer, and acts as the tenant's action says. Responses of
// other paths, of other types and of errors go through as they are.
func (s *Server) proxy(q *webRequest) (err error) {
	if q.principal, err = s.gate.Authenticate(q.Request); err != nil {
		q.reply.header().Set("WWW-Authenticate", s.gate.Challenge())
		return err
	}
	p := &proxiedRequest{webRequest: q, server: s}
	if q.Method == http.MethodPost && strings.HasSuffix(q.URL.Path, chatPath) {
		if err := p.readChat(); err != nil {
			return err
		}
	}
	upstream, err := url.Parse(s.settings.Upstream)
	if err != nil {
		return err
	}
	forward := &httputil.ReverseProxy{
		Transport: s.upstream,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(upstream)
			for _, name := range []string{"X-Confab-Token", tenantHeader, deadlineHeader, "Accept-Encoding"} {
				r.Out.Header.Del(name) // without the last one the transport decompresses
			}
			if s.gate.OwnsAuthorization(r.In) {
				r.Out.Header.Del("Authorization")
			}
		},
		ModifyResponse: p.modify,
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			s.Logger.WarnContext(q.Context(), "upstream failed", "error", err)
			q.reply.fail(errUpstream)
		},
		FlushInterval: -1,
	}
	forward.ServeHTTP(&countingWriter{q.reply.w, q.reply}, q.Request)
	return nil
}

// readChat reads the body of the request, which has the sources.
func (p *proxiedRequest) readChat() (err error) {
	s := p.server
	if p.tenant, err = p.principal.Choose(p.Header.Get(tenantHeader), s.defaultTenant()); err != nil {
		return err
	}
	if p.options.deadline, err = p.deadline(s.settings.Deadline); err != nil {
		return err
	}
	p.options.evaluator = s.Evaluator.Load()
	p.left, p.wait, p.webRequest.body = int64(s.settings.MaxBodySize)+1, s.settings.ReadTimeout, p.Body
	p.extendRead()
	if p.body, err = io.ReadAll(p.webRequest); err != nil {
		return err
	}
	p.Body, p.ContentLength = io.NopCloser(bytes.NewReader(p.body)), int64(len(p.body))
	return nil
}

// modify checks the response of a chat completion.
func (p *proxiedRequest) modify(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case p.tenant == "" || resp.StatusCode != http.StatusOK:
	case kind == "application/json":
		return p.hold(resp, false)
	case kind == "text/event-stream" && p.server.Evaluator.Load().Policy.Action(p.tenant) == schemas.ActionBlock:
		return p.hold(resp, true)
	case kind == "text/event-stream":
		resp.Body = &streamTee{Reader: resp.Body, Closer: resp.Body, proxied: p}
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
	return nil
}

// hold reads the whole response, checks it, and lets it through or replaces it.
func (p *proxiedRequest) hold(resp *http.Response, stream bool) error {
	limit := int64(p.server.settings.MaxBodySize)
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return err
	}
	if int64(len(body)) > limit {
		return p.tooLarge(resp, body)
	}
	resp.Body.Close()
	replaceBody(resp, body)
	res, err := p.check(body, stream)
	if err != nil {
		refusal := p.server.problem(err)
		if isNothingToCheck(err) || onFailure(p.server.Config, p.tenant) != serving.FailClosed {
			resp.Header.Set("X-Confab-Checked", "false")
			return nil
		}
		replaceResponse(resp, http.StatusServiceUnavailable, encodeJSON(map[string]any{"error": refusal.body()}))
		return nil
	}
	res.writeHeaders(resp.Header)
	if res.status == http.StatusForbidden {
		replaceResponse(resp, res.status, res.body)
	}
	return nil
}

// replaceResponse replaces a response by Confab's own.
func replaceResponse(resp *http.Response, status int, body []byte) {
	resp.StatusCode = status
	resp.Header.Set("Content-Type", "application/json")
	replaceBody(resp, body)
}

// tooLarge lets a response through that is too large to check, or refuses it, as the tenant says.
func (p *proxiedRequest) tooLarge(resp *http.Response, read []byte) error {
	if onFailure(p.server.Config, p.tenant) == serving.FailClosed {
		resp.Body.Close()
		replaceResponse(resp, http.StatusServiceUnavailable, encodeJSON(map[string]any{"error": errBodyTooLarge.body()}))
		return nil
	}
	resp.Header.Set("X-Confab-Checked", "false")
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read), resp.Body), resp.Body}
	return nil
}

func replaceBody(resp *http.Response, body []byte) {
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
}

// check checks each choice of a response, whole or as a stream of events, and returns the strictest result.
func (p *proxiedRequest) check(response []byte, stream bool) (worst checkResult, err error) {
	if stream {
		s, err := chatstream.Assemble(response)
		if err != nil {
			return worst, errStream
		}
		if response, err = s.Completion(); err != nil {
			return worst, err
		}
	}
	if err := p.server.acquireSlot(p.Context()); err != nil {
		return worst, err
	}
	defer func() { <-p.server.slots }()
	for i, choice := range splitChoices(response) {
		body, err := stdjson.Marshal(map[string]stdjson.RawMessage{"request": p.body, "response": choice})
		if err != nil {
			return worst, errStream
		}
		if body, _, err = readChat(body); err != nil {
			return worst, err
		}
		decode := p.server.presets["openai"].Decode
		res, err := p.server.checkRecord(p.webRequest, body, func(raw []byte, in *schemas.Interaction) error {
			err := decode(raw, in)
			in.Tenant = p.tenant
			return err
		}, p.options)
		if err != nil {
			return worst, err
		}
		if i == 0 || res.status > worst.status {
			worst = res
		}
	}
	return worst, nil
}

// splitChoices returns a response once for each of its choices, with that one alone.
func splitChoices(response []byte) []stdjson.RawMessage {
	var members map[string]stdjson.RawMessage
	var choices []stdjson.RawMessage
	if stdjson.Unmarshal(response, &members) != nil || stdjson.Unmarshal(members["choices"], &choices) != nil || len(choices) < 2 {
		return []stdjson.RawMessage{response}
	}
	var all []stdjson.RawMessage
	for _, choice := range choices {
		members["choices"] = append(append(stdjson.RawMessage("["), choice...), ']')
		one, err := stdjson.Marshal(members)
		if err != nil {
			return []stdjson.RawMessage{response}
		}
		all = append(all, one)
	}
	return all
}

// isNothingToCheck reports a response without an answer, such as a call of a tool.
func isNothingToCheck(err error) bool {
	bad, ok := errors.AsType[*scan.Error](err)
	return ok && (bad.Reason == scan.ReasonUnmapped || bad.Reason == scan.ReasonMissingAnswer)
}

// streamTee passes a stream on while it reads it, and checks the answer at the end. Under the action FLAG a comment with the result
// follows the last event.
type streamTee struct {
	io.Reader
	io.Closer

	proxied *proxiedRequest
	seen    []byte
	large   bool
	tail    *bytes.Reader // the comment
}

// Read implements io.Reader.
func (t *streamTee) Read(b []byte) (int, error) {
	if t.tail != nil {
		return t.tail.Read(b)
	}
	n, err := t.Reader.Read(b)
	if t.large = t.large || len(t.seen)+n > int(t.proxied.server.settings.MaxBodySize); !t.large {
		t.seen = append(t.seen, b[:n]...)
	}
	if errors.Is(err, io.EOF) {
		t.tail = bytes.NewReader(t.comment())
		return n, nil
	}
	return n, err
}

// comment is what follows the stream.
func (t *streamTee) comment() []byte {
	if t.large {
		return nil
	}
	res, err := t.proxied.check(t.seen, true)
	if err != nil || len(res.headers) == 0 {
		return nil
	}
	comment := append(append([]byte(": confab "), encodeJSON(res.headers)...), "\n\n"...)
	if !bytes.HasSuffix(t.seen, []byte("\n")) { // the last event was not ended
		comment = append([]byte("\n\n"), comment...)
	}
	return comment
}

// countingWriter notes the status of a response that the proxy writes.
type countingWriter struct {
	http.ResponseWriter

	reply *webReply
}

// WriteHeader implements http.ResponseWriter.
func (w *countingWriter) WriteHeader(status int) {
	w.reply.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
