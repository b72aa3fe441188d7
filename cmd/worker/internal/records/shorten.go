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

// slimmedAttribute marks a flag that was shortened to fit its topic; its value is the level, from 1 to slimTags.
const slimmedAttribute = "confab_slimmed"

// slimLevel is how much a flag is shortened. Each level leaves out what the one before it does, and more. No level touches
// ids, names, outcomes, scores, thresholds, fired, unusual, risk, recommendation, action, alert, origin and the sample fields.
type slimLevel int

const (
	slimNothing    slimLevel = iota
	slimExcerpts             // excerpts and notes of evidence, excerpts of claims
	slimRows                 // evidence beyond the first row of a signal, which is the worst
	slimClaims               // the list of ungrounded claims
	slimMeasures             // measures
	slimAttributes           // attributes but for the mark
	slimSignals              // the rest of the evidence, reasons, types and the grounding summary
	slimTags                 // tags, which severities go by
	slimTop                  // of an alert group: the incidents beside the first
)

// of is a copy of the flag at the level. It shares what it does not change with the flag, which is left as it was.
func (l slimLevel) of(f *schemas.Flag) schemas.Flag {
	out := *f
	if l == slimNothing {
		return out
	}
	out.Signals = slices.Clone(f.Signals)
	for i := range out.Signals {
		l.signal(&out.Signals[i])
	}
	out.Grounding = l.grounding(f.Grounding)
	out.Attributes = make(map[string]string, 1)
	if l < slimAttributes {
		maps.Copy(out.Attributes, f.Attributes)
	}
	if l >= slimTags {
		out.Tags = nil
	}
	out.Attributes[slimmedAttribute] = strconv.Itoa(int(l))
	return out
}

func (l slimLevel) signal(s *schemas.Signal) {
	rows := len(s.Evidence)
	if l >= slimRows {
		rows = min(rows, 1)
	}
	s.Evidence = slices.Clone(s.Evidence[:rows])
	for i := range s.Evidence {
		s.Evidence[i].Excerpt, s.Evidence[i].Note = "", ""
	}
	if l >= slimMeasures {
		s.Measures = nil
	}
	if l >= slimSignals {
		s.Evidence, s.Reason, s.Type = nil, "", ""
	}
}

func (l slimLevel) grounding(g *schemas.Grounding) *schemas.Grounding {
	if g == nil || l >= slimSignals {
		return nil
	}
	out := *g
	out.UngroundedClaimList = slices.Clone(g.UngroundedClaimList)
	for i := range out.UngroundedClaimList {
		out.UngroundedClaimList[i].Excerpt = ""
	}
	if l >= slimClaims {
		out.UngroundedClaimList = nil
	}
	return &out
}

// state is a copy of a record of llm.alerts whose flags are at the level. The first incident is always kept: the message
// and its buttons are about it.
func (l slimLevel) state(s *schemas.AlertState) schemas.AlertState {
	out := *s
	if s.Group == nil {
		return out
	}
	g := *s.Group
	if l >= slimTop {
		g.Top = nil
	}
	l = min(l, slimTags)
	if g.Lead != nil {
		lead := l.of(g.Lead)
		g.Lead = &lead
	}
	g.Top = slices.Clone(g.Top)
	for i := range g.Top {
		g.Top[i] = l.of(&g.Top[i])
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
	for level := slimNothing; level <= slimTop; level++ {
		slim := level.state(state)
		value, err := json.AppendAlertState(nil, &slim)
		switch {
		case err != nil:
			return nil, fmt.Errorf("encode alert state: %w", err)
		case s.Limits.Fits(&kafka.Message{Topic: s.Topic, Key: []byte(key), Value: value}):
			if level > slimNothing {
				s.Metrics.slimmed.WithLabelValues(s.Topic).Inc()
			}
			return value, nil
		case level == slimNothing:
			whole = value
		}
	}
	return whole, nil
}
