package httpsend

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"confab/alerting"
)

// maxDrain is how many bytes of a reply are read so that its connection can be reused.
const maxDrain = 64 << 10

// Request is one request, with a JSON body if it has one. Its URL may be a secret.
type Request struct {
	Op     string // names the request in errors
	Method string // default: POST
	URL    string
	Header http.Header
	Body   []byte
	Limit  Limit
	Read   func(io.Reader) error // reads a successful reply; nil: only its status counts
}

// Do makes one attempt. Any status 2xx is success.
func (s *Sender) Do(ctx context.Context, r Request) error {
	return s.Call(ctx, r.Op, r.Limit, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, cmp.Or(r.Method, http.MethodPost), r.URL, bytes.NewReader(r.Body))
		if err != nil {
			return err
		}
		if r.Header != nil {
			req.Header = r.Header
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := s.HTTP.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		ok := resp.StatusCode/100 == http.StatusOK/100
		if ok && r.Read != nil {
			return r.Read(resp.Body)
		}
		_, _ = io.CopyN(io.Discard, resp.Body, maxDrain)
		if !ok {
			return StatusOf(resp)
		}
		return nil
	})
}

// EncodeBody encodes a body as JSON without escapes of HTML, which would multiply its size. A failure says nothing of the
// value, which may hold text of an interaction.
func EncodeBody(op string, v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, &alerting.Error{
			Class: alerting.Operator, Reason: alerting.ReasonRefused, Op: op, Detail: "the message cannot be encoded", Remedy: ReportRemedy,
		}
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
