package otlp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

const (
	goodResource = `{"attributes":[{"key":"service.name","value":{"stringValue":"desk"}}]}`
	goodStart    = `"traceId":"000000000000000000000000000000a1","spanId":"00000000000000a1","kind":3,"endTimeUnixNano":"5000000000",`
	goodAnswer   = `{"key":"gen_ai.completion","value":{"stringValue":"yes"}}`
	goodSpan     = `{` + goodStart + `"attributes":[` + goodAnswer + `]}`
)

// jsonRecord is a record of spans with a resource.
func jsonRecord(resource, spans string) string {
	return `{"resourceSpans":[{"resource":` + resource + `,"scopeSpans":[{"spans":[` + spans + `]}]}]}`
}

// A part of a resource that cannot be read costs only itself.
func TestOddResourcesInJSON(t *testing.T) {
	attribute := func(odd string) string { return strings.Replace(goodResource, `[`, `[`+odd+`,`, 1) }
	value := func(odd string) string { return attribute(`{"key":"x","value":` + odd + `}`) }
	for name, resource := range map[string]string{
		"a fraction for a whole number":   value(`{"intValue":1.5}`),
		"a number that is too large":      value(`{"intValue":"99999999999999999999"}`),
		"words for a truth value":         value(`{"boolValue":"maybe"}`),
		"half a surrogate":                value(`{"stringValue":"\ud800"}`),
		"an object for a text":            value(`{"stringValue":{}}`),
		"a value of two types":            value(`{"stringValue":"a","intValue":1}`),
		"plain JSON":                      value(`["a"]`),
		"no object":                       attribute(`7`),
		"null":                            attribute(`null`),
		"a number as key":                 attribute(`{"key":7,"value":{"stringValue":"a"}}`),
		"a negative count of drops":       `{"droppedAttributesCount":-1,` + goodResource[1:],
		"entity references of no meaning": `{"entityRefs":7,` + goodResource[1:],
	} {
		t.Run(name, func(t *testing.T) {
			var c collected
			o := Options{JSON: true, Where: map[string][]string{"/resource/attributes/service.name": {"desk"}}}
			counts, err := newDecoder(t, o).Decode([]byte(jsonRecord(resource, goodSpan)), &c)
			require.NoError(t, err)
			require.Equal(t, Counts{Answer: 1}, counts)
			require.Equal(t, "desk", c.found[0].Service)
		})
	}
	late := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + goodSpan + `],"scope":{"name":"lib"}}],"resource":` + goodResource + `}]}`
	var c collected
	_, err := newDecoder(t, Options{JSON: true}).Decode([]byte(late), &c)
	require.NoError(t, err)
	require.Equal(t, "desk", c.found[0].Service, "it may follow its spans")
}

