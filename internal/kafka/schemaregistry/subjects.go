package schemaregistry

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/sr"
)

// ErrIncompatible means that the registry refuses a schema: it is invalid or breaks the subject's compatibility.
var ErrIncompatible = errors.New("the schema registry refuses the schema")

// PublishedSchema is an Avro schema with its compatibility level.
type PublishedSchema struct {
	Name          string // display name
	Subject       string
	Text          string
	Compatibility string // the level that its readers and writers require
	Transitive    bool   // the level compares with every version, not only with the latest
}

// Subject returns the subject of a topic's values (the TopicName strategy).
func Subject(topic string) string { return topic + "-value" }

// Lookup returns the id of an Avro schema under the subject, ErrUnknownSchema when it is not registered.
func (r *Client) Lookup(ctx context.Context, subject, text string) (uint32, error) {
	s, err := r.client.LookupSchema(ctx, subject, sr.Schema{Schema: text})
	if err == nil && s.ID <= 0 {
		err = errNoSchema
	}
	if err != nil {
		return 0, r.describeError("look up the schema under "+subject, err)
	}
	return uint32(s.ID), nil
}

// Register registers an Avro schema and returns its id; a registered schema keeps its id.
func (r *Client) Register(ctx context.Context, subject, text string) (uint32, error) {
	id, err := r.client.RegisterSchema(ctx, subject, sr.Schema{Schema: text}, -1, -1)
	if err == nil && id <= 0 {
		err = errNoSchema
	}
	if err != nil {
		return 0, r.describeError("register a schema under "+subject, err)
	}
	return uint32(id), nil
}

// Compatible reports whether an Avro schema may follow the subject's latest one, or with all set each of its versions. A
// subject without schemas takes any.
func (r *Client) Compatible(ctx context.Context, subject, text string, all bool) (ok bool, reasons []string, err error) {
	const latest, every = -1, -2
	version := latest
	if all {
		version = every
	}
	res, err := r.client.CheckCompatibility(sr.WithParams(ctx, sr.Verbose), subject, version, sr.Schema{Schema: text})
	switch err = r.describeError("check a schema against "+subject, err); {
	case errors.Is(err, ErrUnknownSchema):
		return true, nil, nil
	case errors.Is(err, ErrIncompatible): // not a valid schema
		return false, nil, nil
	case err != nil:
		return false, nil, err
	}
	return res.Is, res.Messages, nil
}

// Compatibility returns the level of a subject, such as BACKWARD: its own, or the registry's.
func (r *Client) Compatibility(ctx context.Context, subject string) (string, error) {
	res := r.client.Compatibility(ctx, subject)[0]
	err := r.describeError("ask for the compatibility of "+subject, res.Err)
	if errors.Is(err, ErrUnknownSchema) {
		res = r.client.Compatibility(ctx)[0]
		err = r.describeError("ask for the registry's compatibility", res.Err)
	}
	return res.Level.String(), err
}

// SetCompatibility sets the level of a subject.
func (r *Client) SetCompatibility(ctx context.Context, subject, level string) error {
	var l sr.CompatibilityLevel
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return fmt.Errorf("compatibility %s: %w", level, err)
	}
	res := r.client.SetCompatibility(ctx, sr.SetCompatibility{Level: l}, subject)[0]
	return r.describeError("set the compatibility of "+subject, res.Err)
}
