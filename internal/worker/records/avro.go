package records

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"confab/consumer"
	"confab/internal/kafka/schemaregistry"
	"confab/schemas"
	"confab/schemas/avro"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

// reasonUnknownSchema is the reason of records whose schema id the registry does not have.
const reasonUnknownSchema = "unknown_schema"

// frameMagic is the first byte of a schema's id in front of a value. No JSON value starts with it.
const frameMagic = 0

const noRegistry = "a schema's id, but schema_registry.url is not set"

// schemaSource returns writer schemas by id; a [schemaregistry.Client].
type schemaSource interface {
	Schema(ctx context.Context, id schemaregistry.ID) (schemaregistry.WriterSchema, error)
}

// writerSchemas caches the schemas that values were written with. nil means no registry.
type writerSchemas struct {
	registry schemaSource
	loaded   *lru.Cache[schemaregistry.ID, *writerSchema]
}

// maxWriterSchemas bounds the schemas that are kept.
const maxWriterSchemas = 1024

func newWriterSchemas(r *schemaregistry.Client) *writerSchemas {
	if r == nil {
		return nil
	}
	return cacheSchemas(r)
}

func cacheSchemas(r schemaSource) *writerSchemas {
	loaded, _ := lru.New[schemaregistry.ID, *writerSchema](maxWriterSchemas) // it fails only without a size
	return &writerSchemas{registry: r, loaded: loaded}
}

// writerSchema is one parsed schema.
type writerSchema struct {
	avro *avro.Schema // nil: a JSON Schema
	err  error        // why it cannot be used
}

// lookup returns the writer schema of an id. A *consumer.PoisonError is about the record; with any other error the registry did
// not answer, and the record must wait.
func (w *writerSchemas) lookup(ctx context.Context, id schemaregistry.ID) (*writerSchema, error) {
	if w == nil {
		return nil, unknownFormatError(noRegistry)
	}
	if known, ok := w.loaded.Get(id); ok {
		return known, known.err
	}
	found, err := w.registry.Schema(ctx, id)
	switch {
	case errors.Is(err, schemaregistry.ErrUnknownSchema):
		return nil, &consumer.PoisonError{Stage: stageDecode, Reason: reasonUnknownSchema, Err: errors.New("the registry has not " + id.String())}
	case errors.Is(err, schemaregistry.ErrNotApicurio):
		return nil, unknownFormatError(err.Error())
	case err != nil:
		return nil, err
	}
	known := parseWriterSchema(found)
	w.loaded.Add(id, known)
	return known, known.err
}

func parseWriterSchema(found schemaregistry.WriterSchema) *writerSchema {
	switch {
	case found.Oversized:
		return &writerSchema{err: &consumer.PoisonError{
			Stage: stageDecode, Reason: scan.ReasonBadSchema, Err: errors.New("the schema is longer than 4 MiB"),
		}}
	case found.HasReferences:
		return &writerSchema{err: &consumer.PoisonError{
			Stage: stageDecode, Reason: scan.ReasonBadSchema,
			Err: errors.New("the schema refers to other schemas, which are not fetched: register it in one piece"),
		}}
	case found.Type == "JSON":
		return &writerSchema{}
	case found.Type != "AVRO":
		return &writerSchema{err: unknownFormatError("the value of a " + found.Type + " schema")}
	}
	s, err := avro.NewSchema(found.Text)
	return &writerSchema{avro: s, err: asPoisonError(err)}
}

// FlagCodec reads llm.incidents: JSON, or Avro by its first byte.
type FlagCodec struct{ writers *writerSchemas }

// NewFlagCodec reads Avro by the schemas of the registry, which may be nil.
func NewFlagCodec(r *schemaregistry.Client) FlagCodec { return FlagCodec{newWriterSchemas(r)} }

