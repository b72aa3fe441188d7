package detectortest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

// Event returns the event for which costs of detectors are stated, 6.8 KB: five sources of 150 words, an answer of 120 words
// copied from them with citations, and 150 tokens with five alternatives. No rule should fire on it. Equal seeds give equal
// events.
func Event(seed uint64) *schemas.Interaction {
	r := rand.New(rand.NewPCG(seed, 1))
	in := &schemas.Interaction{
		ID: fmt.Sprintf("typical-%d", seed), Tenant: schemas.DefaultTenant, Service: "search", Operation: "qa", Provider: "acme",
		Model: "acme-1", Temperature: 0.2, FinishReason: "stop", Tags: []string{"medical"},
		Messages: []schemas.Message{{Role: "user", Content: randomSentences(r, 20)}},
	}
	var answer strings.Builder
	for i := range 5 {
		in.Sources = append(in.Sources, schemas.Source{ID: fmt.Sprintf("doc-%d", i+1), Text: randomSentences(r, 150)})
		words := strings.Fields(in.Sources[i].Text)
		first := r.IntN(len(words) - 24)
		copied := strings.NewReplacer(".", "", ",", "").Replace(strings.Join(words[first:first+24], " "))
		fmt.Fprintf(&answer, "%s%s [%d]. ", strings.ToUpper(copied[:1]), copied[1:], i+1)
	}
	in.Answer = strings.TrimSpace(answer.String())
	in.Logprobs = schemas.Logprobs{TopK: 5}
	for i := range 150 {
		in.Logprobs.Values = append(in.Logprobs.Values, -0.1, -0.1, -3-r.Float32(), -4-r.Float32(), -5-r.Float32(), -6-r.Float32())
		in.Logprobs.Offsets = append(in.Logprobs.Offsets, int32(i*len(in.Answer)/150))
	}
	return in
}

// Events returns n events with different seeds.
func Events(n int) []*schemas.Interaction {
	events := make([]*schemas.Interaction, n)
	for i := range events {
		events[i] = Event(uint64(i))
	}
	return events
}

// randomSentences returns n words, half of them common ones, in sentences of twelve.
func randomSentences(r *rand.Rand, n int) string {
	common := strings.Fields("the of and to in a is that for it was on are as with they at be this from have or by one had also but")
	syllables := strings.Fields("ba ren tor mi sal ken du lor ves ta pan gri hol nem fa cur bel zon tim ro")
	var b strings.Builder
	for i := range n {
		word := common[r.IntN(len(common))]
		if r.IntN(2) == 0 {
			parts := make([]string, 2+r.IntN(3))
			for k := range parts {
				parts[k] = syllables[r.IntN(len(syllables))]
			}
			word = strings.Join(parts, "")
		}
		if r.IntN(30) == 0 {
			word = strconv.Itoa(1900 + r.IntN(120))
		}
		if i%12 == 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
		switch {
		case i == n-1 || i%12 == 11:
			b.WriteString(". ")
		case i%12 == 6:
			b.WriteString(", ")
		default:
			b.WriteString(" ")
		}
	}
	return strings.TrimSpace(b.String())
}

// Stadium is a source of four sentences.
const Stadium = "The old stadium opened in 1962 on the river's eastern bank. It holds 41,500 spectators. " +
	"The city council bought it from the club in 2004, after years of debate. A new roof was fitted two winters later."

// Sourced returns an interaction with the answer and the sources.
func Sourced(answer string, sources ...string) *schemas.Interaction {
	in := &schemas.Interaction{Answer: answer}
	for i, s := range sources {
		in.Sources = append(in.Sources, schemas.Source{ID: strconv.Itoa(i + 1), Text: s})
	}
	return in
}

// Detect runs the detector once and requires that it does not fail.
func Detect(t testing.TB, d detectors.Detector, in *schemas.Interaction) (detectors.Finding, *detectors.Document) {
	t.Helper()
	var doc detectors.Document
	doc.Reset(in)
	f, err := d.Detect(t.Context(), &doc)
	require.NoError(t, err)
	return f, &doc
}

// Measure returns the named measure of the finding and fails the test without it.
func Measure(t testing.TB, f detectors.Finding, name string) float64 {
	t.Helper()
	for _, m := range f.Measures {
		if m.Name == name {
			return m.Value
		}
	}
	t.Fatalf("no measure %s in %v", name, f.Measures)
	return 0
}

// RequireContract requires what every finding of a detector must fulfil.
func RequireContract(t *testing.T, name string, in *schemas.Interaction, f *detectors.Finding) {
	t.Helper()
	for _, m := range f.Measures {
		require.False(t, math.IsNaN(m.Value) || math.IsInf(m.Value, 0), "%s: measure %s", name, m.Name)
	}
	if f.NotCheckable != "" {
		return
	}
	require.True(t, f.Score >= 0 && f.Score <= 1, "%s: score %v", name, f.Score)
	for _, e := range f.Evidence {
		if e.Start != schemas.NoPlace || e.End != schemas.NoPlace {
			requireSpan(t, name, in.Answer, e.Start, e.End)
		}
		require.True(t, e.Similarity >= 0 && e.Similarity <= 1, "%s: similarity %v", name, e.Similarity)
		require.Less(t, e.Source, len(in.Sources), name)
		if e.Source >= 0 {
			requireSpan(t, name, in.Sources[e.Source].Text, e.SourceStart, e.SourceEnd)
		}
	}
	for _, s := range f.Grounding.Ungrounded {
		requireSpan(t, name, in.Answer, s.Start, s.End)
	}
}

func requireSpan(t *testing.T, name, text string, start, end int) {
	t.Helper()
	require.True(t, 0 <= start && start <= end && end <= len(text), "%s: [%d, %d) of %d bytes", name, start, end, len(text))
	require.True(t, utf8.ValidString(text[start:end]), "%s: [%d, %d) cuts a character", name, start, end)
}

// NewSuite returns a suite whose rules fire at 0.5 and above unless change sets another threshold.
func NewSuite(t testing.TB, change func(*detectors.Options), entries ...detectors.Entry) *detectors.Suite {
	t.Helper()
	o := detectors.Options{
		Detectors:  entries,
		Thresholds: Thresholds{Limit: 0.5},
		Now:        func() time.Time { return time.Time{} },
		Redact:     func(s string) string { return strings.ReplaceAll(s, "secret", "[x]") },
		Version:    "1.2.3", Calibration: "cal-1",
	}
	if change != nil {
		change(&o)
	}
	s, err := detectors.NewSuite(o)
	require.NoError(t, err)
	return s
}

// Thresholds applies one limit to every detector.
type Thresholds struct{ Limit float64 }

// Threshold returns the limit, armed.
func (f Thresholds) Threshold(_, _, _, _ string) (float64, bool) { return f.Limit, true }
