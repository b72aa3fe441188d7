package records

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"confab/consumer"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/avro"
	"confab/schemas/json"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/scan"
)

// Stages and reasons of dead letters. The JSON and Avro decoders add their own reasons.
const (
	stageDecode   = "decode"
	stageValidate = "validate"

	reasonUnknownFormat    = "unknown_format"
	reasonTenantUnverified = "tenant_unverified"
	reasonNoIncident       = "missing_incident_id"
)

// payloadTenant is the attribute that keeps the payload's tenant when it is not used.
const payloadTenant = "payload_tenant"

// InteractionCodec decodes the interactions of all input topics. It decides the format of a value, the trusted tenant, and
// the id of an interaction that has none.
type InteractionCodec struct {
	inputs  map[string]*inputDecoder // by topic
	cluster string

	maxBytes int

	writers *writerSchemas
	metrics *Metrics // nil counts nothing
	pool    sync.Pool

	references References
}

// NewInteractionCodec makes the codec of the inputs. The cluster's id is part of the ids of interactions that have none.
func NewInteractionCodec(inputs []config.Input, cluster string, maxBytes int) *InteractionCodec {
	c := &InteractionCodec{
		inputs: make(map[string]*inputDecoder, len(inputs)), cluster: cluster, maxBytes: cmp.Or(maxBytes, json.DefaultMaxBytes),
		pool: sync.Pool{New: func() any { return new(schemas.Interaction) }},
	}
	for i := range inputs {
		c.inputs[inputs[i].Topic], _ = newInputDecoder(&inputs[i], maxBytes, maxBytes) // every value has the error
	}
	return c
}

// UseReferences makes the codec add the reference context to the sources of interactions.
func (c *InteractionCodec) UseReferences(r References) { c.references = r }

// UseRegistry makes the codec decode values behind Confluent's prefix; r may be nil.
func (c *InteractionCodec) UseRegistry(r *schemaregistry.Client) { c.writers = newWriterSchemas(r) }

// Count makes the codec count the records that the filter of their input leaves out, spans, and where sources are.
func (c *InteractionCodec) Count(m *Metrics) {
	c.metrics = m
	for topic, input := range c.inputs {
		m.createInput(topic, input.spans != nil)
	}
}

// Decode implements consumer.Codec. A record that the filter of its input leaves out has no interaction.
func (c *InteractionCodec) Decode(ctx context.Context, r *consumer.Raw, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	input := c.inputs[r.Topic]
	if input.spans != nil {
		return c.decodeSpans(input, r, dst)
	}
	in, err := c.decodeOne(ctx, input, r)
	if err != nil {
		parts, many := objectsOf(input, r, err)
		if len(parts) > 1 || len(parts) == 1 && !bytes.Equal(parts[0], bytes.TrimSpace(r.Value)) {
			return c.decodeParts(input, r, parts, dst)
		}
		err = cmp.Or(many, err)
		return dst, c.skip(r.Topic, err)
	}
	c.complete(in, schemas.Origin{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset})
	return append(dst, in), nil
}

// decodeOne decodes a record that holds one interaction.
func (c *InteractionCodec) decodeOne(ctx context.Context, input *inputDecoder, r *consumer.Raw) (*schemas.Interaction, error) {
	whole, err := assembled(r)
	if err != nil {
		return nil, err
	}
	in := c.pool.Get().(*schemas.Interaction)
	if err = c.decode(ctx, input, input.Format, whole, in); err == nil {
		if whole != r {
			in.Streamed, in.Record = true, whole.Value
		}
		input.finder.Fill(in)
		c.metrics.countPrompt(r.Topic, in)
		err = setTenant(in, input, r)
	}
	if err != nil {
		c.Release(in)
		return nil, err
	}
	return in, nil
}