// Decode implements consumer.Codec.
func (c FlagCodec) Decode(ctx context.Context, r *consumer.Raw, dst []*schemas.Flag) ([]*schemas.Flag, error) {
	f := new(schemas.Flag)
	if err := c.read(ctx, r.Value, f); err != nil {
		return dst, err
	}
	if f.IncidentID == "" {
		return dst, &consumer.PoisonError{Stage: stageValidate, Reason: reasonNoIncident, Err: errors.New("the flag has no incident_id")}
	}
	return append(dst, f), nil
}

func (c FlagCodec) read(ctx context.Context, value []byte, f *schemas.Flag) error {
	if len(value) == 0 || value[0] != frameMagic {
		return asPoisonError(json.DecodeFlag(value, f))
	}
	id, body, err := prefixID(value)
	if err != nil {
		return err
	}
	w, err := c.writers.lookup(ctx, id)
	switch {
	case err != nil:
		return err
	case w.avro == nil:
		return asPoisonError(json.DecodeFlag(body, f))
	default:
		return asPoisonError(avro.DecodeFlag(w.avro, body, f))
	}
}

// Release implements consumer.Codec.
func (FlagCodec) Release(*schemas.Flag) {}

// NewFlagReader returns a function that decodes the value of a flag's record, JSON or Avro. It reads Avro by the schemas of
// the registry, which may be nil.
func NewFlagReader(r *schemaregistry.Client) func(ctx context.Context, value []byte, f *schemas.Flag) error {
	return NewFlagCodec(r).read
}

// FlagEncoder writes flags as Avro behind the id of the registered schema. A nil *FlagEncoder writes JSON.
type FlagEncoder struct {
	registry *schemaregistry.Client
	subject  string
	id       atomic.Uint32 // 0 until it is known
}

// NewFlagEncoder writes Avro by the schema that the registry holds for the topic.
func NewFlagEncoder(r *schemaregistry.Client, topic string) *FlagEncoder {
	return &FlagEncoder{registry: r, subject: schemaregistry.Subject(topic)}
}

// Prepare looks up the schema's id. The worker never registers schemas; `confab schema --register` does.
func (e *FlagEncoder) Prepare(ctx context.Context) (uint32, error) {
	if id := e.id.Load(); id != 0 {
		return id, nil
	}
	id, err := e.registry.Lookup(ctx, e.subject, schemas.FlagAvro())
	if errors.Is(err, schemaregistry.ErrUnknownSchema) {
		return 0, notRegisteredError("flags", e.subject, err)
	}
	e.id.Store(id)
	return id, err
}

func notRegisteredError(what, subject string, err error) error {
	return fmt.Errorf("the schema of %s is not registered under %s: run `confab schema --register`: %w", what, subject, err)
}

func (e *FlagEncoder) encode(ctx context.Context, f *schemas.Flag) ([]byte, error) {
	if e == nil {
		return json.AppendFlag(nil, f)
	}
	id, err := e.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	body, err := avro.AppendFlag(nil, f)
	if err != nil {
		return nil, err
	}
	return avro.Frame(make([]byte, 0, len(body)+5), id, body), nil
}

func (e *FlagEncoder) contentType() string {
	if e == nil {
		return "application/json"
	}
	return "application/avro"
}

// InteractionEncoder appends the encoded interaction to dst.
type InteractionEncoder func(dst []byte, in *schemas.Interaction) ([]byte, error)

// NewInteractionEncoder writes Avro behind the id under which the schema of interactions is registered for the topic.
func NewInteractionEncoder(ctx context.Context, r *schemaregistry.Client, topic string) (InteractionEncoder, error) {
	subject := schemaregistry.Subject(topic)
	id, err := r.Lookup(ctx, subject, schemas.InteractionAvro())
	if errors.Is(err, schemaregistry.ErrUnknownSchema) {
		return nil, notRegisteredError("interactions", subject, err)
	}
	if err != nil {
		return nil, err
	}
	return func(dst []byte, in *schemas.Interaction) ([]byte, error) {
		body, err := avro.AppendInteraction(nil, in)
		return avro.Frame(dst, id, body), err
	}, nil
}
