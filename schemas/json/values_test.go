package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas/json"
	"confab/schemas/json/scan"
)

func TestValues(t *testing.T) {
	for raw, want := range map[string][]string{
		`[{"a":1},{"b":[{}]}]`:               {`{"a":1}`, `{"b":[{}]}`},
		" [ {} ]\n":                          {`{}`},
		`{"a":1} {"b":2}`:                    {`{"a":1}`, `{"b":2}`},
		"{\"a\":1}\n{\"b\":2}\n":             {`{"a":1}`, `{"b":2}`},
		`"{\"a\":\"x\\n\"}"`:                 {`{"a":"x\n"}`},
		`"[{\"a\":1},{\"b\":2}]"`:            {`{"a":1}`, `{"b":2}`},
		`{"a":NaN,"b":[-Infinity,Infinity]}`: {`{"a":null,"b":[null,null]}`},
		`{"a":"NaN \"NaN","b": NaN}`:         {`{"a":"NaN \"NaN","b": null}`},
		`{"a":1}`:                            {`{"a":1}`},
		`{"a":1,"a":2}`:                      {`{"a":1,"a":2}`},
		`[{"a":1},2]`:                        nil,
		`[{"a":1}`:                           nil,
		`[{"a":1}]]`:                         nil,
		`[]`:                                 nil,
		`[1]`:                                nil,
		`{"a":1} x`:                          nil,
		`{"a":`:                              nil,
		`{"a":NaNa}`:                         nil,
		`INFO llm {"a":1}`:                   {`{"a":1}`},
		`[2026-01-02 03:04:05] level=info msg={"a":NaN}`: {`{"a":null}`},
		`INFO llm {"a":1} in 3 ms`:                       nil,
		"\x0a\x05{\"a\":1}":                              nil,
		`["a",{"a":1}]`:                                  nil,
		`["a",{"a":1}`:                                   nil,
		`"text"`:                                         nil,
		`"{`:                                             nil,
		`"\"{}\""`:                                       nil,
		``:                                               nil,
		"\x1f\x8b":                                       nil,
		strings.Repeat("[", 20_000):                      nil,
		`{"a":` + strings.Repeat("[", 20_000):            nil,
	} {
		got, err := json.Values([]byte(raw))
		require.NoError(t, err)
		var texts []string
		for _, part := range got {
			texts = append(texts, string(part))
		}
		require.Equal(t, want, texts, raw)
	}
}

// A megabyte of small objects, or of quotes, takes no time to speak of.
func TestValuesOfHostileText(t *testing.T) {
	start := time.Now()
	for _, raw := range []string{
		strings.Repeat("{}", json.MaxValues+1),
		"[" + strings.Repeat("{},", 1<<19) + "{}]",
	} {
		_, err := json.Values([]byte(raw))
		var refused *scan.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, scan.ReasonTooMany, refused.Reason)
	}
	for _, raw := range []string{
		`{"a":[` + strings.Repeat("NaN,", 1<<18) + "1]}", `{"a":NaN` + strings.Repeat(`"`, 1<<20), `{"a":NaN"` + strings.Repeat(`\`, 1<<20), `"` + strings.Repeat(`\"`, 1<<19) + `"`,
	} {
		_, err := json.Values([]byte(raw))
		require.NoError(t, err)
	}
	require.Less(t, time.Since(start), 10*time.Second)
}

func FuzzValues(f *testing.F) {
	for _, raw := range []string{`[{"a":1}]`, `{}{}`, `"{\"a\":NaN}"`, `{"a":"NaN","b":NaN}`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		parts, err := json.Values(raw)
		require.Equal(t, before, raw, "it is left as it is")
		require.True(t, err == nil || parts == nil)
		for _, part := range parts {
			require.Equal(t, byte('{'), part[0])
			require.True(t, stdjson.Valid(part), "%q", part)
		}
	})
}
