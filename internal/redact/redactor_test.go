package redact_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/redact"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func own(pairs ...string) *redact.Redactor {
	var all []redact.Pattern
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, redact.Pattern{Name: pairs[i], Match: regexp.MustCompile(pairs[i+1])})
	}
	return redact.NewRedactor(all)
}

// applied is the text with the spans replaced.
func applied(text string, spans []redact.Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start])
		b.WriteString(s.Label)
		at = s.End
	}
	return b.String() + text[at:]
}

func TestOwnPatterns(t *testing.T) {
	r := own("customer", `\bKD-[0-9]{6}\b`, "name", `(?i)anna keller`, "wide", `客户[0-9]+`)
	for text, want := range map[string]string{
		"":                             "",
		"nothing":                      "nothing",
		"KD-123456":                    "[customer]",
		"KD-1234567 stays":             "KD-1234567 stays",
		"KD-123456KD-123456":           "KD-123456KD-123456",
		"KD-123456,KD-654321":          "[customer],[customer]",
		"ANNA KELLER, a@example.com":   "[name], [email]",
		"客户42 owes 5":                  "[wide] owes 5",
		"+49 30 901820 and KD-000000.": "[phone] and [customer].",
		"anna\xffkeller":               "anna\xffkeller",
	} {
		require.Equal(t, want, r.Redact(text), text)
		require.Equal(t, want, applied(text, r.Spans(text)), text)
		require.Equal(t, want, r.Redact(want), "twice")
	}
}

// An own pattern and a built-in one may touch: what one leaves of a secret, and the label with it, becomes the other's.
func TestLabelsAreAbsorbed(t *testing.T) {
	r := own("id", `[0-9]{4}`, "pair", `x\[id\]y`)
	require.Equal(t, "a [pair] b [id]", r.Redact("a x1234y b 5678"))
	require.Equal(t, []redact.Span{{Start: 2, End: 8, Label: "[pair]"}, {Start: 11, End: 15, Label: "[id]"}}, r.Spans("a x1234y b 5678"))
}

// Without own patterns, the spans are those of package redact.
func TestSpansOfBuiltinPatterns(t *testing.T) {
	r := redact.NewRedactor(nil)
	for _, text := range []string{
		"mail a@example.com, call +49 30 901820, card 4111111111111111", "password: hunter22 token=abcdefgh12345678", "plain", "",
		strings.Repeat("a@example.com ", 5000), "4111 1111 1111 1111" + strings.Repeat(" 4111111111111111", 3),
	} {
		require.Equal(t, redact.Redact(text), r.Redact(text))
		require.Equal(t, redact.Redact(text), applied(text, r.Spans(text)))
	}
}

// Ranges move with the text, and are widened to the labels that they touch.
func TestOwnRanges(t *testing.T) {
	r := own("customer", `KD-[0-9]+`)
	const text = "é KD-123456 or a@example.com!"
	for _, c := range []struct{ from, to, want string }{
		{"é", " ", "é"}, {"KD", "!", "[customer] or [email]"}, {"D-1", "23", "[customer]"}, {"123", "@", "[customer] or [email]"}, {"or", " a@", "or"}, {"!", "", "!"},
	} {
		end := len(text)
		start := strings.Index(text, c.from)
		if c.to != "" {
			end = start + strings.Index(text[start:], c.to)
			if c.to == "23" || c.to == "@" {
				end++
			}
		}
		ranges := []redact.Range{{Start: start, End: end}, {Start: 0, End: len(text)}}
		redacted := r.Ranges(text, ranges)
		require.Equal(t, r.Redact(text), redacted)
		require.Equal(t, c.want, redacted[ranges[0].Start:ranges[0].End], "%q to %q", c.from, c.to)
		require.Equal(t, redacted, redacted[ranges[1].Start:ranges[1].End])
	}
	var none *redact.Redactor
	for _, plain := range []*redact.Redactor{none, own("never", `ZZZZ[0-9]`)} { // the same as package redact
		a, b := []redact.Range{{Start: 17, End: 20}}, []redact.Range{{Start: 17, End: 20}}
		require.Equal(t, redact.NewRedactor(nil).Ranges(text, a), plain.Ranges(text, b))
		require.Equal(t, a, b)
	}
	ranges := []redact.Range{{Start: 1, End: 2}}
	require.Equal(t, "[secret]", own("a", `b|\[b\]`, "b", `\[a\]`).Ranges("x b", ranges))
	require.Equal(t, []redact.Range{{Start: 0, End: 8}}, ranges)
}

func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	r := own("a", `a+`, "customer", `\bKD-[0-9]+\b`, "words", `(\w+ )+!`)
	for _, text := range []string{
		strings.Repeat("a", 200_000), strings.Repeat("KD-1 ", 40_000), strings.Repeat("x ", 100_000), strings.Repeat("a@b.cd", 30_000),
		strings.Repeat("客", 60_000), strings.Repeat("[a]", 60_000),
	} {
		redacted := r.Redact(text)
		require.True(t, utf8.ValidString(redacted))
		require.NotContains(t, redacted, "KD-1")
	}
}

// A pattern that grows a text for ever hides all of it.
func TestEndlessPattern(t *testing.T) {
	r := own("a", `b|\[b\]`, "b", `\[a\]`)
	require.Equal(t, "[secret]", r.Redact("x b"))
	require.Equal(t, []redact.Span{{Start: 0, End: 3, Label: "[secret]"}}, r.Spans("x b"))
}

func TestCompile(t *testing.T) {
	names := []string{"customer", "x9"}
	for expression, want := range map[string]string{
		`\bKD-[0-9]+\b`: "",
		`(`:             "is not a regular expression",
		`(?=x)`:         "is not a regular expression",
		`[0-9]*`:        "matches the empty text",
		`^`:             "matches the empty text",
		`\w+`:           "matches [birth-date], which replaces matches",
		`customer`:      "matches [customer]",
		`x[0-9]`:        "matches [x9]",
	} {
		match, err := redact.Compile(expression, names)
		if want == "" {
			require.NoError(t, err)
			require.NotNil(t, match)
			continue
		}
		require.ErrorContains(t, err, want, expression)
	}
}

func FuzzSpans(f *testing.F) {
	r := own("customer", `KD-[0-9]+`, "mixed", `[a-c][0-9]@?`)
	for _, seed := range []string{"KD-1 a@example.com", "a1@example.com", "[email]KD-2", "b2@[email]c3@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, r.Redact(text), applied(text, r.Spans(text)))
	})
}
