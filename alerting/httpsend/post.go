package httpsend

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"confab/alerting"
)

// maxDrain is how many bytes of a reply are read so that its connection can be reused.
const maxDrain = 64 << 10

// Post is one request with a JSON body. Its URL may be a secret.
type Post struct {
	Op     string // names the request in errors
	URL    string
	Header http.Header
	Body   []byte
	Limit  Limit
}

// Post makes one attempt. Only the status of the reply counts: any 2xx is success.
func (s *Sender) Post(ctx context.Context, p Post) error {
	return s.Call(ctx, p.Op, p.Limit, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(p.Body))
		if err != nil {
			return err
		}
		if p.Header != nil {
			req.Header = p.Header
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := s.HTTP.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, _ = io.CopyN(io.Discard, resp.Body, maxDrain)
		if resp.StatusCode/100 != http.StatusOK/100 {
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
