package records

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"confab/consumer"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/promptsources"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/scan"
	"confab/schemas/otlp"
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
	inputs  map[string]config.Input
	cluster string
	readers map[string]valueDecoder // of JSON, by topic
	finders map[string]*promptsources.Finder
	spans   map[string]*otlp.Decoder // of OTLP, by topic
	writers *writerSchemas
	metrics *Metrics // nil counts nothing
	pool    sync.Pool

	references References
}

// NewInteractionCodec makes the codec of the inputs. The cluster's id is part of the ids of interactions that have none.
func NewInteractionCodec(inputs []config.Input, cluster string, maxBytes int) *InteractionCodec {
	c := &InteractionCodec{
		inputs:  make(map[string]config.Input, len(inputs)),
		cluster: cluster,
		readers: newValueDecoders(inputs, json.Options{MaxBytes: maxBytes}),
		finders: make(map[string]*promptsources.Finder, len(inputs)),
		spans:   newSpanDecoders(inputs, maxBytes),
		pool:    sync.Pool{New: func() any { return new(schemas.Interaction) }},
	}
	for _, in := range inputs {
		c.inputs[in.Topic] = in
		finder, err := in.SourceFinder()
		if c.finders[in.Topic] = finder; err != nil { // the configuration has checked it
			c.readers[in.Topic] = failingDecoder{err}
		}
	}
	return c
}

// UseReferences makes the codec add the reference context to the sources of interactions.
func (c *InteractionCodec) UseReferences(r References) { c.references = r }

// UseRegistry makes the codec decode values behind Confluent's prefix; r may be nil.
func (c *InteractionCodec) UseRegistry(r *schemaregistry.Client) { c.writers = newWriterSchemas(r) }

// CountSkipped makes the codec count the records that the filter of their input leaves out.
func (c *InteractionCodec) CountSkipped(m *Metrics) {
	c.metrics = m
	m.skips = make(map[string]*atomic.Uint64, len(c.inputs))
	for topic := range c.inputs {
		m.skipped.WithLabelValues(topic) // exists from the start
		m.skips[topic] = &atomic.Uint64{}
		m.createPromptSeries(topic)
		if c.spans[topic] != nil {
			m.createSpanSeries(topic)
		}
	}
}

// Skipped is the number of records of the topic that were left out, once a codec counts them.
func (m *Metrics) Skipped(topic string) uint64 {
	if n := m.skips[topic]; n != nil {
		return n.Load()
	}
	return 0
}

// Decode implements consumer.Codec. A record that the filter of its input leaves out has no interaction.
func (c *InteractionCodec) Decode(ctx context.Context, r *consumer.Raw, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	if d := c.spans[r.Topic]; d != nil {
		return c.decodeSpans(d, r, dst)
	}
	input := c.inputs[r.Topic]
	in := c.pool.Get().(*schemas.Interaction)
	if err := c.read(ctx, input.Format, r, in); err != nil {
		c.Release(in)
		return dst, c.skip(r.Topic, err)
	}
	if err := setTenant(in, input, r); err != nil {
		c.Release(in)
		return dst, err
	}
	if in.ID == "" {
		in.ID = schemas.OffsetID(c.cluster, schemas.Origin{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset})
		in.IDSource = schemas.IDSourceOffset
	}
	c.references.Add(in)
	return append(dst, in), nil
}

// skip returns err, or nil for a record that was left out.
func (c *InteractionCodec) skip(topic string, err error) error {
	if !errors.Is(err, json.ErrSkipped) {
		return err
	}
	c.countSkipped(topic)
	return nil
}

// countSkipped counts a record without interactions.
func (c *InteractionCodec) countSkipped(topic string) {
	if c.metrics == nil {
		return
	}
	c.metrics.skipped.WithLabelValues(topic).Inc()
	if n := c.metrics.skips[topic]; n != nil {
		n.Add(1)
	}
}

// Release implements consumer.Codec.
func (c *InteractionCodec) Release(in *schemas.Interaction) {
	in.Reset() // drop references to fetched bytes
	c.pool.Put(in)
}

// read decodes the value by its format and decides where its sources are.
func (c *InteractionCodec) read(ctx context.Context, format string, r *consumer.Raw, in *schemas.Interaction) error {
	if err := c.decode(ctx, format, r, in); err != nil {
		return err
	}
	c.finders[r.Topic].Fill(in)
	c.metrics.countPrompt(r.Topic, in)
	return nil
}

func (c *InteractionCodec) decode(ctx context.Context, format string, r *consumer.Raw, in *schemas.Interaction) error {
	framed, err := isFramed(format, r)
	if err != nil {
		return err
	}
	value := r.Value
	if framed {
		w, body, err := c.writers.lookup(ctx, value)
		if err != nil {
			return err
		}
		if w.avro != nil {
			return asPoisonError(w.avro.DecodeInteraction(body, in))
		}
		value = body
	}
	return asPoisonError(c.readers[r.Topic].Decode(value, in))
}

// isFramed reports by the first bytes whether a value has Confluent's prefix or is JSON. The error describes a value that
// is neither.
func isFramed(format string, r *consumer.Raw) (bool, error) {
	if format == config.FormatJSON {
		return false, nil
	}
	for i := range r.Headers {
		if r.Headers[i].Key == "__value_schema_id" {
			return false, unknownFormatError("a schema id in the header __value_schema_id, which this version does not read: write it in front of the value")
		}
		if strings.HasPrefix(r.Headers[i].Key, apicurioHeader) {
			return false, unknownFormatError("a schema id of Apicurio in the header " + apicurioHeader +
				"*, which this version does not read: set apicurio.registry.headers.enabled: false, and an id-handler of 4 bytes")
		}
	}
	switch trimmed := bytes.TrimLeft(r.Value, " \t\r\n"); {
	case len(r.Value) > 0 && r.Value[0] == frameMagic:
		return true, nil
	case bytes.HasPrefix(r.Value, []byte{0xC3, 0x01}):
		return false, unknownFormatError("single-object Avro, which this version does not read")
	case format == config.FormatAvro:
		return false, unknownFormatError("no schema id in front of the value")
	case len(trimmed) == 0 || trimmed[0] != '{':
		return false, unknownFormatError("the value is not a JSON object")
	}
	return false, nil
}

// apicurioHeader begins the names of headers in which Apicurio's serializers write the schema's id.
const apicurioHeader = "apicurio.value."

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
func setTenant(in *schemas.Interaction, input config.Input, r *consumer.Raw) error {
	if input.TenantFrom != config.TenantHeader {
		assignTenant(in, &input)
		return nil
	}
	value := lastHeader(r, input.TenantHeader)
	if value == "" {
		return missingTenant(&input)
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
