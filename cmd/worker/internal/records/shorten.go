package records

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"confab/internal/kafka"
	"confab/schemas"
	"confab/schemas/json"
)

// shortenedAttribute marks a flag that was shortened to fit its topic; its value is the level, from 1 to shortenTags.
const shortenedAttribute = "confab_slimmed"

// shortenLevel is how much a flag is shortened. Each level leaves out what the one before it does, and more. No level touches
// ids, names, outcomes, scores, thresholds, fired, unusual, risk, recommendation, action, alert, origin and the sample fields.
type shortenLevel int

const (
	shortenNothing    shortenLevel = iota
	shortenExcerpts                // excerpts and notes of evidence, excerpts of claims
	shortenRows                    // evidence beyond the first row of a signal, which is the worst
	shortenClaims                  // the list of ungrounded claims
	shortenMeasures                // measures
	shortenAttributes              // attributes but for the mark
	shortenSignals                 // the rest of the evidence, reasons, types and the grounding summary
	shortenTags                    // tags, which severities go by
	shortenTop                     // of an alert group: the incidents beside the first
)

// apply is a copy of the flag at the level. It shares what it does not change with the flag, which is left as it was.
func (l shortenLevel) apply(f *schemas.Flag) schemas.Flag {
	out := *f
	if l == shortenNothing {
		return out
	}
	out.Signals = slices.Clone(f.Signals)
	for i := range out.Signals {
		l.signal(&out.Signals[i])
	}
	out.Grounding = l.grounding(f.Grounding)
	out.Attributes = make(map[string]string, 1)
	if l < shortenAttributes {
		maps.Copy(out.Attributes, f.Attributes)
	}
	if l >= shortenTags {
		out.Tags = nil
	}
	out.Attributes[shortenedAttribute] = strconv.Itoa(int(l))
	return out
}

func (l shortenLevel) signal(s *schemas.Signal) {
	rows := len(s.Evidence)
	if l >= shortenRows {
		rows = min(rows, 1)
	}
	s.Evidence = slices.Clone(s.Evidence[:rows])
	for i := range s.Evidence {
		s.Evidence[i].Excerpt, s.Evidence[i].Note = "", ""
	}
	if l >= shortenMeasures {
		s.Measures = nil
	}
	if l >= shortenSignals {
		s.Evidence, s.Reason, s.Type = nil, "", ""
	}
}

func (l shortenLevel) grounding(g *schemas.Grounding) *schemas.Grounding {
	if g == nil || l >= shortenSignals {
		return nil
	}
	out := *g
	out.UngroundedClaimList = slices.Clone(g.UngroundedClaimList)
	for i := range out.UngroundedClaimList {
		out.UngroundedClaimList[i].Excerpt = ""
	}
	if l >= shortenClaims {
		out.UngroundedClaimList = nil
	}
	return &out
}

// applyState is a copy of a record of llm.alerts whose flags are at the level. The first incident is always kept: the message
// and its buttons are about it.
func (l shortenLevel) applyState(s *schemas.AlertState) schemas.AlertState {
	out := *s
	if s.Group == nil {
		return out
	}
	g := *s.Group
	if l >= shortenTop {
		g.Top = nil
	}
	l = min(l, shortenTags)
	if g.Lead != nil {
		lead := l.apply(g.Lead)
		g.Lead = &lead
	}
	g.Top = slices.Clone(g.Top)
	for i := range g.Top {
		g.Top[i] = l.apply(&g.Top[i])
	}
	out.Group = &g
	return out
}

// StateEncoder shortens records to what their topic takes.
type StateEncoder struct {
	Topic   string
	Limits  *kafka.SizeLimits
	Metrics *Metrics
}

// Encode is the state as JSON, its flags shortened as far as the topic demands. A state that does not fit in its shortest
// form is returned whole, and is refused as too large.
func (s *StateEncoder) Encode(key string, state *schemas.AlertState) ([]byte, error) {
	var whole []byte
	for level := shortenNothing; level <= shortenTop; level++ {
		slim := level.applyState(state)
		value, err := json.AppendAlertState(nil, &slim)
		switch {
		case err != nil:
			return nil, fmt.Errorf("encode alert state: %w", err)
		case s.Limits.Fits(&kafka.Message{Topic: s.Topic, Key: []byte(key), Value: value}):
			if level > shortenNothing {
				s.Metrics.shortened.WithLabelValues(s.Topic).Inc()
			}
			return value, nil
		case level == shortenNothing:
			whole = value
		}
	}
	return whole, nil
}
