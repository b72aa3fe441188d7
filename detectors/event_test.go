package detectors

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"unsafe"

	"confab/schemas"
)

// typicalEvent is what the cost of a detector is stated for: 6.8 KB, that is five sources of 150 words and an answer of
// 120 words with citations, copied from them, and 150 tokens with five alternatives. No rule should fire on it. The same
// seed makes the same event.
func typicalEvent(seed uint64) *schemas.Interaction {
	r := rand.New(rand.NewPCG(seed, 1))
	in := &schemas.Interaction{
		ID: fmt.Sprintf("typical-%d", seed), Tenant: schemas.DefaultTenant, Service: "search", Operation: "qa", Provider: "acme",
		Model: "acme-1", Temperature: 0.2, FinishReason: "stop", Tags: []string{"medical"},
		Messages: []schemas.Message{{Role: "user", Content: prose(r, 20)}},
	}
	var answer strings.Builder
	for i := range 5 {
		in.Sources = append(in.Sources, schemas.Source{ID: fmt.Sprintf("doc-%d", i+1), Text: prose(r, 150)})
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

func typicalEventSet(n int) []*schemas.Interaction {
	events := make([]*schemas.Interaction, n)
	for i := range events {
		events[i] = typicalEvent(uint64(i))
	}
	return events
}

// prose is n words in sentences of a dozen words, half of them common ones.
func prose(r *rand.Rand, n int) string {
	common := strings.Fields("the of and to in a is that for it was on are as with they at be this from have or by one had not but")
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

// fixedThresholds arm every detector at one limit, but for those that are named with another one; NaN disarms.
type fixedThresholds struct {
	limit float64
	named map[string]float64
	off   map[string]bool
}

func (f fixedThresholds) Threshold(detector, _, _ string) (float64, bool) {
	if limit, ok := f.named[detector]; ok {
		return limit, !f.off[detector]
	}
	return f.limit, !f.off[detector]
}

// calmBaselines say that the tokens of a typical event are the usual ones.
type calmBaselines struct{}

func (calmBaselines) Baseline(string, string, float64) (*Baseline, string) { return &calm, "" }

var calm = Baseline{Mean: 0.3, Stdev: 1, Median: 0.3, MAD: 1, PeakMean: 0.4, PeakStdev: 1, N: 100}

// unsafeString is a string over bytes that change later, as a decoder makes them.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
