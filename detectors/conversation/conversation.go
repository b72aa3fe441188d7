// Package conversation finds answers that contradict what the assistant said earlier in the same conversation.
package conversation

import (
	"context"
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/text"
	"confab/schemas"
)

// Options configure the detector.
type Options struct{}

// conversationDetector holds facts of the answer against those of earlier answers: of the record's own messages, else of
// [schemas.Interaction.Earlier].
type conversationDetector struct{}

// New returns the detector.
func New(Options) (detectors.Detector, error) { return &conversationDetector{}, nil }

// Name is the detector's name.
const Name = "conversation"

func (*conversationDetector) Name() string { return Name }

const (
	reasonFirst   = "first answer"
	reasonFacts   = "no facts"
	reasonFinding = "the answer contradicts an earlier one of the conversation"

	// The rules, with the chance that a finding of each is a fault.
	ruleFigure, weightFigure            = "earlier_figure", .9
	ruleName, ruleDecision, weightOther = "earlier_name", "earlier_decision", .85
)

// MaxTurns is how many earlier answers are read, the latest ones.
const MaxTurns = 16

// scratch is what the detector keeps of a document.
type scratch struct {
	doc     *detectors.Document
	answer  reader
	text    reader // of another text
	earlier []schemas.EarlierTurn
	asked   asked // the present question
	found   []detectors.Evidence
}

// Detect measures the facts of the answer and the findings. The score is the chance that one of the findings is a fault.
func (*conversationDetector) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	in := doc.Interaction()
	if !HoldsAnswers(in) && len(in.Earlier) == 0 {
		return detectors.Finding{NotCheckable: reasonFirst}, nil
	}
	s := read(doc)
	if len(s.answer.facts) == 0 {
		return detectors.Finding{NotCheckable: reasonFacts}, nil
	}
	if s.earlier = s.earlier[:0]; HoldsAnswers(in) {
		s.readMessages(in.Messages)
	} else {
		s.earlier = append(s.earlier, in.Earlier...)
	}
	score := s.compareAll()
	f := detectors.Finding{Score: score, Type: schemas.Conversation, Measures: doc.Measures(
		detectors.Measure{Name: "compared", Value: float64(len(s.answer.facts))}, detectors.Measure{Name: "findings", Value: float64(len(s.found))})}
	if len(s.found) > 0 {
		f.Reason, f.Evidence = reasonFinding, doc.Evidence(s.found...)
	}
	return f, nil
}

// HoldsAnswers reports whether the messages hold earlier answers: then they are the history, not [schemas.Interaction.Earlier].
func HoldsAnswers(in *schemas.Interaction) bool { return slices.ContainsFunc(in.Messages, isAnswer) }

func isAnswer(m schemas.Message) bool { return m.Role == "assistant" && m.Content != "" }

// read reads the facts of the answer and the question, once.
func read(doc *detectors.Document) *scratch {
	s, fresh := detectors.Scratch[scratch](doc)
	if fresh {
		s.doc = doc
		s.asked = s.readQuestion(doc.Interaction().UserQuestion())
		s.answer.p, s.answer.asked = doc.Texts().Answer, s.asked.words
		s.answer.read()
	}
	return s
}

// Turn is what the present answer states, for the turns after it. It shares no memory with the document. The texts of its facts are as
// they were written.
func Turn(doc *detectors.Document) schemas.EarlierTurn {
	s := read(doc)
	t := s.turn(s.asked, &s.answer)
	for i := range t.Facts {
		f := &t.Facts[i]
		if f.Text = strings.Clone(f.Text); i > 0 && f.Text == t.Facts[i-1].Text {
			f.Text = t.Facts[i-1].Text // once in memory
		}
	}
	return t
}

// Shorten cuts the text of a fact to its limit.
func Shorten(s string) string {
	s, _ = text.Cut(s, maxText)
	return s
}

// turn makes a turn of a question and of the answer in r.
func (s *scratch) turn(q asked, r *reader) schemas.EarlierTurn {
	t := schemas.EarlierTurn{Asked: q.names, Shifts: q.shifts}
	for i := range r.facts {
		t.Facts = append(t.Facts, r.facts[i].EarlierFact)
	}
	for _, k := range slices.Concat(r.words, q.words) {
		if len(t.Words) < maxWords && !slices.Contains(t.Words, k) {
			t.Words = append(t.Words, k)
		}
	}
	return t
}

// readMessages reads the turns of the messages, the latest ones.
func (s *scratch) readMessages(messages []schemas.Message) {
	number, skip := 0, -MaxTurns
	for i := range messages {
		if isAnswer(messages[i]) {
			skip++
		}
	}
	q := asked{}
	for i := range messages {
		m := &messages[i]
		answers := isAnswer(*m)
		if answers {
			number++
		}
		switch {
		case number < skip || number == skip && answers:
		case answers:
			s.text.prepare(s.doc, m.Content)
			s.text.asked = q.words
			s.text.read()
			t := s.turn(q, &s.text)
			t.Number = number
			s.earlier, q = append(s.earlier, t), asked{}
		case m.Role == "user":
			before, after := m.Question()
			q = s.readQuestion(before + after)
		}
	}
}