// A part of a span that cannot be read costs only its field. Parts that are not used may hold anything.
func TestOddSpansInJSON(t *testing.T) {
	value := func(key, odd string) string {
		return `"attributes":[{"key":"` + key + `","value":` + odd + `},` + goodAnswer + `]`
	}
	members := func(odd string) string { return odd + `,"attributes":[` + goodAnswer + `]` }
	temperature := func(odd string) string { return value("gen_ai.request.temperature", odd) }
	model := func(odd string) string { return value("gen_ai.request.model", odd) }
	for name, tt := range map[string]struct {
		members   string
		malformed []string
		check     func(t *testing.T, in *schemas.Interaction)
	}{
		"half a surrogate": {model(`{"stringValue":"a\udc00"}`), nil, func(t *testing.T, in *schemas.Interaction) {
			require.Equal(t, "a\ufffd", in.Model)
			require.True(t, in.Repaired)
		}},
		"a short id":                    {members(`"traceId":"0af76"`), []string{"trace_id"}, nil},
		"an id in base64":               {members(`"traceId":"CvdlGRbNQ92ESOshHIAxnA=="`), []string{"trace_id"}, nil},
		"an id of other characters":     {members(`"spanId":"not-an-id-at-all"`), []string{"trace_id"}, nil},
		"a parent of another length":    {members(`"parentSpanId":"0"`), []string{"trace_id"}, nil},
		"an empty parent":               {members(`"parentSpanId":""`), nil, nil},
		"ids that are null":             {members(`"traceId":null,"spanId":null`), nil, nil},
		"an empty time":                 {members(`"startTimeUnixNano":""`), nil, nil},
		"a time with an exponent":       {members(`"endTimeUnixNano":5e9`), nil, func(t *testing.T, in *schemas.Interaction) { require.Equal(t, int64(5), in.OccurredAt.Unix()) }},
		"the latest time":               {members(`"endTimeUnixNano":"18446744073709551615"`), nil, nil},
		"a kind of no name":             {members(`"kind":"WHAT"`), nil, nil},
		"a kind that is true":           {members(`"kind":true`), nil, nil},
		"a status that is null":         {members(`"status":null`), nil, nil},
		"a status of two":               {members(`"status":[2]`), nil, nil},
		"a fraction for a whole number": {temperature(`{"intValue":0.5}`), nil, func(t *testing.T, in *schemas.Interaction) { require.InDelta(t, 0.5, in.Temperature, 0) }},
		"digits for a number":           {temperature(`{"doubleValue":"0.5"}`), nil, func(t *testing.T, in *schemas.Interaction) { require.InDelta(t, 0.5, in.Temperature, 0) }},
		"no number":                     {temperature(`{"doubleValue":"NaN"}`), []string{"temperature"}, nil},
		"a number beyond all":           {temperature(`{"doubleValue":1e999}`), []string{"temperature"}, nil},
		"a truth value":                 {value("llm.is_streaming", `{"boolValue":"true"}`), nil, func(t *testing.T, in *schemas.Interaction) { require.True(t, in.Streamed) }},
		"a number that is too large":    {model(`{"intValue":"99999999999999999999"}`), nil, func(t *testing.T, in *schemas.Interaction) { require.Equal(t, "99999999999999999999", in.Model) }},
		"a number for a text":           {model(`{"stringValue":7}`), nil, func(t *testing.T, in *schemas.Interaction) { require.Equal(t, "7", in.Model) }},
		"an object for a text":          {model(`{"stringValue":{}}`), []string{"model"}, nil},
		"a list for a number":           {model(`{"intValue":[]}`), []string{"model"}, nil},
		"bytes":                         {model(`{"bytesValue":"YQ=="}`), []string{"model"}, nil},
		"broken bytes":                  {model(`{"bytesValue":"!"}`), []string{"model"}, nil},
		"the last of two types":         {model(`{"intValue":1,"stringValue":"m"}`), nil, func(t *testing.T, in *schemas.Interaction) { require.Equal(t, "m", in.Model) }},
		"names with underscores":        {model(`{"string_value":"m"}`), nil, func(t *testing.T, in *schemas.Interaction) { require.Equal(t, "m", in.Model) }},
		"a type of a later version":     {model(`{"stringValueStrindex":7}`), nil, func(t *testing.T, in *schemas.Interaction) { require.Empty(t, in.Model) }},
		"null for a value":              {model(`null`), nil, nil},
		"null for a list":               {model(`{"arrayValue":null}`), []string{"model"}, nil},
		"attributes of no meaning":      {`"attributes":[null,7,"x",{},{"key":7},` + goodAnswer + `]`, nil, nil},
		"a list of plain JSON":          {value("tag.tags", `{"arrayValue":{"values":["a",{"stringValue":"b"}]}}`), nil, func(t *testing.T, in *schemas.Interaction) { require.Equal(t, []string{"a", "b"}, in.Tags) }},
		"events of no meaning":          {members(`"events":[null,7,{"name":7},{"attributes":7}]`), nil, nil},
		"no list of events":             {members(`"events":{}`), nil, nil},
		"unused parts":                  {members(`"flags":-1,"droppedAttributesCount":"x","droppedEventsCount":{},"traceState":5,"links":[{"traceId":"zz!"}],"new":[{}]`), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			odd := `{` + dropRepeated(goodStart, tt.members) + tt.members + `}`
			var c collected
			counts, err := newDecoder(t, Options{JSON: true}).Decode([]byte(jsonRecord(goodResource, odd)), &c)
			require.NoError(t, err)
			require.Equal(t, Counts{Answer: 1}, counts)
			require.Equal(t, "yes", c.found[0].Answer)
			require.Equal(t, tt.malformed, c.found[0].Malformed)
			if tt.check != nil {
				tt.check(t, c.found[0])
			}
		})
	}
}

