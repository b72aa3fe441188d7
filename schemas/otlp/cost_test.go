package otlp

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// TestHostileRecordsCost: a record of one megabyte takes bounded memory, whatever its bytes stand for.
func TestHostileRecordsCost(t *testing.T) {
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
	}{
		"resources":           {fill(wrap(1)), false},
		"scopes":              {wrap(1, fill(wrap(2))), false},
		"scopes with a span":  {wrap(1, fill(wrap(2, wrap(2)))), false},
		"spans":               {wrap(1, wrap(2, fill(wrap(2)))), false},
		"log records":         {wrap(1, wrap(2, fill(wrap(2, "\x12\x00")))), false},
		"attributes":          {inSpan(operation, fill(wrap(9))), false},
		"attributes with key": {inSpan(operation, fill(wrap(9, wrap(1, "llm.a")))), false},
		"flat attributes":     {inSpan(operation, fill(wrap(9, wrap(1, "llm.prompts.1.a"), wrap(2, "\x18\x01")))), false},
		"resource attributes": {wrap(1, wrap(1, fill(wrap(1))), wrap(2, wrap(2, operation))), false},
		"events":              {inSpan(operation, fill(wrap(11))), false},
		"links":               {inSpan(operation, fill(wrap(13))), false},
		"items of a list":     {inSpan(operation, attribute(wrap(5, fill(wrap(1))))), false},
		"lists in a list":     {inSpan(operation, attribute(wrap(5, fill(wrap(1, wrap(5)))))), false},
		"members of a map":    {inSpan(operation, attribute(wrap(6, fill(wrap(1))))), false},
		"a text":              {inSpan(operation, attribute(wrap(1, fill("x")))), false},
		"numbers in JSON":     {inJSON(list("0")), true},
		"spans in JSON":       {inJSON(list("{}")), true},
		"attributes in JSON":  {inJSON(`{"attributes":[` + list(`{}`) + `]}`), true},
		"values in JSON":      {inJSON(`{"attributes":[{"key":"gen_ai.output.messages","value":{"arrayValue":{"values":[` + list(`{}`) + `]}}}]}`), true},
		"resources in JSON":   {`{"resourceSpans":[` + list(`{}`) + `]}`, true},
		"unknown in JSON":     {inJSON(`{"x":[` + list(`0`) + `]}`), true},
		"a text in JSON":      {inJSON(`{"name":"` + fill("x") + `"}`), true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDecoder(t, Options{JSON: tt.json, MaxBytes: 2 * size})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := d.Decode([]byte(tt.record), &collected{})
			runtime.ReadMemStats(&after)
			t.Logf("%.1f MiB %v", float64(after.TotalAlloc-before.TotalAlloc)/size, err)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(96*size))
		})
	}
}
