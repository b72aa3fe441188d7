package confab_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors/rewrite"
	"confab/schemas"
)

// grammar makes random interactions of pieces that detectors read together with their neighbors. pick returns a number below n.
type grammar struct {
	pick          func(n int) int
	texts, pieces []string
}

func newGrammar(pick func(n int) int) *grammar {
	return &grammar{pick: pick, texts: wholeTexts(), pieces: slices.Concat(marks(), labelsAndFigures(), words())}
}

// marks are markup, citations, quotes and odd characters.
func marks() []string {
	return []string{
		"<script>", "</script>", "<style>", "</style>", "<!--", "-->", "<pre>", "</pre>", "<code>", "</code>", "```", "```\n", "~~~\n", "`", "\n", "\n\n",
		"> ", "# ", "## ", "- ", "* ", "1. ", "| ", " |\n", "|---|\n", "[1]", "[2]", "[1][2]", "(1)", "[^1]", "[^1]: ", "【1†source】", "[1, 2]", "[1-3]", "[a]",
		"(Smith, 2020)", "Sources:\n", "References:\n[1] x", ". ", "? ", "! ", ": ", ", ", "\"", "“", "”", "'", "$$", "$", "\\(", "\\)", "**", "__", "<b>", "</b>",
		"<br>", "&#51;", "&nbsp;", "&lt;script&gt;", "<table><tr><td>", "</td><td>", "</td></tr></table>", "<th>", "<![CDATA[", "]]>", "<a href=\"x\">", "</a>",
		"![x](y)", "[t](u)", "<think>", "</think>", "<answer>", "</answer>", "---\n", "{", "}", "[", "]", "{\"a\":", "null", "true", "\\", "\t", "   ", "\r\n", "\r",
		"\u200b", "\u00ad", "\u202e", "\u0301", "\ufeff", "\x00", "\u2028", "\u0085", "—", "…", "\U0001f600", "€", "\u00a0",
	}
}

// labelsAndFigures are numbers of sections and passages, and figures that a scan joins.
func labelsAndFigures() []string {
	return []string{
		"section 4", "passage 2", "passages 1 and 2", "steps 3, 4 and", "#51", "ticket #7", "page", "figure 3", "Chapter IV", "source", "3", "17", "2005", "and 3",
		"or 4", "Q3 2020", "Q3", "first quarter", "12:30", "12:30 to", "3pm", "9-", "Monday to", "Mon-", "Monday", "yesterday", "from 5", "to 10", "5 %", "10.5 %",
		"between 3 and", "January", "5 January", "May 2020", "2020-13-45", "1990s", "19th century", "1st", "2nd", "half", "two dozen", "3 million", "1.2k", "-3",
		"1,000.50", "1.100", "½", "1 1/2", "3/4", "1e400", "1e5", "10^5", "2×10³", "∞", "IV", "2 to 1", "24/7", "COVID-19", "7 out of 10", "4.5/5", "$1,000", "€ 5",
		"5 euros", "5 km", "5 kg/m²", "-5 °C", "km", "m", "v1.2.3", "第3章", "3月", "百分之五", "５", "٣", "price: 20", "rating: 4.5/5", "Open: Mon-Fri 9-17", "| Mon | 9-17 |",
	}
}

// words are words, names, links and short statements in several languages.
func words() []string {
	return []string{
		"The lamp costs 30 euros", "costs 20 euros.", "was designed by", "Peter Novak", "Anna Rossi", "in 1987", "Berlin", "in Milan", "is not", "not ", "never ",
		"yes", "no", "none of the", "I don't know. ", "According to passage 1, ", "he said ", "Context:\n", "Question: ", "Answer: ", "Use only ", "https://example.com/a",
		"http://[::1", "doi:10.1000/x", "pip install x", "import os", "мост открыт", "مصباح", "ランプは30ユーロ。", "灯价格30欧元。", "Die Lampe kostet 30 Euro.",
		"{\"hours\": {\"Mon\": \"9-17\", \"Tue\": \"closed\"}}",
	}
}

// wholeTexts are texts with which answers are compared.
func wholeTexts() []string {
	return []string{
		"The lamp costs 20 euros. It was designed by Anna Rossi in 2005 in Milan.", "", "<script>20 euros</script>", "| a | b |\n|---|---|\n| lamp | 20 |",
		"{\"price\": 20, \"hours\": {\"Monday\": \"9-17\"}}", "[1] x\n[2] y", "ランプは20ユーロです。", "price: 20\nname: lamp", "\x00", "10% 1/2 ½ 1e9",
		"Answer using only passages 1 and 2\n\nContext:\n[1] The lamp costs 20 euros.\n[2] It is red.\n\nQuestion: 3 facts?",
		"Always follow policy section 4", "Question: 3 facts?",
	}
}

