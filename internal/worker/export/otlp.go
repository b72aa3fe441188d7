package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	collogspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	"google.golang.org/protobuf/proto"

	"confab/internal/redact"
	"confab/internal/worker/config"
	"confab/schemas"
)

// otlp sends flags to an endpoint of OTLP over HTTP.
type otlp struct {
	*client

	path   string // of the signal: /v1/logs or /v1/traces
	encode func(flags []*schemas.Flag) ([]byte, error)
	deps   *Dependencies
}

// maxMessage bounds an endpoint's message in the log.
const maxMessage = 200

func newOTLP(d *Dependencies, name string, o *config.OTLP, encode func([]*schemas.Flag) ([]byte, error)) (*destination, error) {
	to, err := newOTLPClient(d, name, o)
	if err != nil {
		return nil, err
	}
	to.encode = encode
	return &destination{send: to.deliver, close: to.close, check: func(ctx context.Context) error { return to.post(ctx, nil) }}, nil // OTLP allows an empty request
}

func newOTLPClient(d *Dependencies, name string, o *config.OTLP) (*otlp, error) {
	headers, err := o.ParsedHeaders()
	if err != nil {
		return nil, fmt.Errorf("headers: %w", err)
	}
	path := "/v1/" + name
	c, err := newClient(&d.Config.Export, name, strings.TrimSuffix(strings.TrimRight(o.URL, "/"), path), func(h http.Header) {
		for name, value := range headers {
			h.Set(name, value)
		}
	})
	if err != nil {
		return nil, err
	}
	return &otlp{client: c, path: path, deps: d}, nil
}

// deliver sends the flags with one request. When the endpoint refuses it, the flags at fault are found by halves.
func (o *otlp) deliver(ctx context.Context, flags []*schemas.Flag) error {
	rejected := &rejectedError{map[string]error{}}
	err := halve(ctx, flags, func(ctx context.Context, flags []*schemas.Flag) error {
		body, err := o.encode(flags)
		if err != nil || body == nil {
			return err
		}
		return o.post(ctx, body)
	}, func(f *schemas.Flag, err error) { rejected.flags[flagID(f)] = err })
	if err == nil && len(rejected.flags) > 0 {
		return rejected
	}
	return err
}

func (o *otlp) post(ctx context.Context, body []byte) error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(body)
	if err = errors.Join(err, z.Close()); err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	const kind = "application/x-protobuf"
	return o.client.send(ctx, &request{
		op: "post " + o.path, method: http.MethodPost, path: o.path, contentType: kind, body: packed.Bytes(), gzip: true,
		read: func(reply []byte, h http.Header) error {
			if strings.HasPrefix(h.Get("Content-Type"), kind) {
				o.notePartial(ctx, reply)
			}
			return nil
		},
	})
}

// notePartial counts and logs the items that the endpoint refused of an accepted request. OTLP forbids to send them again. A
// reply that cannot be read names none. The replies for logs and for traces have the same fields.
func (o *otlp) notePartial(ctx context.Context, reply []byte) {
	var r collogspb.ExportLogsServiceResponse
	if proto.Unmarshal(reply, &r) != nil {
		return
	}
	p := r.GetPartialSuccess()
	n := max(0, p.GetRejectedLogRecords())
	if n == 0 && p.GetErrorMessage() == "" {
		return
	}
	o.deps.Metrics.countPartial(o.path, n)
	o.deps.Logger.WarnContext(ctx, "endpoint refused items of an accepted request", "path", o.path, "rejected", n,
		"message", redact.Redact(redact.Visible(p.GetErrorMessage(), maxMessage)), "remedy", "read the endpoint's own log: OTLP does not say which items, so they are not sent again")
}
