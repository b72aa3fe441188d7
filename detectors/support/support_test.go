package support

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/text"
)

// naiveSupport computes the result of the index without an index.
func naiveSupport(doc *detectors.Document, first, last int32, source int) (total, best float64) {
	sentences, tokens := doc.AllSourceSentences(), doc.SourceTokens()
	sets := make([]map[uint64]bool, len(sentences))
	df := map[uint64]float64{}
	for i, s := range sentences {
		sets[i] = map[uint64]bool{}
		for _, t := range tokens[s.First:s.Last] {
			if !t.Stop() && !sets[i][t.Stem] {
				sets[i][t.Stem] = true
				df[t.Stem]++
			}
		}
	}
	n := float64(len(sentences))
	weights := map[uint64]float64{}
	for _, t := range doc.Tokens()[first:last] {
		switch {
		case t.Stop():
		case t.Kind == text.Number:
			weights[t.Stem] = 1
		default:
			weights[t.Stem] = math.Log(1+n/(1+df[t.Stem])) / math.Log(1+n)
		}
	}
	for _, w := range weights {
		total += w
	}
	for i := range sentences {
		union := map[uint64]bool{}
		for j := i; j < min(i+windowSentences, len(sentences)) && sentences[j].Source == sentences[i].Source; j++ {
			sum := 0.0
			for stem := range sets[j] {
				union[stem] = true
			}
			for stem := range union {
				sum += weights[stem]
			}
			if source == AnySource || int(sentences[i].Source) == source {
				best = max(best, sum)
			}
		}
	}
	return total, best
}

func TestSupportAgreesWithNaiveVersion(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	vocabulary := strings.Fields("stadium river opened bank holds founded 41,500 the of council bought club roof winter fitted debate years new city eastern it was")
	prose := func(sentences int) string {
		var b strings.Builder
		for range sentences {
			for range 3 + random.IntN(9) {
				b.WriteString(vocabulary[random.IntN(len(vocabulary))] + " ")
			}
			b.WriteString(".\n")
		}
		return b.String()
	}
	var doc detectors.Document // reused, as a pool does
	for range 300 {
		in := detectortest.Sourced(prose(1+random.IntN(3)), prose(1+random.IntN(6)), prose(random.IntN(4)), prose(1+random.IntN(3)))
		doc.Reset(in)
		x := Of(&doc)
		for i := range doc.Sentences() {
			r := doc.SentenceTokens(i)
			for source := AnySource; source < len(in.Sources); source++ {
				next := x.Load(r.First, r.Last)
				require.Equal(t, r.Last, next)
				w := x.BestWindow(int32(source))
				total, best := naiveSupport(&doc, r.First, r.Last, source)
				require.InDelta(t, total, x.Total, 1e-9)
				require.InDelta(t, best, w.Weight, 1e-8)
				require.InDelta(t, w.Weight, x.WeightOf(w.Mask), 1e-9)
			}
		}
	}
}

// A figure in another form or unit, or one that follows from figures of a source, is no missing word; a wrong one is.
func TestSupportReadsFigures(t *testing.T) {
	t.Parallel()
	const staff = "Full-time staff get 21 days of leave per year. Half-time staff get 50 % of the leave."
	for name, c := range map[string]struct {
		source, answer string
		missing        int
	}{
		"another form":      {"The museum sold 1.234,56 tickets.", "The museum sold 1,234.56 tickets.", 0},
		"another number":    {"The museum sold 1.234,56 tickets.", "The museum sold 1,334.56 tickets.", 1},
		"another unit":      {"The bridge is 20 miles long.", "The bridge is 32 km long.", 0},
		"a wrong unit":      {"The bridge is 20 miles long.", "The bridge is 36 km long.", 2},
		"arithmetic":        {staff, "Half-time staff get 10.5 days of leave.", 0},
		"wrong arithmetic":  {staff, "Half-time staff get 11.5 days of leave.", 1},
		"a sum of the rows": {"Ann sold 140 tickets. Ben sold 85 tickets.", "Ann and Ben sold 225 tickets together.", 1}, // together
		"no sum":            {"Ann sold 140 tickets. Ben sold 85 tickets.", "Ann and Ben sold 235 tickets together.", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var doc detectors.Document
			doc.Reset(detectortest.Sourced(c.answer, c.source))
			p := NewPass(&doc)
			claim, ok := p.Measure(0, nil)
			require.True(t, ok)
			require.Equal(t, c.missing, claim.Missing)
		})
	}
}

// firstClaim is the similarity of the document's first claim.
func firstClaim(t *testing.T, doc *detectors.Document) float64 {
	t.Helper()
	p := NewPass(doc)
	c, ok := p.Measure(0, nil)
	require.True(t, ok)
	return c.Similarity()
}

const roofClaim = "The council bought the stadium roof."

func TestSupportAfterPanic(t *testing.T) {
	t.Parallel()
	var doc, other detectors.Document
	doc.Reset(detectortest.Sourced(roofClaim, detectortest.Stadium))
	x := Of(&doc)
	x.Load(0, int32(len(doc.Tokens()))) // and never unloads
	doc.Reset(detectortest.Sourced(roofClaim, detectortest.Stadium))
	other.Reset(detectortest.Sourced(roofClaim, detectortest.Stadium))
	require.InDelta(t, firstClaim(t, &other), firstClaim(t, &doc), 0)
}

// The words of a repeated sentence stay loaded: a text of many equal sentences costs little.
func TestSupportKeepsARepeatedSentence(t *testing.T) {
	t.Parallel()
	var doc detectors.Document
	doc.Reset(detectortest.Sourced(roofClaim+" "+roofClaim+" Nothing else is known.", detectortest.Stadium))
	x, tokens := Of(&doc), int32(len(doc.Tokens()))
	half := (tokens - 4) / 2
	require.Equal(t, half, x.Load(0, half))
	loaded := x.stretch
	require.Equal(t, 2*half, x.Load(half, 2*half))
	require.Equal(t, loaded, x.stretch)
	require.Equal(t, tokens, x.Load(2*half, tokens))
	require.NotEqual(t, loaded, x.stretch)
}

// A stretch with more words than the index has bits is loaded in parts, also the second time.
func TestSupportLoadsAgain(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 70 {
		b.WriteString("word" + strings.Repeat("x", i) + " ")
	}
	var doc detectors.Document
	doc.Reset(detectortest.Sourced(b.String(), b.String()))
	x, all := Of(&doc), int32(len(doc.Tokens()))
	next := x.Load(0, all)
	require.Less(t, next, all)
	total, best := x.Total, x.BestWindow(AnySource)
	for _, to := range []int32{all, next, next} {
		require.Equal(t, next, x.Load(0, to))
		require.InDelta(t, total, x.Total, 0)
		require.Equal(t, best, x.BestWindow(AnySource))
	}
	require.Equal(t, all, x.Load(next, all))
	require.Less(t, x.Total, total)
}