// text is up to 80 pieces, or a whole text.
func (g *grammar) text() string {
	if g.pick(6) == 0 {
		return g.texts[g.pick(len(g.texts))]
	}
	var b strings.Builder
	for range 1 + g.pick([]int{3, 8, 25, 80}[g.pick(4)]) {
		b.WriteString(g.pieces[g.pick(len(g.pieces))])
		if g.pick(5) < 2 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func (g *grammar) interaction() *schemas.Interaction {
	in := &schemas.Interaction{Temperature: schemas.UnknownTemperature, Answer: g.text()}
	for i := range g.pick(4) {
		in.Sources = append(in.Sources, schemas.Source{ID: strconv.Itoa(i + 1), Text: g.text()})
	}
	for range g.pick(4) {
		role := []string{"user", "system", "tool", "assistant"}[g.pick(4)]
		in.Messages = append(in.Messages, schemas.Message{Role: role, Content: g.text()})
	}
	if g.pick(2) == 0 {
		g.addTools(in)
	}
	if g.pick(4) == 0 { // a conversation of several turns
		for range 1 + g.pick(3) {
			in.Messages = append(in.Messages, schemas.Message{Role: "user", Content: g.text()}, schemas.Message{Role: "assistant", Content: g.text()})
		}
		in.Messages = append(in.Messages, schemas.Message{Role: "user", Content: g.text()})
	}
	return in
}

// addTools adds tools, and calls of them, of others, and without results.
func (g *grammar) addTools(in *schemas.Interaction) {
	names := []string{"send_email", "get_order", "ns:book", "", g.text()}
	object := func() string {
		raw, _ := json.Marshal(map[string]string{names[g.pick(len(names))]: g.text(), "order_id": g.text()}) // texts can be marshalled
		return []string{string(raw), "[" + string(raw) + "]", g.text(), "null"}[g.pick(4)]
	}
	for range g.pick(3) {
		in.Tools = append(in.Tools, schemas.Tool{Name: names[g.pick(len(names))], Schema: object()})
	}
	for i := range g.pick(4) {
		in.Calls = append(in.Calls, schemas.ToolCall{ID: strconv.Itoa(i / 2), Name: names[g.pick(len(names))], Arguments: object(), Result: object()})
	}
}

// checkRandom evaluates an interaction, and often rewrites its answer. It returns the detectors that failed.
func checkRandom(t testing.TB, e *confab.Evaluator, g *grammar) (in *schemas.Interaction, failed []string) {
	t.Helper()
	in = g.interaction()
	f, err := e.Check(t.Context(), in)
	require.NoError(t, err)
	for i := range f.Signals {
		if f.Signals[i].Outcome == schemas.Failed {
			failed = append(failed, f.Signals[i].Detector)
		}
	}
	require.Equal(t, f.Checked == schemas.CheckedFull, len(f.Unchecked) == 0)
	require.Equal(t, len(failed) > 0, slices.Contains(f.Unchecked, schemas.UncheckedError))
	if g.pick(3) == 0 {
		modes := rewrite.Modes()
		rewrite.ReviseAnswer(t.Context(), in, &f, rewrite.Options{
			Mode:     modes[g.pick(len(modes))],
			Evaluate: func(ctx context.Context, in *schemas.Interaction) (schemas.Flag, error) { return e.Check(ctx, in) },
		})
	}
	return in, failed
}

// TestRandomInteractions requires that no detector fails on 5,000 random interactions, 20,000 in make test-full. RANDOM_INTERACTIONS sets another
// number, and RANDOM_SEED another seed.
func TestRandomInteractions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Parallel()
	number := func(name string, usual int) int {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return usual
		}
		return n
	}
	usual := 5_000
	if os.Getenv("FULL_COUNTS") != "" {
		usual = 20_000
	}
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	g := newGrammar(rand.New(rand.NewPCG(uint64(number("RANDOM_SEED", 1)), 1)).IntN)
	n, bad, least := number("RANDOM_INTERACTIONS", usual), 0, ""
	for range n {
		in, failed := checkRandom(t, e, g)
		if len(failed) == 0 {
			continue
		}
		bad++
		raw, err := json.Marshal(in)
		require.NoError(t, err)
		if least == "" || len(raw) < len(least) {
			least = string(raw)
		}
	}
	require.Zero(t, bad, "of %d interactions; the shortest: %s", n, least)
}

// FuzzRandomInteractions is the same with interactions that the input chooses.
func FuzzRandomInteractions(f *testing.F) {
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(f, err)
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		seed := make([]byte, 100)
		for i := range seed {
			seed[i] = byte(random.IntN(256))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		pick := func(n int) int {
			if len(choices) == 0 {
				return 0
			}
			v := int(choices[0])
			choices = choices[1:]
			return v % n
		}
		in, failed := checkRandom(t, e, newGrammar(pick))
		require.Empty(t, failed, "%+v", in)
	})
}
