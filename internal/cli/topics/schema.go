package topics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/console"
	"confab/internal/kafka/schemaregistry"
)

// ErrSchemas says that schemas differ from the registry. The differences have been printed.
var ErrSchemas = errors.New("schemas differ from the registry")

// States of a published schema in a registry.
const (
	schemaRegistered   = "registered"
	schemaNew          = "not registered; compatible"
	schemaIncompatible = "incompatible with what is registered"
)

// CheckSchemas compares the schemas with the registry and changes nothing. The error wraps ErrSchemas if one is not
// registered, is incompatible, or has another compatibility level.
func CheckSchemas(ctx context.Context, r *schemaregistry.Client, list []schemaregistry.PublishedSchema, w io.Writer) error {
	t := console.NewTable(table.Row{"schema", "subject", "id", "state", "compatibility"})
	var reasons []string
	sound := true
	for i := range list {
		s := &list[i]
		row, why, ok, err := checkSchema(ctx, r, s)
		if err != nil {
			return err
		}
		sound = sound && ok
		reasons = append(reasons, why...)
		t.AppendRow(row)
	}
	if err := console.PrintTable(w, t); err != nil {
		return err
	}
	for _, why := range reasons {
		if err := console.Printf(w, "%s\n", why); err != nil {
			return err
		}
	}
	if !sound {
		return fmt.Errorf("%w: `confab schema --register` registers what is compatible and sets the levels", ErrSchemas)
	}
	return nil
}

func checkSchema(ctx context.Context, r *schemaregistry.Client, s *schemaregistry.PublishedSchema) (row table.Row, why []string, ok bool, err error) {
	level, err := r.Compatibility(ctx, s.Subject)
	if err != nil {
		return nil, nil, false, err
	}
	ok = level == s.Compatibility
	if !ok {
		level += ", should be " + s.Compatibility
	}
	state, id := schemaRegistered, ""
	number, err := r.Lookup(ctx, s.Subject, s.Text)
	switch {
	case err == nil:
		id = strconv.FormatUint(uint64(number), 10)
	case errors.Is(err, schemaregistry.ErrUnknownSchema):
		ok, state = false, schemaNew
		fits, reasons, err := r.Compatible(ctx, s.Subject, s.Text, s.Transitive)
		if err != nil {
			return nil, nil, false, err
		}
		if !fits {
			state, why = schemaIncompatible, reasons
		}
	default:
		return nil, nil, false, err
	}
	return table.Row{s.Name, s.Subject, id, state, level}, why, ok, nil
}

// RegisterSchemas sets the compatibility level of each subject, then registers the schema. A registered schema keeps its id.
// It stops at the first schema that the registry rejects.
func RegisterSchemas(ctx context.Context, r *schemaregistry.Client, list []schemaregistry.PublishedSchema, w io.Writer) error {
	for i := range list {
		s := &list[i]
		if err := r.SetCompatibility(ctx, s.Subject, s.Compatibility); err != nil {
			return err
		}
		id, err := r.Register(ctx, s.Subject, s.Text)
		if errors.Is(err, schemaregistry.ErrIncompatible) {
			return fmt.Errorf("%w: a %s change is needed, or another subject; `confab schema` shows the registered schemas", err, s.Compatibility)
		}
		if err != nil {
			return err
		}
		if err := console.Printf(w, "%s registered under %s with id %d, %s\n", s.Name, s.Subject, id, s.Compatibility); err != nil {
			return err
		}
	}
	return nil
}