// dropRepeated leaves out members of which there are others.
func dropRepeated(members, others string) (out string) {
	for member := range strings.SplitSeq(strings.TrimSuffix(members, ","), ",") {
		if name, _, _ := strings.Cut(member, ":"); !strings.Contains(others, name+":") {
			out += member + ","
		}
	}
	return out
}

// A surrogate that was replaced marks the answer of its span, not those beside it.
func TestRepairedSpan(t *testing.T) {
	other := strings.NewReplacer("a1", "a2", "yes", `no\ud800`).Replace(goodSpan)
	var c collected
	counts, err := newDecoder(t, Options{JSON: true}).Decode([]byte(jsonRecord(goodResource, goodSpan+","+other)), &c)
	require.NoError(t, err)
	require.Equal(t, Counts{Answer: 2}, counts)
	require.False(t, c.found[0].Repaired)
	require.True(t, c.found[1].Repaired)
	require.Equal(t, "no\ufffd", c.found[1].Answer)
}

// A member of a wrong type that tells what a span is, is its span's fault: the error names it and its place.
func TestWrongTypeInJSON(t *testing.T) {
	for bad, field := range map[string]string{
		`{"spanId":@7}`: "spanId", `{"trace_id":@{}}`: "traceId", `{"parentSpanId":@[]}`: "parentSpanId", `{"name":@{}}`: "name",
		`{"kind":@1.5}`: "kind", `{"status":{"code":@1.5}}`: "status", `{"endTimeUnixNano":@true}`: "endTimeUnixNano",
		`{"startTimeUnixNano":@"noon"}`: "startTimeUnixNano", `{"startTimeUnixNano":@-1}`: "startTimeUnixNano",
		`{"observedTimeUnixNano":@1.5}`: "observedTimeUnixNano", `@7`: "", `@"x"`: "", `@null`: "",
	} {
		t.Run(bad, func(t *testing.T) {
			record := jsonRecord(goodResource, goodSpan+","+bad)
			at := strings.IndexByte(record, '@')
			var c collected
			counts, err := newDecoder(t, Options{JSON: true}).Decode([]byte(strings.Replace(record, "@", "", 1)), &c)
			require.NoError(t, err)
			require.Equal(t, Counts{Answer: 1, Rejects: 1}, counts)
			fault := c.rejected[0].Err
			require.Equal(t, scan.ReasonWrongType, fault.Reason)
			require.Equal(t, field, fault.Field)
			require.Equal(t, at, fault.Offset)
			require.JSONEq(t, jsonRecord(goodResource, strings.Replace(bad, "@", "", 1)), string(c.rejected[0].Value))
		})
	}
}

