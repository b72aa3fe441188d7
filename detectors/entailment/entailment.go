package entailment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/schemas"
)

// Options configure the entailment detector.
type Options struct {
	// MinReliability is the reliability, 0 to 1, below which a claim that does not follow is reported with the score
	// 1 − reliability, though grounding or consistency may fire for the same cause. 0: never.
	MinReliability float64 `yaml:"min_reliability"`
}

// maxClaims is the number of claims that are classified. Of more claims an even selection is.
const maxClaims = 32

// entailment classifies each claim as entailed by the sentences of the sources with most of its words, contradicted by it, or neutral. A claim's
// score is P(contradiction) + P(neutral)/2, so that a contradiction outranks missing support, or P(unsupported) of a model that does not
// tell them apart, and the answer's score is that of its worst claim. A claim that shares no word with the sources is not compared with anything, and left out.
//
// It also reports each claim's reliability, which combines sampled responses, sources and entailment.
type entailment struct{ opts Options }

// New returns the detector.
func New(o Options) (detectors.Detector, error) {
	if !(o.MinReliability >= 0 && o.MinReliability <= 1) {
		return nil, errors.New("min_reliability is a share: choose a number from 0 (off) to 1")
	}
	return &entailment{opts: o}, nil
}

const (
	reasonNoVerifier   = "no verifier"
	reasonUnmatched    = "no claim shares a word with a source"
	reasonContradicted = "a claim is contradicted"
	reasonNotEntailed  = "a claim does not follow"
)

var errRelations = errors.New("the verifier must return one relation per pair, with probabilities that add up to 1")

// claimRelation is one claim with its relation to the sources.
type claimRelation struct {
	start, end  int         // bytes of the answer
	place       deep.Window // in the sources
	relation    schemas.Relation
	reliability float64
	fault       float64 // 0 to 1: see nonEntailment, or more for a claim of low reliability
}

func (r *claimRelation) nonEntailment() float64 {
	return r.relation.Contradiction + r.relation.Unsupported + r.relation.Neutral/2
}

// worstPart is the part of the answer that the verifier marked, else the whole claim.
func (r *claimRelation) worstPart() (start, end int) {
	if len(r.relation.Marks) == 0 {
		return r.start, r.end
	}
	s := slices.MaxFunc(r.relation.Marks, func(a, b schemas.Mark) int { return cmp.Compare(a.Probability, b.Probability) })
	return r.start + s.Start, r.start + s.End
}

func (r *claimRelation) note() string {
	if r.relation.Unsupported > 0 {
		return fmt.Sprintf("no support %.2f; reliability %.2f", r.relation.Unsupported, r.reliability)
	}
	return fmt.Sprintf("contradiction %.2f, neutral %.2f; reliability %.2f", r.relation.Contradiction, r.relation.Neutral, r.reliability)
}

// follows reports a claim that the sources entail.
func (r *claimRelation) follows() bool {
	return r.relation.Entailment > max(r.relation.Neutral, r.relation.Contradiction, r.relation.Unsupported)
}

// isUnread reports a claim that the sources neither entail nor contradict: the support may lie in text that was not read.
func (r *claimRelation) isUnread() bool {
	return r.relation.Neutral+r.relation.Unsupported >= max(r.relation.Entailment, r.relation.Contradiction)
}

// Detect measures claims (that were compared), entailed, neutral, contradicted, unmatched (claims that share no word with the
// sources, which were not), mean_reliability and worst_reliability (0 to 1) of the compared ones, against_samples, and the usage.
func (e *entailment) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	if deep.ModelsOf(doc).Verifier == nil {
		return detectors.Finding{NotCheckable: reasonNoVerifier}, nil
	}
	references, err := deep.ReferencesOf(ctx, doc, deep.Uncomparable(doc), false)
	if err != nil || references.NotCheckable != "" {
		return references.Finding(doc, schemas.Usage{}, references.NotCheckable), err
	}
	by := doc
	if references.Sampled {
		by = deep.AgainstTexts(doc.Interaction(), references.Texts, doc.Work())
	}
	if why := by.Uncheckable(); why != "" {
		return references.Finding(doc, schemas.Usage{}, why), nil
	}
	asked := selectPairs(by)
	switch {
	case doc.Work().Ended() != "":
		return references.Finding(doc, schemas.Usage{}, ""), nil
	case len(asked.pairs) == 0:
		return references.Finding(doc, schemas.Usage{}, reasonUnmatched), nil
	}
	relations, used, err := deep.ModelsOf(doc).Verifier.Verify(ctx, asked.pairs)
	if err == nil {
		err = assignRelations(asked.claims, relations)
	}
	if err != nil {
		return references.Finding(doc, used, ""), err
	}
	claims := e.rateClaims(doc, asked.claims, references.Sampled)
	if len(claims) == 0 {
		return references.Finding(doc, used, detectors.ReasonTruncated), nil
	}
	f := references.Finding(doc, used, "")
	f.Measures = append(f.Measures, detectors.Measure{Name: "unmatched", Value: float64(asked.unmatched)})
	if deep.ModelsOf(doc).ByJudge {
		f.Measures = append(f.Measures, detectors.Measure{Name: schemas.ByJudge, Value: 1})
	}
	f.Truncated = asked.cut
	return buildFinding(doc, claims, f, &references), nil
}

