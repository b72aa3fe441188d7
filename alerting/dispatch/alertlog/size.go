package alertlog

import "confab/schemas"

// Size is a number of groups and their estimated memory.
type Size struct{ Groups, Bytes int }

// Minus subtracts o.
func (s Size) Minus(o Size) Size {
	return Size{s.Groups - o.Groups, s.Bytes - o.Bytes}
}

// Fraction returns n/of of a limit.
func (s Size) Fraction(n, of int) Size {
	return Size{s.Groups * n / of, s.Bytes * n / of}
}

// Within reports that neither groups nor bytes exceed the limit.
func (s Size) Within(limit Size) bool {
	return s.Groups <= limit.Groups && s.Bytes <= limit.Bytes
}

// Estimated bytes of the parts of the state, including maps and allocation classes. TestStateBytes compares them with the heap.
const (
	groupBytes    = 1700
	flagBytes     = 700
	signalBytes   = 112
	evidenceBytes = 128
	measureBytes  = 28
	stringBytes   = 8 // the average rounding of an allocation
)

// RecordSize is the estimated memory of a group's record in bytes.
func RecordSize(rec *schemas.AlertState) int {
	g := rec.Group
	n := groupBytes + len(g.Labels.Tenant) + len(g.Labels.Service) + len(g.Labels.Operation) + len(g.Labels.Provider) +
		len(g.Labels.Model) + textsSize(g.Labels.Detectors) + textsSize(g.Models)
	if g.Lead != nil {
		n += FlagSize(g.Lead)
	}
	for i := range g.Top {
		n += FlagSize(&g.Top[i])
	}
	for i := range g.Feedback {
		n += 200 + len(g.Feedback[i].User) + len(g.Feedback[i].Comment)
	}
	return n
}

// FlagSize is the estimated memory of a flag in bytes.
func FlagSize(f *schemas.Flag) int {
	n := flagBytes + len(f.InteractionID) + len(f.Tenant) + len(f.Service) + len(f.Operation) + len(f.Provider) + len(f.Model) +
		len(f.TraceID) + len(f.SpanID) + len(f.ConversationID) + len(f.Calibration) + len(f.WorkerVersion) + len(f.SourcesFrom) + len(f.Question) + len(f.Checked) + textsSize(f.Unchecked) + textsSize(f.Fired) +
		len(f.AnomalousRates)*2*measureBytes
	for i := range f.Signals {
		s := &f.Signals[i]
		n += signalBytes + len(s.Detector) + len(s.Reason) + 2*stringBytes + len(s.Measures)*2*measureBytes
		for j := range s.Evidence {
			e := &s.Evidence[j]
			n += evidenceBytes + len(e.Excerpt) + len(e.Note) + len(e.Citation) + len(e.SourceID) + len(e.SourceExcerpt) + len(e.SourceSays) + 2*stringBytes
		}
	}
	return n
}

func textsSize(texts []string) (n int) {
	for _, s := range texts {
		n += 16 + len(s) + stringBytes
	}
	return n
}
