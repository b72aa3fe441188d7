package otlp

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"confab/schemas/json/scan"
)

// TestHostileRecordsCost: a record of one megabyte takes bounded memory, whatever its bytes stand for.
func TestHostileRecordsCost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	const size = 1 << 20
	wrap := func(num protowire.Number, parts ...string) string {
		return string(protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), []byte(strings.Join(parts, ""))))
	}
	fill := func(part string) string { return strings.Repeat(part, size/len(part)) }
	operation := wrap(9, wrap(1, "gen_ai.operation.name"), wrap(2, wrap(1, "chat")))
	attribute := func(value string) string { return wrap(9, wrap(1, "gen_ai.output.messages"), wrap(2, value)) }
	inSpan := func(parts ...string) string { return wrap(1, wrap(2, wrap(2, parts...))) }
	inJSON := func(spans string) string {
		return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + spans + `]}]}]}`
	}
	list := func(item string) string { return fill(item+",") + item }
	for name, tt := range map[string]struct {
		record string
		json   bool
		counts Counts
		reason string // of the record
	}{
		"resources":           {fill(wrap(1)), false, Counts{}, ""},
		"scopes":              {wrap(1, fill(wrap(2))), false, Counts{}, ""},
		"scopes with a span":  {wrap(1, fill(wrap(2, wrap(2)))), false, Counts{}, scan.ReasonTooMany},
		"spans":               {wrap(1, wrap(2, fill(wrap(2)))), false, Counts{}, scan.ReasonTooMany},
		"log records":         {wrap(1, wrap(2, fill(wrap(2, "\x12\x00")))), false, Counts{}, scan.ReasonTooMany},
		"attributes":          {inSpan(operation, fill(wrap(9))), false, Counts{}, scan.ReasonTooMany},
		"attributes with key": {inSpan(operation, fill(wrap(9, wrap(1, "llm.a")))), false, Counts{Rejects: 1}, ""},
		"flat attributes":     {inSpan(operation, fill(wrap(9, wrap(1, "llm.prompts.1.a"), wrap(2, "\x18\x01")))), false, Counts{Rejects: 1}, ""},
		"resource attributes": {wrap(1, wrap(1, fill(wrap(1))), wrap(2, wrap(2, operation))), false, Counts{}, scan.ReasonTooMany},
		"events":              {inSpan(operation, fill(wrap(11))), false, Counts{}, scan.ReasonTooMany},
		"links":               {inSpan(operation, fill(wrap(13))), false, Counts{}, scan.ReasonTooMany},
		"items of a list":     {inSpan(operation, attribute(wrap(5, fill(wrap(1))))), false, Counts{}, scan.ReasonTooMany},
		"lists in a list":     {inSpan(operation, attribute(wrap(5, fill(wrap(1, wrap(5)))))), false, Counts{}, scan.ReasonTooMany},
		"members of a map":    {inSpan(operation, attribute(wrap(6, fill(wrap(1))))), false, Counts{}, scan.ReasonTooMany},
		"a text":              {inSpan(operation, attribute(wrap(1, fill("x")))), false, Counts{Answer: 1}, ""},
		"numbers in JSON":     {inJSON(list("0")), true, Counts{}, scan.ReasonTooMany},
		"spans in JSON":       {inJSON(list("{}")), true, Counts{}, scan.ReasonTooMany},
		"attributes in JSON":  {inJSON(`{"attributes":[` + list(`{}`) + `]}`), true, Counts{Other: 1}, ""},
		"values in JSON":      {inJSON(`{"attributes":[{"key":"gen_ai.output.messages","value":{"arrayValue":{"values":[` + list(`{}`) + `]}}}]}`), true, Counts{Rejects: 1}, ""},
		"scopes in JSON":      {`{"resourceSpans":[{"scopeSpans":[` + list(`{}`) + `]}]}`, true, Counts{}, ""},
		"events in JSON":      {inJSON(`{"events":[` + list(`{}`) + `]}`), true, Counts{Other: 1}, ""},
		"members in JSON":     {inJSON(`{"attributes":[{"key":"x","value":{"kvlistValue":{"values":[` + list(`{"key":""}`) + `]}}}]}`), true, Counts{Other: 1}, ""},
		"lists in JSON":       {inJSON(`{"attributes":[{"key":"x","value":{"arrayValue":{"values":[` + list(`{"arrayValue":{}}`) + `]}}}]}`), true, Counts{Other: 1}, ""},
		"resources in JSON":   {`{"resourceSpans":[` + list(`{}`) + `]}`, true, Counts{}, ""},
		"unknown in JSON":     {inJSON(`{"x":[` + list(`0`) + `]}`), true, Counts{Other: 1}, ""},
		"a text in JSON":      {inJSON(`{"name":"` + fill("x") + `"}`), true, Counts{Other: 1}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDecoder(t, Options{JSON: tt.json, MaxBytes: 2 * size})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			counts, err := d.Decode([]byte(tt.record), &collected{})
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(96*size))
			require.Equal(t, tt.counts, counts)
			if tt.reason == "" {
				require.NoError(t, err)
				return
			}
			var fault *scan.Error
			require.ErrorAs(t, err, &fault)
			require.Equal(t, tt.reason, fault.Reason)
		})
	}
}
