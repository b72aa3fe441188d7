package faithfulness

import (
	"cmp"
	"context"
	"slices"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/internal/text"
	"confab/schemas"
)

const reasonFault = "the judge found a fault"

// fromProbability is the probability from which the judge holds a statement to be wrong. The rule's threshold may be another.
const fromProbability = 0.5

// foldCost is the work of reading a byte of a text for quotes.
const foldCost = 2

// placedFault is a fault with the place of its quote.
type placedFault struct {
	schemas.Fault
	start, end int
}

// findFaults asks for the faults of the answer. The score is the highest probability of a material one. It measures faults
// (material ones whose words are in the answer), immaterial, and dropped (whose words are not). The reply is unreadable if the
// likely ones are all of these.
func (f *faithfulness) findFaults(ctx context.Context, doc *detectors.Document, references *deep.References, r *schemas.JudgeRequest) (detectors.Finding, error) {
	listed, used, err := deep.ModelsOf(doc).Faults.Faults(ctx, r)
	out := references.Finding(doc, used, "")
	if err != nil || !doc.Work().Spend(foldCost*len(r.Answer)+len(listed)) {
		return out, err
	}
	faults, immaterial, lost := placeFaults(doc, decidable(listed, references))
	out.Measures = doc.Measures(append(out.Measures, detectors.Measure{Name: "faults", Value: float64(len(faults))},
		detectors.Measure{Name: "immaterial", Value: float64(immaterial)}, detectors.Measure{Name: "dropped", Value: float64(lost.quotes)})...)
	for i := range faults {
		out.Score = max(out.Score, faults[i].Probability)
	}
	switch {
	case out.Score >= fromProbability:
	case lost.likelyQuote: // it may be right, but nobody can see about what
		return out, schemas.JudgeUnreadable
	case lost.unread:
		out.NotCheckable = detectors.ReasonTruncated
		return out, nil
	}
	out.Type, out.Reason = schemas.Factual, references.Reason(reasonFault)
	out.Supported = out.Score < fromProbability && references.At != nil && !doc.SourcesTruncated()
	var rows []detectors.Evidence
	for i := range faults[:min(len(faults), detectors.MaxEvidence)] {
		rows = append(rows, evidenceOf(doc, &faults[i], sourceAt(r, references, faults[i].Source)))
	}
	if len(faults) > 0 && faults[0].Stance == schemas.WrongCitation {
		out.Type = schemas.Attribution
	}
	out.Evidence = doc.Evidence(rows...)
	return out, nil
}

// decidable leaves out what only references could have supported, where there are none.
func decidable(listed []schemas.Fault, references *deep.References) []schemas.Fault {
	return slices.DeleteFunc(listed, func(f schemas.Fault) bool {
		return len(references.Texts) == 0 && f.Stance != schemas.Contradicted
	})
}

// lostFaults are faults that say nothing.
type lostFaults struct {
	quotes      int  // whose words are not in the answer
	likelyQuote bool // one of them is likely
	unread      bool // some rest on text of a source that was not read
}

// placeFaults finds the quotes in the answer and returns the material faults, likeliest first.
func placeFaults(doc *detectors.Document, listed []schemas.Fault) (faults []placedFault, immaterial int, lost lostFaults) {
	answer := text.Fold(doc.Answer())
	for i := range listed {
		f := placedFault{Fault: listed[i]}
		var ok bool
		likely := f.Probability >= fromProbability && !f.Immaterial
		switch f.start, f.end, ok = answer.Find(f.Quote); {
		case !ok:
			lost.quotes++
			lost.likelyQuote = lost.likelyQuote || likely
		case f.Stance != schemas.Contradicted && doc.SourcesTruncated():
			lost.unread = lost.unread || likely
		case f.Immaterial:
			immaterial++
		default:
			faults = append(faults, f)
		}
	}
	slices.SortStableFunc(faults, func(a, b placedFault) int { return cmp.Compare(b.Probability, a.Probability) })
	return faults, immaterial, lost
}

// evidenceOf shows a fault, with the place in the source that says otherwise if the judge repeats its words.
func evidenceOf(doc *detectors.Document, f *placedFault, source int) detectors.Evidence {
	row := detectors.Evidence{Start: f.start, End: f.end, Source: source, Similarity: 1 - f.Probability, Rule: string(f.Stance), Note: noteOf(f.Stance)}
	switch {
	case source >= 0:
		row.Says = f.Instead
		doc.Work().Spend(foldCost * len(doc.Source(source)))
		folded := text.Fold(doc.Source(source))
		row.SourceStart, row.SourceEnd, _ = folded.Find(f.Instead)
	case f.Instead != "":
		row.Note = "instead: " + f.Instead
	}
	return row
}

func noteOf(s schemas.Stance) string {
	switch s {
	case schemas.Contradicted:
		return "the sources, the conversation or arithmetic say otherwise"
	case schemas.WrongCitation:
		return "the cited source does not say this"
	default:
		return "nothing that was given says this"
	}
}