// assembled returns the record, or the response in its place if it holds a whole stream: its events as text, as a list, or as a
// line of JSON for each.
func assembled(r *consumer.Raw) (*consumer.Raw, error) {
	if len(r.Value) == 0 || r.Value[0] == frameMagic || !llmapi.IsTranscript(r.Value) {
		return r, nil
	}
	whole := *r
	var err error
	if whole.Value, err = llmapi.Assemble(r.Value); err != nil {
		return nil, asPoisonError(err)
	}
	return &whole, nil
}

// complete sets an id where there is none, and adds the reference context of the tenant.
func (c *InteractionCodec) complete(in *schemas.Interaction, origin schemas.Origin) {
	if in.ID == "" {
		in.ID, in.IDSource = schemas.OffsetID(c.cluster, origin), schemas.IDSourceOffset
	}
	c.references.Add(in)
}

// skip returns err, or nil for a record that was left out.
func (c *InteractionCodec) skip(topic string, err error) error {
	if !errors.Is(err, json.ErrSkipped) {
		return err
	}
	c.metrics.countSkipped(topic)
	return nil
}

// Release implements consumer.Codec.
func (c *InteractionCodec) Release(in *schemas.Interaction) {
	in.Reset() // drop references to fetched bytes
	c.pool.Put(in)
}

// decode decodes the value by its format.
func (c *InteractionCodec) decode(ctx context.Context, input *inputDecoder, format string, r *consumer.Raw, in *schemas.Interaction) error {
	id, body, err := schemaID(format, r)
	if err != nil {
		return err
	}
	if id == (schemaregistry.ID{}) {
		return asPoisonError(input.values.Decode(body, in))
	}
	w, err := c.writers.lookup(ctx, id)
	mapped := len(input.Map)+len(input.Where) > 0
	switch {
	case err != nil:
		return err
	case w.avro == nil:
		return asPoisonError(input.values.Decode(body, in))
	case !mapped && w.avro.HoldsInteractions():
		return asPoisonError(w.avro.DecodeInteraction(body, in))
	}
	text, err := w.avro.AppendJSON(nil, body, avro.JSONOptions{MaxBytes: c.maxBytes, LowerCase: !mapped})
	if err == nil {
		err = input.values.Decode(text, in)
		in.Record = text
	}
	return asPoisonError(err)
}

func unknownFormatError(detail string) error {
	return &consumer.PoisonError{Stage: stageDecode, Reason: reasonUnknownFormat, Err: errors.New(detail)}
}

func asPoisonError(err error) error {
	if bad, ok := errors.AsType[*scan.Error](err); ok {
		return &consumer.PoisonError{Stage: stageDecode, Reason: bad.Reason, Err: err}
	}
	return err
}

// setTenant sets the tenant from the source that tenant_from names.
func setTenant(in *schemas.Interaction, input *inputDecoder, r *consumer.Raw) error {
	if input.TenantFrom != config.TenantHeader {
		assignTenant(in, &input.Input)
		return nil
	}
	value := lastHeader(r, input.TenantHeader)
	if value == "" {
		return missingTenant(&input.Input)
	}
	overrideTenant(in, value)
	return nil
}

func missingTenant(input *config.Input) error {
	return &consumer.PoisonError{
		Stage: stageValidate, Reason: reasonTenantUnverified,
		Err: errors.New("the record has no header " + input.TenantHeader),
	}
}

// assignTenant sets the tenant of an interaction without headers: the fixed one, else the payload's.
func assignTenant(in *schemas.Interaction, input *config.Input) {
	if input.TenantFrom == config.TenantFixed {
		overrideTenant(in, input.Tenant)
	} else if in.Tenant == "" {
		in.Tenant = schemas.DefaultTenant
	}
}

// overrideTenant sets the tenant. A different tenant of the payload is kept as an attribute.
func overrideTenant(in *schemas.Interaction, tenant string) {
	claimed := in.Tenant
	in.Tenant = tenant
	if claimed == "" || claimed == tenant {
		return
	}
	if in.Attributes == nil {
		in.Attributes = make(map[string]string, 1)
	}
	in.Attributes[payloadTenant] = claimed
}

func lastHeader(r *consumer.Raw, key string) string {
	for _, h := range slices.Backward(r.Headers) {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}
