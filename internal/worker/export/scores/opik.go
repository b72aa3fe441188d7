package scores

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"confab/internal/redact"
	"confab/internal/worker/export/delivery"
	"confab/schemas"
)

const (
	opikBatch = 200 // Opik accepts 1,000
	maxFound  = 16_384
)

// OpikOptions configure the feedback scores in Comet Opik.
type OpikOptions struct {
	Connection `yaml:",inline"`
	// Name of the project that has the traces.
	Project string `yaml:"project"`
	// Workspace of the project. Empty: the default one.
	Workspace string `yaml:"workspace"`
	// API key, for Opik Cloud.
	APIKey redact.Secret `yaml:"api_key"`
	// File that holds the API key.
	APIKeyFile string `yaml:"api_key_file"`
}

// Check checks the options without a request.
func (o *OpikOptions) Check() error {
	if err := o.check("export.opik", o.APIKey != ""); err != nil {
		return err
	}
	if strings.TrimSpace(o.Project) == "" {
		return errors.New("export.opik has no project; set the name of the one that has the traces")
	}
	return errors.Join(checkWord("export.opik.workspace", o.Workspace), checkWord("export.opik.api_key", o.APIKey.Reveal()))
}

// NewOpik returns a destination that writes feedback scores of spans to Opik, or of traces for flags without a span. It makes
// no request.
func NewOpik(o OpikOptions) (delivery.Destination, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	found, _ := lru.New[string, string](maxFound) // fails for sizes below 1 only
	c := newClient(&o.Connection, adviceFor("export.opik", "api_key and workspace"), func(r *http.Request) {
		if key := o.APIKey.Reveal(); key != "" {
			r.Header.Set("Authorization", key)
		}
		if o.Workspace != "" {
			r.Header.Set("Comet-Workspace", o.Workspace)
		}
	})
	return o.newDestination("Opik", opikBatch, c, &opik{c, o.Project, found}), nil
}

type opik struct {
	client  *client
	project string
	found   *lru.Cache[string, string] // Opik's ids by those of OpenTelemetry; they never change
}

// feedbackScore is a feedback score; Opik keeps one per span and name.
type feedbackScore struct {
	ID           string  `json:"id"` // of the span or the trace
	ProjectName  string  `json:"project_name"`
	Name         string  `json:"name"`
	CategoryName string  `json:"category_name"`
	Value        float64 `json:"value"`
	Reason       string  `json:"reason"`
	Source       string  `json:"source"`
}

// locate takes ids that are Opik's own as they are, and searches for those of OpenTelemetry.
func (k *opik) locate(ctx context.Context, f *schemas.Flag) (target, error) {
	if span, ok := uuidID(f.SpanID); ok {
		return target{span: span}, nil
	}
	if trace, ok := uuidID(f.TraceID); ok && f.SpanID == "" {
		return target{trace: trace}, nil
	}
	at, err := otelTarget(f)
	switch {
	case err != nil:
		return at, &refusedError{err}
	case at.span != "":
		at.span, err = k.find(ctx, "spans", at.span)
		return target{span: at.span}, err
	default:
		at.trace, err = k.find(ctx, "traces", at.trace)
		return at, err
	}
}

// find searches for the span or trace whose id ends as the id of OpenTelemetry makes it. What it found it remembers: a batch
// that is repeated, or the other pass, needs no second search.
func (k *opik) find(ctx context.Context, kind, id string) (string, error) {
	if found, ok := k.found.Get(kind + id); ok {
		return found, nil
	}
	found, err := k.search(ctx, kind, id)
	if err != nil {
		return "", err
	}
	k.found.Add(kind+id, found)
	return found, nil
}

func (k *opik) search(ctx context.Context, kind, id string) (found string, err error) {
	suffix, err := opikSuffix(id)
	if err != nil {
		return "", &refusedError{err}
	}
	missing := &missingError{map[string]bool{id: true}}
	filters, err := json.Marshal([]map[string]string{{"field": "id", "operator": "ends_with", "value": suffix}})
	if err != nil {
		return "", &refusedError{err}
	}
	query := url.Values{"project_name": {k.project}, "filters": {string(filters)}, "size": {"10"}, "truncate": {"true"}}
	err = k.client.call(ctx, &request{
		op: "find a span in Opik", method: http.MethodGet, path: "/v1/private/" + kind + "?" + query.Encode(),
		read: func(reply []byte) (err error) {
			found, err = readPage(reply, suffix)
			return err
		},
		absent: func(reply []byte) error { // the project comes with its first trace
			if !json.Valid(reply) {
				return nil
			}
			return missing
		},
	})
	if err == nil && found == "" {
		err = missing
	}
	return found, err
}

// readPage returns the id of a page that ends so; "" when there is none.
func readPage(reply []byte, suffix string) (string, error) {
	var page struct {
		Content *[]struct {
			ID string `json:"id"`
		} `json:"content"`
	}
	if json.Unmarshal(reply, &page) != nil || page.Content == nil {
		return "", errOtherService
	}
	for _, c := range *page.Content {
		if id, ok := uuidID(c.ID); ok && strings.HasSuffix(id, suffix) {
			return id, nil
		}
	}
	return "", nil
}

func (k *opik) write(ctx context.Context, batch []score) error {
	path := "/v1/private/spans/feedback-scores"
	if batch[0].at.span == "" {
		path = "/v1/private/traces/feedback-scores"
	}
	scores := make([]feedbackScore, len(batch))
	for i := range batch {
		scores[i] = k.feedbackOf(&batch[i])
	}
	return k.client.call(ctx, &request{
		op: "write feedback scores to Opik", method: http.MethodPut, path: path, body: map[string]any{"scores": scores},
		read: func(reply []byte) error {
			if len(reply) == 0 { // status 204
				return nil
			}
			return notJSON(reply)
		},
	})
}

// feedbackOf names the score so that it replaces neither one of another tool nor one of the other pass.
func (k *opik) feedbackOf(s *score) feedbackScore {
	b := feedbackScore{
		ID: s.at.span, ProjectName: k.project, Name: "confab." + strings.TrimPrefix(s.name, "confab."), CategoryName: s.label,
		Value: math.Round(s.value*1e9) / 1e9, Reason: s.explanation, Source: "sdk", // 9 decimals are the most
	}
	if b.ID == "" {
		b.ID = s.at.trace
	}
	if s.metadata.Pass == string(schemas.PassDeep) {
		b.Name += ".deep"
	}
	return b
}