// A record that is no OTLP around its spans is refused as a whole, with the place of its fault: it would be lost as an empty
// one, or spans would.
func TestRefusedRecordsInJSON(t *testing.T) {
	spans := `[{"scopeSpans":[{"spans":[` + goodSpan + `]}]}]`
	inScope := func(member string) string { return `{"resourceSpans":[{"scopeSpans":[{` + member + `}]}]}` }
	for record, reason := range map[string]string{
		`{}`:                                         "",
		`{"resourceSpans":null}`:                     "",
		`{"resourceLogs":[]}`:                        "",
		`{"resourceSpans":@7}`:                       scan.ReasonWrongType,
		`{"resourceSpans":[@7]}`:                     scan.ReasonWrongType,
		`{"resourceSpans":[@null]}`:                  scan.ReasonWrongType,
		`{"resourceSpans":[{"scopeSpans":@"x"}]}`:    scan.ReasonWrongType,
		`{"resourceSpans":[{"scopeSpans":[@null]}]}`: scan.ReasonWrongType,
		inScope(`"spans":@{}`):                       scan.ReasonWrongType,
		`@{"id":"a","answer":"No.","sources":[]}`:    scan.ReasonWrongType,
		`@[]`: scan.ReasonWrongType,
		`{"resourceSpans":` + spans + `,@"resourceSpans":` + spans + `}`:  scan.ReasonDuplicateKey,
		`{"resourceSpans":[{"scopeSpans":null,@"scopeSpans":[]}]}`:        scan.ReasonDuplicateKey,
		inScope(`"spans":[],@"spans":[]`):                                 scan.ReasonDuplicateKey,
		`{"resourceSpans":` + spans + `,@"resource_spans":` + spans + `}`: scan.ReasonDuplicateKey,
		inScope(`"spans":[{"name":"a",@"name":"b"}]`):                     scan.ReasonDuplicateKey,
		inScope(`"spans":[{"new":1,@"new":2}]`):                           scan.ReasonDuplicateKey,
		`{"ResourceSpans":@` + spans + `}`:                                scan.ReasonCaseVariant,
		`{"resourceSpans":[{"scopespans":@[]}]}`:                          scan.ReasonCaseVariant,
		inScope(`"Spans":@[]`):                                            scan.ReasonCaseVariant,
		inScope(`"LogRecords":@[]`):                                       scan.ReasonCaseVariant,
		inScope(`"spans":[{"name":"` + "@\xff" + `"}]`):                   scan.ReasonBadUTF8,
		inScope(`"spans":[{"name":"` + "@\x01" + `"}]`):                   scan.ReasonControlCharacter,
		inScope(`"spans":[{"name":@x}]`):                                  scan.ReasonSyntax,
		`{"resourceSpans":[]} @x`:                                         scan.ReasonTrailingBytes,
	} {
		at := max(0, strings.IndexByte(record, '@'))
		record = strings.Replace(record, "@", "", 1)
		var c collected
		counts, err := newDecoder(t, Options{JSON: true}).Decode([]byte(record), &c)
		require.Equal(t, Counts{}, counts, record)
		require.Empty(t, c.found, record)
		if reason == "" {
			require.NoError(t, err, record)
			continue
		}
		var fault *scan.Error
		require.ErrorAs(t, err, &fault, record)
		require.Equal(t, reason, fault.Reason, record)
		require.Equal(t, at, fault.Offset, record)
	}
}

// Members may be written with underscores, as protobuf names them; no list around spans is overlooked.
func TestUnderscoresInJSON(t *testing.T) {
	names := strings.NewReplacer("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "traceId", "trace_id", "spanId", "span_id",
		"endTimeUnixNano", "end_time_unix_nano", "stringValue", "string_value")
	var plain, c collected
	d := newDecoder(t, Options{JSON: true})
	record := jsonRecord(goodResource, goodSpan)
	want, err := d.Decode([]byte(record), &plain)
	require.NoError(t, err)
	counts, err := d.Decode([]byte(names.Replace(record)), &c)
	require.NoError(t, err)
	require.Equal(t, describe(&plain, want), describe(&c, counts))
	require.Equal(t, plain.found[0].OccurredAt, c.found[0].OccurredAt)
	counts, err = d.Decode([]byte(`{"resource_logs":[{"scope_logs":[{"log_records":[{"event_name":"gen_ai.user.message"}]}]}]}`), &c)
	require.NoError(t, err)
	require.Equal(t, Counts{Context: 1}, counts)
}
