package hostile_test

import (
	"bytes"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/internal/hostile"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

// TestKinds checks the corpus: enough kinds and records, unique names, equal records for equal arguments, sizes near those
// requested.
func TestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	kinds := hostile.Kinds()
	require.GreaterOrEqual(t, len(kinds), 60)
	require.GreaterOrEqual(t, len(kinds)*len(kinds[0].Sizes())*3, 1000, "three seeds")
	seen := map[string]bool{}
	for _, k := range kinds {
		t.Run(k.Name, func(t *testing.T) {
			require.False(t, seen[k.Name], "two kinds of one name")
			seen[k.Name] = true
			found, ok := hostile.Find(k.Name)
			require.True(t, ok)
			require.Equal(t, k.Name, found.Name)
			r := k.Record(k.Full/16, 1)
			again := k.Record(k.Full/16, 1)
			require.True(t, bytes.Equal(recordValue(t, &r), recordValue(t, &again)), "equal arguments give equal records")
			require.Equal(t, r.Headers, again.Headers)
			in := &r.Interaction
			require.True(t, utf8.ValidString(in.Answer) && utf8.ValidString(in.ResponseSchema))
			size := len(r.Raw) + len(in.Answer) + len(in.ResponseSchema)
			for i := range in.Sources {
				require.True(t, utf8.ValidString(in.Sources[i].Text))
				size += len(in.Sources[i].Text)
			}
			require.LessOrEqual(t, size, max(k.Full/2+100_000, hostile.TextCap)+hostile.SchemaCap, "for a sixteenth of %d", k.Full)
		})
	}
	_, ok := hostile.Find("nothing of this name")
	require.False(t, ok)
}

// TestRecordsDecode compares the decoder's result with the one that each kind expects.
func TestRecordsDecode(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	decoder := json.NewDecoder(json.Options{})
	for _, k := range hostile.Kinds() {
		requireDecoding(t, decoder, k.Record(k.Full/4, 0))
		requireDecoding(t, decoder, k.Record(2*k.Full, 0))
	}
}

func requireDecoding(t *testing.T, decoder *json.Decoder, r hostile.Record) {
	t.Helper()
	raw := recordValue(t, &r)
	want := r.Refused
	if len(raw) > hostile.ValueCap {
		want = scan.ReasonTooLarge
	}
	got := ""
	var in schemas.Interaction
	if refused, is := errors.AsType[*scan.Error](decoder.Decode(raw, &in)); is {
		got = refused.Reason
	}
	assert.Equal(t, want, got, "%s at %d", r.Kind, r.Size)
}

func recordValue(t *testing.T, r *hostile.Record) []byte {
	t.Helper()
	if r.Raw != nil {
		return r.Raw
	}
	raw, err := json.AppendInteraction(nil, &r.Interaction)
	require.NoError(t, err, r.Kind)
	return raw
}
