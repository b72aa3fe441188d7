package otlp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json/scan"
)

// Spans of Jaeger and Zipkin in JSON are read as those of OTLP.
func TestOtherTracers(t *testing.T) {
	answer := quote(quoteMessage("assistant", exampleAnswer))
	zipkin := `{"traceId":"a1","id":"b2","parentId":"b1","name":"chat m","kind":"CLIENT","timestamp":5000000,"duration":1000000,"localEndpoint":{"serviceName":"desk"},"tags":{"gen_ai.operation.name":"chat","gen_ai.output.messages":` + answer + `}}`
	jaeger := `{"traceID":"a1","spanID":"b2","operationName":"chat m","references":[{"refType":"CHILD_OF","traceID":"a1","spanID":"b1"}],"startTime":5000000,"duration":1000000,"processID":"p1","tags":[{"key":"span.kind","type":"string","value":"client"},{"key":"gen_ai.operation.name","type":"string","value":"chat"}],"logs":[{"timestamp":1,"fields":[{"key":"event","value":"gen_ai.choice"},{"key":"message","value":` + answer + `}]}]}`
	for name, record := range map[string]string{
		"a span of Zipkin": zipkin, "spans of Zipkin": "[" + zipkin + "]",
		"traces of Jaeger": `{"data":[{"traceID":"a1","spans":[` + jaeger + `],"processes":{"p1":{"serviceName":"desk","tags":[]}}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var c collected
			counts, err := newDecoder(t, Options{JSON: true, Where: map[string][]string{"/kind": {"client"}, "/resource/attributes/service.name": {"desk"}}}).Decode([]byte(record), &c)
			require.NoError(t, err)
			require.Equal(t, Counts{Answer: 1}, counts)
			in := c.found[0]
			require.Equal(t, exampleAnswer, in.Answer)
			require.Equal(t, "000000000000000000000000000000a1-00000000000000b2", in.ID)
			require.Equal(t, int64(6), in.OccurredAt.Unix())
			require.Empty(t, in.Malformed)
		})
	}
}

// Odd values of such spans cost only themselves, and a span that cannot be read is a dead letter that is read again.
func TestOddSpansOfOtherTracers(t *testing.T) {
	cut := `{"traceId":7,"tags":{"gen_ai.operation.name":"chat","gen_ai.output.messages":"[{\"role\":\"assi"}}`
	var c collected
	d := newDecoder(t, Options{JSON: true})
	counts, err := d.Decode([]byte(`[{"traceId":"x","id":{},"timestamp":"soon","duration":-1,"tags":[7,{"key":"a","value":{}}],"logs":[7]},`+cut+`]`), &c)
	require.NoError(t, err)
	require.Equal(t, Counts{Rejects: 1, Other: 1}, counts)
	require.JSONEq(t, cut, string(c.rejected[0].Value))
	require.Equal(t, ReasonBadAnswer, c.rejected[0].Err.Reason)
	counts, err = d.Decode(c.rejected[0].Value, &collected{})
	require.NoError(t, err)
	require.Equal(t, Counts{Rejects: 1}, counts)
	for _, record := range []string{`{"data":[]}`, `{"data":[{"spans":7}]}`, `[7]`, `[]`, `{"traceId":"a"}`} {
		_, err = d.Decode([]byte(record), &collected{})
		require.ErrorAs(t, err, new(*scan.Error), record)
	}
}
