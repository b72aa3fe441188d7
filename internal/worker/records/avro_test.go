package records

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/avro"
)

// fakeRegistry has the schemas of its map; other ids get the error.
type fakeRegistry struct {
	schemas map[uint32]schemaregistry.WriterSchema
	err     error
	asked   int
}

func (f *fakeRegistry) Schema(_ context.Context, id schemaregistry.ID) (schemaregistry.WriterSchema, error) {
	f.asked++
	if w, ok := f.schemas[id.Number]; ok {
		return w, nil
	}
	return schemaregistry.WriterSchema{}, f.err
}

const (
	currentID = 1
	olderID   = 2
	jsonID    = 3
	protoID   = 4
	refersID  = 5
	numberID  = 6
	otherID   = 7

	older = `{"type":"record","name":"I","fields":[{"name":"interaction_id","type":"string"},{"name":"answer","type":"string"}]}`
	other = `{"type":"record","name":"O","fields":[{"name":"x","type":"string"}]}`
)

func fakeSchemas() *fakeRegistry {
	return &fakeRegistry{err: errors.New("the registry is down"), schemas: map[uint32]schemaregistry.WriterSchema{
		currentID: {Type: "AVRO", Text: schemas.InteractionAvro()},
		olderID:   {Type: "AVRO", Text: older},
		jsonID:    {Type: "JSON", Text: `{}`},
		protoID:   {Type: "PROTOBUF", Text: `message M {}`},
		refersID:  {Type: "AVRO", Text: older, HasReferences: true},
		numberID:  {Type: "AVRO", Text: `"long"`},
		otherID:   {Type: "AVRO", Text: other},
	}}
}

func avroCodec(r schemaSource, format string) *InteractionCodec {
	c := NewInteractionCodec([]config.Input{{Topic: "in", Format: format, TenantFrom: config.TenantPayload}}, "cluster", 1<<20)
	c.writers = cacheSchemas(r)
	return c
}

func framedValue(id uint32, body string) []byte { return avro.Frame(nil, id, []byte(body)) }

func TestCodecReadsFramedValues(t *testing.T) {
	in := &schemas.Interaction{ID: "i-1", Tenant: "acme", Answer: "yes", Temperature: schemas.UnknownTemperature}
	current, err := avro.AppendInteraction(nil, in)
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		format string
		value  []byte
	}{
		"our schema":            {config.FormatAuto, framedValue(currentID, string(current))},
		"our schema, by format": {config.FormatAvro, framedValue(currentID, string(current))},
		"a schema of fewer":     {config.FormatAuto, framedValue(olderID, "\x06i-1\x06yes")},
		"JSON Schema":           {config.FormatAuto, framedValue(jsonID, plainInteraction)},
		"JSON":                  {config.FormatAuto, []byte(plainInteraction)},
	} {
		t.Run(name, func(t *testing.T) {
			r := fakeSchemas()
			c := avroCodec(r, tt.format)
			for range 2 {
				got, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: tt.value}, nil)
				require.NoError(t, err)
				require.Len(t, got, 1)
				require.Equal(t, "i-1", got[0].ID)
				require.Equal(t, "yes", got[0].Answer)
			}
			require.LessOrEqual(t, r.asked, 1, "a schema is loaded once")
		})
	}
}

