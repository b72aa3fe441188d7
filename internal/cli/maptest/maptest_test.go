package maptest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json"
)

func openPlain(topic string) (Decoder, error) {
	if topic != "" {
		return nil, errors.New("no such topic")
	}
	return json.NewDecoder(json.Options{}), nil
}

// cmd/worker/testdata/script/maps.txtar has the tests of the command.
func TestRunTests(t *testing.T) {
	tests := []struct{ name, record, expect, want string }{
		{
			"shapes are equal by what they say", `{"answer":"a","prompt":"q","sources":"s","occurred_at":0}`,
			`{"messages":[{"role":"user","content":"q"}],"sources":[{"text":"s"}],"occurred_at":null}`, "",
		},
		{"a prompt", `{"answer":"a","messages":[{"role":"user","content":"q"}]}`, `{"prompt":"q"}`, ""},
		{"log probabilities", `{"answer":"a","logprobs":{"content":[{"token":"a","logprob":-1}]}}`, `{"logprobs":{"content":[{"token":"a","logprob":-2}]},"answer":"a"}`, "-2"},
		{"a time of another zone", `{"answer":"a","occurred_at":"2026-11-21T11:00:00+01:00"}`, `{"occurred_at":1795255200000}`, ""},
		{"another reason", `{"answer":"a","answer":"b"}`, `{"refused":"missing_answer"}`, "expected \"missing_answer\"\n    got      \"duplicate_key\""},
		{"the record as it is written", `{"answer":"a","answer":"b"}`, `{"refused":"duplicate_key"}`, ""},
		{"an alias", `{"answer":"a","contexts":["c"]}`, `{"sources":["c"]}`, ""},
		{"a long value", `{"answer":"` + strings.Repeat("a", 1000) + `"}`, `{"answer":"b"}`, strings.Repeat("a", maxShown-1) + "…"},
		{"malformed as expected", `{"answer":"a","tags":1,"logprobs":1}`, `{"malformed":["logprobs","tags"]}`, ""},
		{"not malformed", `{"answer":"a"}`, `{"malformed":["tags"]}`, "got      nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			res, err := RunTests("f", strings.NewReader(`{"record":`+tt.record+`,"expect":`+tt.expect+`}`), &out, openPlain)
			require.NoError(t, err)
			require.Equal(t, 1, res.Tests)
			if tt.want == "" {
				require.Empty(t, out.String())
				require.Zero(t, res.Failed)
				return
			}
			require.Equal(t, 1, res.Failed)
			require.Contains(t, out.String(), tt.want)
		})
	}
}

func TestRunTestsRefusesFiles(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "f: holds no tests"},
		{"blank lines", "\n\n", "f: holds no tests"},
		{"not JSON", "hello", "f:1: expected an object of name, input, record and expect"},
		{"a list", "[]", "f:1: expected an object"},
		{"an unknown key", `{"rec":{}}`, `unknown field "rec"`},
		{"two objects", `{"record":{},"expect":{"answer":"a"}} {}`, "one object a line"},
		{"no record", `{"expect":{"answer":"a"}}`, "record is missing"},
		{"no expectation", `{"record":{}}`, "expect is missing or empty"},
		{"an empty expectation", `{"record":{},"expect":{}}`, "expect is missing or empty"},
		{"skipped is false", `{"record":{},"expect":{"skipped":false}}`, "expect.skipped: write true"},
		{"an unknown reason", `{"record":{},"expect":{"refused":"broken"}}`, `"broken" is not a reason: known are syntax, `},
		{"two outcomes", `{"record":{},"expect":{"refused":"syntax","answer":"a"}}`, "expect one of them"},
		{"an unknown field", `{"record":{},"expect":{"anwser":"a"}}`, "expect.anwser is not a field of an interaction"},
		{"a malformed field", `{"record":{},"expect":{"tags":{}}}`, "expect.tags cannot have that value"},
		{"a malformed answer", `{"record":{},"expect":{"answer":5}}`, "expect: wrong_type in answer"},
		{"refused as a number", `{"record":{},"expect":{"refused":5}}`, `"5" is not a reason`},
		{"another topic", `{"input":"x","record":{},"expect":{"answer":"a"}}`, "f:1: input: no such topic"},
		{"a second line", `{"record":{"answer":"a"},"expect":{"answer":"a"}}` + "\n{", "f:2: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := RunTests("f", strings.NewReader(tt.text), &bytes.Buffer{}, openPlain)
			require.ErrorContains(t, err, tt.want)
		})
	}
}
