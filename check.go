package confab

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"confab/schemas"
)

// IDSourceContent marks an interaction that came without an id and was named after its messages and answer.
const IDSourceContent = "content"

// libraryTopic is the topic of the origin of an interaction that was not read from Kafka.
const libraryTopic = "library"

// ErrNotUTF8 says that a text of the interaction is not valid UTF-8.
var ErrNotUTF8 = errors.New("is not valid UTF-8")

// Check evaluates one interaction and returns its flag, quiet or not. A missing tenant is the default one. A missing id is
// derived from messages and answer, so that a repeat has the same incident id. Check does not change the interaction and
// keeps no reference to it. An error means that there is no verdict: [ErrNotUTF8] or the end of ctx.
func (e *Evaluator) Check(ctx context.Context, in *schemas.Interaction) (schemas.Flag, error) {
	if err := validateTexts(in); err != nil {
		return schemas.Flag{}, fmt.Errorf("check interaction: %w", err)
	}
	admitted := *in
	if admitted.Tenant == "" {
		admitted.Tenant = schemas.DefaultTenant
	}
	if admitted.ID == "" {
		admitted.ID, admitted.IDSource = ContentID(in), IDSourceContent
	}
	flag := e.Evaluate(ctx, &admitted, schemas.Origin{Topic: libraryTopic}, e.options.Suite.Now())
	if err := ctx.Err(); err != nil { // detectors may have been skipped
		return schemas.Flag{}, fmt.Errorf("check interaction: %w", err)
	}
	return flag, nil
}

// validateTexts returns an error that names the first text that is not UTF-8. Decoders of records guarantee it.
func validateTexts(in *schemas.Interaction) error {
	type namedTexts struct {
		name  string
		texts []string
	}
	fields := []namedTexts{
		{"id", []string{in.ID, in.ConversationID, in.TraceID, in.SpanID}},
		{"tenant", []string{in.Tenant}},
		{"service, operation, provider, model or finish reason", []string{in.Service, in.Operation, in.Provider, in.Model, in.FinishReason}},
		{"tag", in.Tags},
		{"answer", []string{in.Answer}},
		{"response schema", []string{in.ResponseSchema}},
	}
	for i := range in.Messages {
		fields = append(fields, namedTexts{fmt.Sprintf("message %d", i), []string{in.Messages[i].Role, in.Messages[i].Content}})
	}
	for i := range in.Sources {
		src := &in.Sources[i]
		fields = append(fields, namedTexts{fmt.Sprintf("source %d", i), []string{src.ID, src.Text, src.URI, src.Title}})
	}
	for _, f := range fields {
		if slices.ContainsFunc(f.texts, func(text string) bool { return !utf8.ValidString(text) }) {
			return fmt.Errorf("%s %w", f.name, ErrNotUTF8)
		}
	}
	return nil
}

// ContentID is the id of an interaction without one: the hexadecimal SHA-256 over messages and answer, each text prefixed
// by its length.
func ContentID(in *schemas.Interaction) string {
	h := sha256.New()
	add := func(text string) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	for i := range in.Messages {
		add(in.Messages[i].Role)
		add(in.Messages[i].Content)
	}
	add(in.Answer)
	return hex.EncodeToString(h.Sum(nil))
}
