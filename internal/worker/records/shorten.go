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

// shortenLevel is how much a flag is shortened. Each level drops more than the one before. No level changes ids, names,
// outcomes, scores, thresholds, fired, risk, recommendation, action, alert, origin and the sample fields.
type shortenLevel int

const (
	shortenNothing    shortenLevel = iota
	shortenExcerpts                // excerpts and notes of evidence, what sources say, excerpts of claims, the question, texts of statements
	shortenRows                    // evidence after the first row of a signal, which is the worst, and statements
	shortenClaims                  // the list of ungrounded claims
	shortenMeasures                // measures
	shortenAttributes              // attributes but for the mark
	shortenSignals                 // the rest of the evidence, reasons, types and the grounding summary
	shortenTags                    // tags, on which the severity may depend
	shortenTop                     // in an alert group: all incidents but the first
)

// apply returns a shortened copy of the flag, which shares unchanged parts with it.
func (l shortenLevel) apply(f *schemas.Flag) schemas.Flag {
	out := *f
	if l == shortenNothing {
		return out
	}
	out.Signals, out.Question = slices.Clone(f.Signals), ""
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
		e := &s.Evidence[i]
		e.Excerpt, e.Note, e.SourceExcerpt, e.SourceSays = "", "", "", ""
	}
	s.Statements = slices.Clone(s.Statements)
	for i := range s.Statements {
		s.Statements[i].Text, s.Statements[i].Reason = "", ""
	}
	if l >= shortenRows {
		s.Statements = nil
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

// applyState returns a copy of a record of llm.alerts with shortened flags. It keeps the first incident, to which the
// message and its buttons refer.
func (l shortenLevel) applyState(s *schemas.AlertState) schemas.AlertState {
	out := *s
	out.Group = l.applyGroup(s.Group)
	return out
}

func (l shortenLevel) applyGroup(group *schemas.AlertGroupState) *schemas.AlertGroupState {
	if group == nil {
		return nil
	}
	g := *group
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
	return &g
}

// StateEncoder encodes alert state and shortens it to the topic's size limit.
type StateEncoder struct {
	Topic   string
	Limits  *kafka.SizeLimits
	Metrics *Metrics
}

// Encode returns the state as JSON, its flags shortened as far as the topic requires. A state that does not fit in its
// shortest form is returned whole, and the broker rejects it as too large.
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
