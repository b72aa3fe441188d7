package figureindex

import (
	"slices"
	"strings"

	"confab/detectors"
)

// Kind says what is wrong with a fact of the answer.
type Kind uint8

// The kinds of a finding.
const (
	Number       Kind = iota // a number, amount or measure in neither sources nor prompt
	Date                     // a date, weekday or time of day in neither
	Name                     // a name in neither
	Weak                     // a figure that occurs in another context
	Contradicted             // a field of a record has another value
	Missing                  // a field of a record is null or absent, but the answer states its value
	Kinds        = iota
)

// Finding is an unsupported or doubtful fact of the answer.
type Finding struct {
	Claim      int32 // index among the statements of the document
	Kind       Kind
	Start, End int32   // bytes of the answer
	Weight     float32 // probability that it is a fault, 0 to 1

	Source                 int32 // index of the related source, -1 if unknown
	SourceStart, SourceEnd int32
	KeyStart, KeyEnd       int32 // of the value's key in the source, equal for none
}

// Findings collects the doubtful facts of one document, claim by claim.
type Findings struct {
	List      []Finding
	Checked   int // number of facts checked
	Unread    int // facts left out because their support may lie in text that was not read
	Truncated bool
	Claim     int32 // index of the current claim
}

// Reset empties the list.
func (l *Findings) Reset() { *l = Findings{List: l.List[:0], Claim: -1} }

// DropUnread removes the facts that text which was left out supports or may support. rest are the findings on what was left
// out of the sources: a fact that is doubtful there, too, stays. It is nil if that was not read. Findings that a source
// contradicts remain if that source was read in full.
func (l *Findings) DropUnread(d *detectors.Document, rest *Findings) {
	kept := l.List[:0]
	left := []Finding(nil)
	if rest != nil {
		left = rest.List
	}
	for i := range l.List {
		f := &l.List[i]
		provenField := (f.Kind == Contradicted || f.Kind == Missing) && f.Source >= 0 && !d.SourceTruncated(int(f.Source))
		if provenField || f.isDoubtfulIn(d, left) {
			kept = append(kept, *f)
		}
	}
	if rest == nil || rest.Unread > 0 {
		l.Unread = len(l.List) - len(kept)
		l.Checked -= l.Unread
	}
	l.List = kept
}

// isDoubtfulIn reports a fact that is also among the findings on left-out text, and that no such text of the prompt has. Its
// weight becomes the smaller one.
func (f *Finding) isDoubtfulIn(d *detectors.Document, left []Finding) bool {
	d.Work().Spend(1 + len(left)/detectors.ScanRows)
	at := slices.IndexFunc(left, func(g Finding) bool { return g.Start == f.Start && g.End == f.End })
	if at >= 0 {
		f.Weight = min(f.Weight, left[at].Weight)
	} else if d.SourcesTruncated() || Of(d).SourcesTruncated {
		return false
	}
	return !promptHas(d, d.Text()[f.Start:f.End])
}

// promptHas reports a fact that a prompt has which is too long to be read in full.
func promptHas(d *detectors.Document, fact string) bool {
	if !PromptOf(d).Truncated {
		return false
	}
	for i := range d.Interaction().Messages {
		m := &d.Interaction().Messages[i]
		if m.Role == "assistant" {
			continue
		}
		before, after := m.Instructions()
		d.Work().Spend((len(before) + len(after)) / detectors.SearchBytes)
		if strings.Contains(before, fact) || strings.Contains(after, fact) {
			return true
		}
	}
	return false
}

// Add adds a doubtful fact of the current claim.
func (l *Findings) Add(f Finding) {
	f.Claim = l.Claim
	l.List = append(l.List, f)
}
