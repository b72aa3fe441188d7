package scores

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"confab/internal/redact"
	"confab/internal/worker/export/delivery"
	"confab/schemas"
)

// LangfuseOptions configure the scores in Langfuse.
type LangfuseOptions struct {
	Connection `yaml:",inline"`
	// Public key of the project (pk-lf-...).
	PublicKey string `yaml:"public_key"`
	// Secret key of the project (sk-lf-...).
	SecretKey redact.Secret `yaml:"secret_key"`
	// File that holds the secret key.
	SecretKeyFile string `yaml:"secret_key_file"`
	// Environment of the scores, as the traces have it. Empty: Langfuse's default.
	Environment string `yaml:"environment"`
}

// Check checks the options without a request.
func (o *LangfuseOptions) Check() error {
	if err := o.check("export.langfuse", true); err != nil {
		return err
	}
	if o.PublicKey == "" || o.SecretKey == "" {
		return errors.New("export.langfuse has no public_key or no secret_key; set both, of the project that has the traces")
	}
	return errors.Join(checkWord("export.langfuse.public_key", o.PublicKey), checkWord("export.langfuse.secret_key", o.SecretKey.Reveal()))
}

// NewLangfuse returns a destination that writes scores of observations to Langfuse, or of traces for flags without a span.
// It makes no request.
func NewLangfuse(o LangfuseOptions) (delivery.Destination, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	c := newClient(&o.Connection, adviceFor("export.langfuse", "public_key and secret_key"), func(r *http.Request) {
		r.SetBasicAuth(o.PublicKey, o.SecretKey.Reveal())
	})
	return o.newDestination("Langfuse", 1, c, &langfuse{c, o.Environment}), nil
}

type langfuse struct {
	client      *client
	environment string
}

// langfuseScore is a score; Langfuse keeps one per id.
type langfuseScore struct {
	ID            string   `json:"id"`
	TraceID       string   `json:"traceId"`
	ObservationID string   `json:"observationId,omitempty"`
	Name          string   `json:"name"`
	Value         float64  `json:"value"`
	DataType      string   `json:"dataType"`
	Comment       string   `json:"comment"`
	Metadata      metadata `json:"metadata"`
	Environment   string   `json:"environment,omitempty"`
}

func (*langfuse) locate(_ context.Context, f *schemas.Flag) (target, error) {
	at, err := freeTarget(f)
	if err != nil {
		return at, &refusedError{err}
	}
	return at, nil
}

// write writes one score: the endpoint for batches is deprecated, and gone from Langfuse Cloud.
func (l *langfuse) write(ctx context.Context, batch []score) error {
	s := &batch[0]
	body := langfuseScore{
		ID: scoreID(s), TraceID: s.at.trace, ObservationID: s.at.span, Name: s.name, Value: s.value, DataType: "NUMERIC",
		Comment: s.label + ": " + s.explanation, Metadata: s.metadata, Environment: l.environment,
	}
	if s.yesNo {
		body.DataType = "BOOLEAN"
	}
	body.Metadata.Label = s.label
	return l.client.call(ctx, &request{
		op: "write a score to Langfuse", method: http.MethodPost, path: "/api/public/scores", body: body, read: readScore,
	})
}

// scoreID is the stable id of a score.
func scoreID(s *score) string { return plainID(s.owner + ":" + s.name) }

// readScore expects the id of the score.
func readScore(reply []byte) error {
	var made struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(reply, &made) != nil || made.ID == "" {
		return errOtherService
	}
	return nil
}
