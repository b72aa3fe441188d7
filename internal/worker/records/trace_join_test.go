package records

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/consumer/hold"
	"confab/internal/worker/config"
)

func TestTraceOfKey(t *testing.T) {
	const id = "5b8efff798038103d269b633813fc60c"
	want := hold.Key{0x5b, 0x8e, 0xff, 0xf7, 0x98, 0x03, 0x81, 0x03, 0xd2, 0x69, 0xb6, 0x33, 0x81, 0x3f, 0xc6, 0x0c}
	for name, tt := range map[string]struct {
		key   string
		keyed bool
	}{
		"hexadecimal": {id, true}, "upper case": {strings.ToUpper(id), true}, "bytes": {string(want[:]), true},
		"none": {"", false}, "another length": {id[1:], false}, "another text": {strings.Repeat("x", 32), false},
		"zero": {strings.Repeat("0", 32), false},
	} {
		t.Run(name, func(t *testing.T) {
			key, keyed := traceOfKey([]byte(tt.key))
			require.Equal(t, tt.keyed, keyed)
			if keyed {
				require.Equal(t, want, key)
			}
		})
	}
}

// Only a record whose key is the trace of its answer waits.
func TestRecordsOfOtherKeys(t *testing.T) {
	const record = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"00000000000000a3",
		"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
		{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"Yes.\"}]}]"}}]}]}]}]}`
	in := config.DefaultInput("spans")
	in.Format, in.JoinWait = config.FormatOTLPJSON, 10*time.Second
	for key, why := range map[string]string{
		"": "not_keyed", "acme": "not_keyed", "a tenant of 16 b": "not_keyed", strings.Repeat("a", 32): "not_keyed",
		"5b8efff798038103d269b633813fc60c": "",
	} {
		codec := NewInteractionCodec([]config.Input{in}, "c", 1<<20).Split("spans")
		raw := &consumer.Raw{Topic: "spans", Key: []byte(key), Value: []byte(record), Turn: hold.Turn{Open: true}}
		found, err := codec.Decode(t.Context(), raw, nil)
		require.NoError(t, err)
		if why == "" {
			require.Empty(t, found)
			require.Equal(t, hold.WaitForKey, raw.Turn.Ask)
			continue
		}
		require.Len(t, found, 1, key)
		require.Equal(t, why, found[0].NoSources, key)
		require.Equal(t, hold.ProcessNow, raw.Turn.Ask, key)
	}
}