func TestCodecRejectsFramedValues(t *testing.T) {
	for name, tt := range map[string]struct {
		format string
		value  []byte
		reason string
	}{
		"no id":               {config.FormatAuto, []byte("\x00\x00\x00"), "bad_frame"},
		"id 0":                {config.FormatAuto, framedValue(0, "x"), "bad_frame"},
		"negative id":         {config.FormatAuto, framedValue(1<<31, "x"), "bad_frame"},
		"no Avro record":      {config.FormatAuto, framedValue(numberID, "\x02"), "bad_schema"},
		"refers to others":    {config.FormatAuto, framedValue(refersID, "\x06i-1\x06yes"), "bad_schema"},
		"Protobuf":            {config.FormatAuto, framedValue(protoID, "x"), "unknown_format"},
		"no interaction":      {config.FormatAuto, framedValue(otherID, "\x02x"), "missing_answer"},
		"trailing bytes":      {config.FormatAuto, framedValue(olderID, "\x06i-1\x06yes!"), "trailing_bytes"},
		"cut":                 {config.FormatAuto, framedValue(olderID, "\x06i-1\x06y"), "syntax"},
		"JSON that is broken": {config.FormatAuto, framedValue(jsonID, "{"), "syntax"},
		"JSON where Avro is":  {config.FormatAvro, []byte(plainInteraction), "unknown_format"},
		"framed, JSON wanted": {config.FormatJSON, framedValue(currentID, "x"), "syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			c := avroCodec(fakeSchemas(), tt.format)
			for range 2 { // the second time from what is remembered
				got, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: tt.value}, nil)
				require.Empty(t, got)
				var bad *consumer.PoisonError
				require.ErrorAs(t, err, &bad)
				require.Equal(t, "decode", bad.Stage)
				require.Equal(t, tt.reason, bad.Reason)
			}
		})
	}
}

// TestCodecSeparatesRecordAndRegistryErrors: the kind of error decides between a dead letter and a partition that waits.
func TestCodecSeparatesRecordAndRegistryErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		err    error
		poison bool
	}{
		"unknown id":     {schemaregistry.ErrUnknownSchema, true},
		"not yet":        {&schemaregistry.PendingError{ID: schemaregistry.ID{Number: 99}}, false},
		"registry down":  {errors.New("status 503"), false},
		"told to stop":   {context.Canceled, false},
		"it is too slow": {context.DeadlineExceeded, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := fakeSchemas()
			r.err = tt.err
			_, err := avroCodec(r, config.FormatAuto).Decode(t.Context(), &consumer.Raw{Topic: "in", Value: framedValue(99, "x")}, nil)
			flagErr := FlagCodec{cacheSchemas(r)}.read(t.Context(), framedValue(99, "x"), new(schemas.Flag))
			for _, err := range []error{err, flagErr} {
				var bad *consumer.PoisonError
				require.Equal(t, tt.poison, errors.As(err, &bad))
				if tt.poison {
					require.Equal(t, "unknown_schema", bad.Reason)
				} else {
					require.ErrorIs(t, err, tt.err)
				}
			}
		})
	}
}

func TestFlagCodecReadsAvroAndJSON(t *testing.T) {
	f := &schemas.Flag{
		IncidentID: "abc", Pass: schemas.PassFast, InteractionID: "i-1", Tenant: "acme", Recommendation: schemas.Recommend,
		DetectedAt: time.Unix(1_800_000_000, 0).UTC(), Fired: []string{"citation"},
		Signals: []schemas.Signal{{Detector: "citation", Outcome: schemas.Fired, Score: 0.5}},
	}
	body, err := avro.AppendFlag(nil, f)
	require.NoError(t, err)
	asJSON, err := (*FlagEncoder)(nil).encode(t.Context(), f)
	require.NoError(t, err)
	c := FlagCodec{cacheSchemas(&fakeRegistry{schemas: map[uint32]schemaregistry.WriterSchema{9: {Type: "AVRO", Text: schemas.FlagAvro()}}})}
	for name, value := range map[string][]byte{"avro": framedValue(9, string(body)), "json": asJSON} {
		got, err := c.Decode(t.Context(), &consumer.Raw{Value: value}, nil)
		require.NoError(t, err, name)
		require.Len(t, got, 1)
		require.Equal(t, "abc", got[0].IncidentID, name)
		require.Equal(t, []string{"citation"}, got[0].Fired, name)
		require.InDelta(t, 0.5, got[0].Signals[0].Score, 0, name)
	}
	_, err = FlagCodec{}.Decode(t.Context(), &consumer.Raw{Value: framedValue(9, string(body))}, nil)
	require.ErrorContains(t, err, "schema_registry.url is not set")
}
