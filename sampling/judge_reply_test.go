package sampling

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/llm"
	"confab/schemas"
)

func TestReplyJSON(t *testing.T) {
	for name, tt := range map[string]struct {
		reply llm.Reply
		want  string
		err   error
	}{
		"plain":                {llm.Reply{Text: " {\"a\": 1}\n"}, `{"a": 1}`, nil},
		"fenced":               {llm.Reply{Text: "```json\n{}\n```"}, `{}`, nil},
		"fenced, no language":  {llm.Reply{Text: "```\n{}\n```\n"}, `{}`, nil},
		"fence left open":      {llm.Reply{Text: "```json\n{}"}, "", schemas.JudgeUnreadable},
		"prose":                {llm.Reply{Text: "Sure: {}"}, "", schemas.JudgeUnreadable},
		"a list":               {llm.Reply{Text: "[]"}, "", schemas.JudgeUnreadable},
		"nothing":              {llm.Reply{}, "", schemas.JudgeUnreadable},
		"cut off":              {llm.Reply{Text: "{}", Finish: "length"}, "", schemas.JudgeUnreadable},
		"refused":              {llm.Reply{Text: "{}", Refusal: "no"}, "", schemas.JudgeRefused},
		"filtered":             {llm.Reply{Text: "{}", Finish: "content_filter"}, "", schemas.JudgeRefused},
		"a lone fence and end": {llm.Reply{Text: "```"}, "", schemas.JudgeUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := replyJSON(tt.reply)
			require.Equal(t, tt.err, err)
			require.Equal(t, tt.want, string(got))
		})
	}
}

func TestReadStatements(t *testing.T) {
	list, err := readStatements([]byte(`{"statements": [" One. ", "", "Two."], "note": "kept out"}`))
	require.NoError(t, err)
	require.Equal(t, []string{"One.", "Two."}, list)
	for name, body := range map[string]string{
		"none": `{}`, "null": `{"statements":null}`, "a number": `{"statements":[1]}`, "text": `{"statements":"One."}`, "more": `{"statements":[]} x`,
		"too many": `{"statements":["a"` + strings.Repeat(`,"a"`, maxStatements) + `]}`,
		"too long": `{"statements":["` + strings.Repeat("a", maxStatementBytes+1) + `"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readStatements([]byte(body))
			require.ErrorIs(t, err, schemas.JudgeUnreadable)
		})
	}
}

// For every reply there is a valid verdict for each index, or an error.
func FuzzReadVerdicts(f *testing.F) {
	for _, s := range []string{
		`{"verdicts":[{"index":0,"verdict":1,"confidence":0.5,"reason":"x"},{"index":1,"verdict":0}]}`,
		`{"verdicts":[{"index":0,"verdict":1},{"index":0,"verdict":1}]}`, `{"verdicts":[{"index":0,"verdict":1,"confidence":7}]}`,
		`{"verdicts":null}`, `{}`, `[]`, `{"verdicts":[{"index":9999999999999999999}]}`, `{"relations":[{"index":0,"relation":"neutral","confidence":1e-9}]}`,
	} {
		f.Add([]byte(s), 2)
	}
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		n = max(1, n%64)
		verdicts, err := readVerdicts(body, n)
		if err != nil {
			require.ErrorIs(t, err, schemas.JudgeUnreadable)
			require.Empty(t, verdicts)
		} else {
			require.Len(t, verdicts, n)
		}
		for _, v := range verdicts {
			require.True(t, v.Confidence >= 0 && v.Confidence <= 1)
			require.LessOrEqual(t, len(v.Reason), maxReasonBytes)
		}
		relations, err := readRelations(body, n)
		if err == nil {
			require.Len(t, relations, n)
		}
		for _, r := range relations {
			require.InDelta(t, 1, r.Entailment+r.Neutral+r.Contradiction, 1e-9)
			require.GreaterOrEqual(t, min(r.Entailment, r.Neutral, r.Contradiction), 0.0)
		}
	})
}

// Sanitized text contains no mark, however deeply nested.
func FuzzTame(f *testing.F) {
	for _, s := range []string{"plain", "<|im_start|>", "<|im<|x|>_end|>", "[IN[INST]ST]", "<<<DATA-ab<DATA-0", "DATA-DATA-1>>2>>", "\u202e\x00", "\xff", "</</s>s>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := sanitizeText(s)
		require.False(t, templateSequences.MatchString(out), "%q", out)
		require.Equal(t, out, sanitizeText(out))
	})
}

func TestNewCanary(t *testing.T) {
	// The first number occurs in a source in another notation: another one is drawn.
	first := append(make([]byte, 16), bytes.Repeat([]byte{1}, 16)...)
	statement, at, err := newCanary(bytes.NewReader(first), []string{"In all, 10,000 people came."}, 3)
	require.NoError(t, err)
	require.NotContains(t, statement, "10000")
	require.LessOrEqual(t, at, 3)

	_, _, err = newCanary(bytes.NewReader(nil), nil, 1)
	require.ErrorContains(t, err, "draw canary statement")
	_, err = newMark(bytes.NewReader(nil))
	require.ErrorContains(t, err, "draw marks")
	_, _, err = newCanaryPair(bytes.NewReader(nil), 1)
	require.ErrorContains(t, err, "draw canary pair")
}

func TestNotJudged(t *testing.T) {
	for why, skips := range map[schemas.NotJudged]bool{
		schemas.BudgetSpent: true, schemas.OptedOut: true, schemas.JudgeCompromised: false, schemas.JudgeUnreadable: false, schemas.JudgeRefused: false,
	} {
		require.Equal(t, skips, why.Skips(), string(why))
		found, is := errors.AsType[schemas.NotJudged](error(why))
		require.True(t, is)
		require.Equal(t, string(found), why.Error())
	}
}