// rateClaims sets reliability and fault of the claims. It leaves out those whose support may lie in text that was not read.
func (e *entailment) rateClaims(doc *detectors.Document, claims []claimRelation, sampled bool) []claimRelation {
	for i := range claims {
		c := &claims[i]
		source := c.place.Share
		if sampled {
			source = math.NaN()
		}
		c.reliability = combineReliability(deep.AgreementAt(doc, c.start), source, 1-c.nonEntailment())
		if c.fault = c.nonEntailment(); !c.follows() && c.reliability < e.opts.MinReliability {
			c.fault = max(c.fault, 1-c.reliability)
		}
	}
	if sampled || !doc.SourcesTruncated() {
		return claims
	}
	return slices.DeleteFunc(claims, func(c claimRelation) bool { return c.isUnread() })
}

// combineReliability returns the weighted mean of a claim's scores, each 0 to 1: the share of the sampled responses that
// contain it, the share of its words in one place of the sources, and the probability that the sources entail it. NaN is left out.
func combineReliability(consistency, source, entailment float64) float64 {
	sum, total := 0.0, 0.0
	for _, p := range [...][2]float64{{0.3, consistency}, {0.4, source}, {0.3, entailment}} {
		if p[1] == p[1] {
			sum += p[0] * p[1]
			total += p[0]
		}
	}
	return sum / total
}

// askedClaims are claims with the pair of each.
type askedClaims struct {
	claims    []claimRelation
	pairs     []schemas.Pair // one for each claim
	unmatched int            // claims that share no word with the sources
	cut       bool           // claims beyond the limit were left out
}

// selectPairs pairs each claim, or each of an even selection, with the place in the sources that has most of its words.
func selectPairs(d *detectors.Document) (out askedClaims) {
	claims, cover := d.Claims(), deep.NewCover(d)
	selected := min(len(claims), maxClaims)
	out.cut = selected < len(claims)
	var windows []deep.Window
	for i := range selected {
		c := claims[i*max(1, len(claims)-1)/max(1, selected-1)]
		var words int
		windows, words = cover.Best(windows[:0], c.First, c.Last)
		switch {
		case d.Work().Ended() != "":
			return out
		case words == 0:
			continue
		case len(windows) == 0:
			out.unmatched++
			continue
		}
		best := slices.MaxFunc(windows, func(a, b deep.Window) int {
			return cmp.Or(cmp.Compare(a.Share, b.Share), cmp.Compare(b.Source, a.Source))
		})
		out.claims = append(out.claims, claimRelation{start: int(c.Start), end: int(c.End), place: best})
		out.pairs = append(out.pairs, schemas.Pair{Premise: d.Source(best.Source)[best.Start:best.End], Hypothesis: d.Answer()[c.Start:c.End]})
	}
	return out
}

// assignRelations sets each claim's relation. Values that are not probabilities are an error: they could count as clear.
func assignRelations(claims []claimRelation, relations []schemas.Relation) error {
	if len(relations) != len(claims) {
		return errRelations
	}
	for i, r := range relations {
		if !(math.Abs(r.Sum()-1) < 1e-3) || min(r.Entailment, r.Neutral, r.Contradiction, r.Unsupported) < 0 {
			return errRelations
		}
		if slices.ContainsFunc(r.Marks, func(m schemas.Mark) bool {
			return m.Start < 0 || m.Start >= m.End || m.End > claims[i].end-claims[i].start
		}) {
			return errRelations
		}
		claims[i].relation = r
	}
	return nil
}

// buildFinding completes the finding f with the claims, worst first.
func buildFinding(doc *detectors.Document, claims []claimRelation, f detectors.Finding, references *deep.References) detectors.Finding {
	slices.SortStableFunc(claims, func(a, b claimRelation) int { return cmp.Compare(b.fault, a.fault) })
	var entailed, neutral, contradicted, sum float64
	worst := 1.0
	for i := range claims {
		c := &claims[i]
		sum += c.reliability
		worst = min(worst, c.reliability)
		switch r := c.relation; {
		case r.Contradiction > max(r.Entailment, r.Neutral+r.Unsupported):
			contradicted++
		case r.Entailment > r.Neutral+r.Unsupported:
			entailed++
		default:
			neutral++
		}
		if !c.follows() && i < detectors.MaxEvidence {
			start, end := c.worstPart()
			row := detectors.Evidence{Start: start, End: end, Source: -1, Similarity: c.place.Share}
			if !references.Sampled { // flags do not contain sampled responses
				row.Source, row.SourceStart, row.SourceEnd = c.place.Source, c.place.Start, c.place.End
			}
			row.Note = c.note()
			f.Evidence = append(f.Evidence, row)
		}
	}
	f.Score, f.Type, f.Reason = min(1, claims[0].fault), schemas.Factual, reasonNotEntailed
	if contradicted > 0 {
		f.Type, f.Reason = schemas.Logical, reasonContradicted
	}
	f.Reason = references.Reason(f.Reason)
	f.Measures = doc.Measures(append(f.Measures, detectors.Measure{Name: "claims", Value: float64(len(claims))}, detectors.Measure{Name: "entailed", Value: entailed},
		detectors.Measure{Name: "neutral", Value: neutral}, detectors.Measure{Name: "contradicted", Value: contradicted},
		detectors.Measure{Name: "mean_reliability", Value: sum / float64(len(claims))}, detectors.Measure{Name: "worst_reliability", Value: worst})...)
	f.Evidence = doc.Evidence(f.Evidence...)
	return f
}
