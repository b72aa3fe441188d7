package scores

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"

	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/redact"
	"confab/internal/worker/export/delivery"
	"confab/schemas"
)

const phoenixBatch = 200 // 500 annotations take Phoenix 1.5 s on SQLite

// PhoenixOptions configure the annotations of spans in Arize Phoenix.
type PhoenixOptions struct {
	Connection `yaml:",inline"`
	// API key, for a Phoenix with authentication.
	APIKey redact.Secret `yaml:"api_key"`
	// File that holds the API key.
	APIKeyFile string `yaml:"api_key_file"`
}

// Check checks the options without a request.
func (o *PhoenixOptions) Check() error {
	if err := o.check("export.phoenix", o.APIKey != ""); err != nil {
		return err
	}
	return checkWord("export.phoenix.api_key", o.APIKey.Reveal())
}

// NewPhoenix returns a destination that annotates spans in Phoenix, or traces for flags without a span. It makes no request.
func NewPhoenix(o PhoenixOptions) (delivery.Destination, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	c := newClient(&o.Connection, adviceFor("export.phoenix", "api_key"), func(r *http.Request) {
		if key := o.APIKey.Reveal(); key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
	})
	return o.newDestination("Phoenix", phoenixBatch, c, &phoenix{c, detectors.Names(standard.Deep(standard.Dependencies{}))}), nil
}

type phoenix struct {
	client *client
	judges []string // detectors that ask a model
}

// annotation is one annotation; Phoenix keeps one per span, name and identifier.
type annotation struct {
	SpanID        string           `json:"span_id,omitempty"`
	TraceID       string           `json:"trace_id,omitempty"`
	Name          string           `json:"name"`
	AnnotatorKind string           `json:"annotator_kind"`
	Identifier    string           `json:"identifier"`
	Result        annotationResult `json:"result"`
	Metadata      metadata         `json:"metadata"`
}

type annotationResult struct {
	Label       string  `json:"label"`
	Score       float64 `json:"score"`
	Explanation string  `json:"explanation"`
}

func (*phoenix) locate(_ context.Context, f *schemas.Flag) (target, error) {
	at, err := otelTarget(f)
	if err != nil {
		return at, &refusedError{err}
	}
	return at, nil
}

// write annotates synchronously: otherwise Phoenix answers 200 for spans that it does not have, and keeps the annotations in
// memory only.
func (p *phoenix) write(ctx context.Context, batch []score) error {
	path := "/v1/span_annotations?sync=true"
	if batch[0].at.span == "" {
		path = "/v1/trace_annotations?sync=true"
	}
	data := make([]annotation, len(batch))
	for i := range batch {
		data[i] = p.annotationOf(&batch[i])
	}
	return p.client.call(ctx, &request{
		op: "write annotations to Phoenix", method: http.MethodPost, path: path, body: map[string]any{"data": data},
		read: readAnnotations, absent: absentInPhoenix,
	})
}

func (p *phoenix) annotationOf(s *score) annotation {
	a := annotation{
		Name: s.name, AnnotatorKind: "CODE", Identifier: s.owner, Metadata: s.metadata,
		Result: annotationResult{Label: s.label, Score: s.value, Explanation: s.explanation},
	}
	if slices.Contains(p.judges, s.name) {
		a.AnnotatorKind = "LLM"
	}
	if a.SpanID = s.at.span; a.SpanID == "" {
		a.TraceID = s.at.trace
	}
	return a
}

// readAnnotations expects the ids of the annotations.
func readAnnotations(reply []byte) error {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(reply, &list) != nil || len(list.Data) == 0 {
		return errOtherService
	}
	return nil
}

var phoenixIDs = regexp.MustCompile(`\b[0-9a-f]{16}(?:[0-9a-f]{16})?\b`)

// absentInPhoenix reads the ids from a reply such as "Spans with IDs a, b do not exist."; nil when it names none.
func absentInPhoenix(reply []byte) error {
	ids := map[string]bool{}
	for _, id := range phoenixIDs.FindAll(reply, -1) {
		ids[string(id)] = true
	}
	if len(ids) == 0 {
		return nil
	}
	return &missingError{ids}
}
