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

// shortenedAttribute marks a flag that was shortened to fit its topic; its value is the level, from 1 to shortenAll.
const shortenedAttribute = "confab_slimmed"

// shortenLevel is how much a flag is shortened. Each level drops more than the one before. No level changes ids, names,
// outcomes, scores, thresholds, fired, risk, recommendation, action, alert, origin and the sample fields.
type shortenLevel int

const (
	shortenNothing shortenLevel = iota
	shortenTexts                // texts of the interaction: excerpts, notes, what sources say, the question, statements
	shortenDetails              // evidence after the first row of a signal, which is the worst; statements, claims, measures, attributes
	shortenAll                  // the rest of the evidence, reasons, types, the grounding summary, and tags, on which the severity may depend
	shortenTop                  // in an alert group: all incidents but the first
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
	if l < shortenDetails {
		maps.Copy(out.Attributes, f.Attributes)
	}
	if l >= shortenAll {
		out.Tags = nil
	}
	out.Attributes[shortenedAttribute] = strconv.Itoa(int(l))
	return out
}

func (l shortenLevel) signal(s *schemas.Signal) {
	s.Evidence, s.Statements = slices.Clone(s.Evidence), slices.Clone(s.Statements)
	for i := range s.Evidence {
		e := &s.Evidence[i]
		e.Excerpt, e.Note, e.SourceExcerpt, e.SourceSays = "", "", "", ""
	}
	for i := range s.Statements {
		s.Statements[i].Text, s.Statements[i].Reason = "", ""
	}
	if l >= shortenDetails {
		s.Evidence, s.Statements, s.Measures = s.Evidence[:min(len(s.Evidence), 1)], nil, nil
	}
	if l >= shortenAll {
		s.Evidence, s.Reason, s.Type = nil, "", ""
	}
}

func (l shortenLevel) grounding(g *schemas.Grounding) *schemas.Grounding {
	if g == nil || l >= shortenAll {
		return nil
	}
	out := *g
	out.UngroundedClaimList = slices.Clone(g.UngroundedClaimList)
	for i := range out.UngroundedClaimList {
		out.UngroundedClaimList[i].Excerpt = ""
	}
	if l >= shortenDetails {
		out.UngroundedClaimList = nil
	}
	return &out
}

// applyState returns a copy of a record of llm.alerts with shortened flags. It keeps the first incident, to which the
// message and its buttons refer.
func (l shortenLevel) applyState(s *schemas.AlertState) schemas.AlertState {
	out := *s
	if s.Waiting != nil {
		out.Waiting = new(min(l, shortenAll).apply(s.Waiting))
	}
	if s.Group == nil {
		return out
	}
	g := *s.Group
	out.Group = &g
	if g.Top = slices.Clone(g.Top); l >= shortenTop {
		g.Top, l = nil, shortenAll
	}
	for i := range g.Top {
		g.Top[i] = l.apply(&g.Top[i])
	}
	if g.Lead != nil {
		g.Lead = new(l.apply(g.Lead))
	}
	return out
}

// fit encodes at the levels up to the last until a value fits its topic. What does not fit in its shortest form is returned
// whole, and the broker rejects it as too large.
func fit(last shortenLevel, m kafka.Message, limits *kafka.SizeLimits, encode func(l shortenLevel) ([]byte, error)) (fitting kafka.Message, level shortenLevel, err error) {
	whole := m
	for level = shortenNothing; level <= last; level++ {
		if m.Value, err = encode(level); err != nil {
			return m, level, err
		}
		if limits.Fits(&m) {
			return m, level, nil
		}
		if level == shortenNothing {
			whole.Value = m.Value
		}
	}
	return whole, shortenNothing, nil
}

// StateEncoder encodes alert state and shortens it to the topic's size limit.
type StateEncoder struct {
	Topic   string
	Limits  *kafka.SizeLimits
	Metrics *Metrics
}

// Encode returns the state as JSON, its flags shortened as far as the topic requires.
func (s *StateEncoder) Encode(key string, state *schemas.AlertState) ([]byte, error) {
	m, level, err := fit(shortenTop, kafka.Message{Topic: s.Topic, Key: []byte(key)}, s.Limits, func(l shortenLevel) ([]byte, error) {
		slim := l.applyState(state)
		return json.AppendAlertState(nil, &slim)
	})
	if err != nil {
		return nil, fmt.Errorf("encode alert state: %w", err)
	}
	s.Metrics.countShortened(s.Topic, level)
	return m.Value, nil
}
