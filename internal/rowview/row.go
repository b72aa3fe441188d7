package rowview

import (
	"cmp"
	"slices"
	"strings"

	"confab/detectors/grounding"
	"confab/detectors/rewrite"
	"confab/internal/redact"
	"confab/internal/text"
	"confab/schemas"
)

// Limits of a row, in bytes and findings.
const (
	maxAnswer    = 6000
	maxQuestion  = 300
	maxField     = 200
	maxBefore    = 8 // turns before the question, and calls
	maxFindings  = 12
	maxSentence  = 320
	passageAbout = 120 // on each side of the place in the source
	maxPassage   = 700
)

// Row is what a person needs to judge one answer. It shares no memory with the interaction.
type Row struct {
	Rank Rank

	ID, Incident              string
	Service, Operation, Model string
	Question                  string
	Earlier, Calls            []string  // the last turns before the question; the last calls with arguments and results, redacted
	Sources                   []string  // their first texts, redacted
	SourcesFrom               string    // where the sources were found, if not in their own field
	Answer                    Text      // its marks are numbers of findings
	Findings                  []Finding // by detector, each detector's worst ones first
	MoreFindings              int       // not in Findings

	Signals        []Signal
	Fired          []string
	Witness        string // says that detectors of Fired are one witness; "" if none are
	Recommendation schemas.Recommendation
	NoAlert        string   // why it is no alert although a detector fired; usually empty
	Unchecked      []string // why not all of the answer was measured; see [schemas.UncheckedReasons]

	Rewrite *rewrite.Result // redacted; nil if answers are not rewritten
}

// Signal is the result of one rule.
type Signal struct {
	Detector  string
	Outcome   schemas.Outcome
	Score     float64
	Threshold float64
	Reason    string
}

// Finding is one place of the answer that a detector that fired reported, or a claim that no source supports.
type Finding struct {
	Number   int // of the place, from 1, in the order of the answer; the mark there. Findings of one place share it
	Detector string
	Rule     string // or expert, in words
	Claim    bool   // a claim of the grounding summary
	Citation string
	Support  float64 // of the place by the source, 0 to 1
	Note     string
	Speaker  string // the source or a call; see [schemas.Evidence.Speaker]
	Says     string // what it has instead
	Sentence Text   // of the answer, with the place marked; empty without a place
	Passage  *Passage
}

// Passage is the part of a source that a place of the answer was compared with.
type Passage struct {
	Source string // its id, or its position
	Text   Text   // with the compared part marked, if there is one
}

// New prepares a row, redacted by hide; nil has the built-in patterns. Only the texts of the interaction are read, and only
// during the call.
func New(in *schemas.Interaction, f *schemas.Flag, hide *redact.Redactor) *Row {
	r := &Row{
		Rank: RankOf(f), ID: redact.Shorten(cutText(f.InteractionID, 4*maxField), maxField), Incident: f.IncidentID,
		Service: excerpt(hide, f.Service, maxField), Operation: excerpt(hide, f.Operation, maxField), Model: excerpt(hide, f.Model, maxField),
		Question: question(in, hide), Earlier: earlierTurns(in, hide), Calls: calls(in, hide), Fired: append([]string(nil), f.Fired...), Witness: f.DescribeWitness(), Recommendation: f.Recommendation,
		Unchecked: append([]string(nil), f.Unchecked...), Sources: SourceTexts(in, hide, maxAnswer),
	}
	for i := range f.Signals {
		s := &f.Signals[i]
		r.Signals = append(r.Signals, Signal{s.Detector, s.Outcome, s.Score, s.Threshold, excerpt(hide, s.Reason, maxField)})
	}
	if in.SourcesFrom != schemas.SourcesFromField && in.SourcesFrom != schemas.SourcesFromNone {
		r.SourcesFrom = in.SourcesFrom
	}
	b := &builder{in: in, row: r, hide: hide, places: listPlaces(f)}
	b.addFindings()
	r.Answer = b.answer()
	return r
}

// SourceTexts are the first texts of the sources with their titles in so many bytes, redacted by hide, but for results that are shown
// with their calls.
func SourceTexts(in *schemas.Interaction, hide *redact.Redactor, left int) (texts []string) {
	for i := range in.Sources {
		s := in.Sources[i].Text
		if slices.ContainsFunc(in.Calls[max(0, len(in.Calls)-maxBefore):], func(c schemas.ToolCall) bool { return c.Result == s && len(s) <= maxQuestion }) {
			continue
		}
		if title := in.Sources[i].Title; title != "" && s != "" && !strings.HasPrefix(s, title) {
			s = title + "\n" + s
		}
		shown, cut := text.Cut(hide.Redact(cutText(s, left+redactMargin)), left)
		if cut {
			shown += " …"
		}
		if left = max(0, left-len(shown)); shown != " …" {
			texts = append(texts, strings.Clone(shown))
		}
	}
	return texts
}

// question is the question of the user, else of the last message; of a long one the last lines.
func question(in *schemas.Interaction, hide *redact.Redactor) string {
	asked := in.UserQuestion()
	if asked == "" {
		before, after := in.Question()
		asked = before + after
	}
	asked = strings.TrimSpace(asked)
	if end := hide.Redact(asked[max(0, len(asked)-maxQuestion-redactMargin):]); len(end) > maxQuestion { // a prompt ends with the question
		if _, lines, ok := strings.Cut(end[len(end)-maxQuestion:], "\n"); ok {
			asked = "… " + lines
		}
	}
	return excerpt(hide, asked, maxQuestion)
}

// earlierTurns are the last turns of user and assistant before the question.
func earlierTurns(in *schemas.Interaction, hide *redact.Redactor) (turns []string) {
	asked := false
	for _, m := range slices.Backward(in.Messages) {
		user := strings.EqualFold(m.Role, "user")
		before, after := m.Question()
		if said := strings.TrimSpace(before + after); asked && said != "" && len(turns) < maxBefore && (user || strings.EqualFold(m.Role, "assistant")) {
			turns = append(turns, m.Role+": "+excerpt(hide, said, maxQuestion))
		}
		asked = asked || user
	}
	slices.Reverse(turns)
	return turns
}

// calls are the last calls of tools: arguments say what a result without an id is about.
func calls(in *schemas.Interaction, hide *redact.Redactor) (list []string) {
	for _, c := range in.Calls[max(0, len(in.Calls)-maxBefore):] {
		list = append(list, excerpt(hide, c.Name, maxField)+" "+excerpt(hide, c.Arguments, maxQuestion)+" → "+excerpt(hide, cmp.Or(c.Error, c.Result, "no result"), maxQuestion))
	}
	return list
}

func excerpt(hide *redact.Redactor, s string, limit int) string {
	return redact.Shorten(hide.Redact(cutText(strings.TrimSpace(s), limit+redactMargin)), limit)
}

func cutText(s string, limit int) string {
	s, _ = text.Cut(s, limit)
	return strings.Clone(s)
}

// place is a place of the answer with what was found there.
type place struct {
	schemas.Evidence
	detector string
	claim    bool
}

// listPlaces are the evidence of the signals that fired, and the unsupported claims that are not among it.
func listPlaces(f *schemas.Flag) (places []place) {
	for i := range f.Signals {
		for _, e := range f.Signals[i].Evidence {
			places = append(places, place{Evidence: e, detector: f.Signals[i].Detector})
		}
	}
	if f.Grounding == nil || f.Grounding.Grounded {
		return places
	}
next:
	for _, c := range f.Grounding.UngroundedClaimList {
		for i := range places {
			if places[i].Start <= c.Start && c.End <= places[i].End {
				continue next
			}
		}
		places = append(places, place{Evidence: schemas.Evidence{Start: c.Start, End: c.End, Similarity: c.Similarity}, detector: grounding.Name, claim: true})
	}
	return places
}

// builder makes the findings of a row from the places.
type builder struct {
	in        *schemas.Interaction
	row       *Row
	hide      *redact.Redactor
	places    []place
	spans     []Span
	sentences []text.Span
}

func (b *builder) addFindings() {
	shown := b.places[:min(len(b.places), maxFindings)]
	b.row.MoreFindings = len(b.places) - len(shown)
	if len(shown) > 0 {
		b.sentences = text.AppendSentences(nil, b.in.Answer)
	}
	numbers := numberPlaces(shown)
	for i := range shown {
		p := &shown[i]
		f := Finding{Number: numbers[i], Detector: p.detector, Rule: strings.ReplaceAll(excerpt(b.hide, p.Rule, maxField), "_", " "), Claim: p.claim, Citation: excerpt(b.hide, p.Citation, maxField), Support: p.Similarity, Speaker: excerpt(b.hide, p.Speaker(), maxField), Says: excerpt(b.hide, p.Says(), maxField)}
		if p.Note != p.Says() {
			f.Note = excerpt(b.hide, p.Note, maxField)
		}
		if 0 <= p.Start && p.Start < p.End && p.End <= len(b.in.Answer) {
			span := Span{p.Start, p.End, f.Number}
			if !slices.Contains(b.spans, span) {
				b.spans = append(b.spans, span)
			}
			f.Sentence = b.sentence(span)
		}
		f.Passage = b.passage(p)
		b.row.Findings = append(b.row.Findings, f)
	}
}

// numberPlaces numbers places in the order of the answer, the longer one first where two begin together. Equal ones have one
// number. What has no place comes last.
func numberPlaces(places []place) []int {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &places[i], &places[j]
		if (a.Start < 0) != (b.Start < 0) {
			return cmp.Compare(b.Start, a.Start)
		}
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	numbers := make([]int, len(places))
	last := 0
	for k, i := range order {
		if before := &places[order[max(0, k-1)]]; k == 0 || places[i].Start < 0 || before.Start != places[i].Start || before.End != places[i].End {
			last++
		}
		numbers[i] = last
	}
	return numbers
}

// answer is the whole answer, or the part that begins shortly before the first place of a long one.
func (b *builder) answer() Text {
	from, to := 0, len(b.in.Answer)
	if to > maxAnswer {
		if len(b.spans) > 0 {
			first := to
			for _, s := range b.spans {
				first = min(first, s.Start)
			}
			from = min(max(0, first-maxAnswer/4), to-maxAnswer)
		}
		to = from + maxAnswer
	}
	return markText(b.hide, b.in.Answer, b.spans, from, to)
}

// sentence is the sentence around a place, shortened if it is long.
func (b *builder) sentence(s Span) Text {
	from, to := s.Start, s.End
	for _, sentence := range b.sentences {
		if int(sentence.Start) < s.End && s.Start < int(sentence.End) {
			from, to = min(from, int(sentence.Start)), max(to, int(sentence.End))
		}
	}
	start, end := shortenAround(from, to, s, maxSentence)
	t := markText(b.hide, b.in.Answer, []Span{s}, start, end)
	t.Before, t.After = start-from, to-end // of the sentence
	return t
}

// passage is the part of a source that the place was compared with: its own, else that of another place that overlaps, else
// the beginning of its source.
func (b *builder) passage(p *place) *Passage {
	if found := b.passageOf(&p.Evidence); found != nil {
		return found
	}
	for i := range b.places {
		if o := &b.places[i]; p.Start >= 0 && o.Start < p.End && p.Start < o.End {
			if found := b.passageOf(&o.Evidence); found != nil {
				return found
			}
		}
	}
	return b.beginning(&p.Evidence)
}

// beginning is the start of a source of which no part was close to the place.
func (b *builder) beginning(e *schemas.Evidence) *Passage {
	for i := range b.in.Sources {
		if s := &b.in.Sources[i]; (e.SourceID != "" || e.SourceNumber > 0) && isSource(e, s, i) {
			return &Passage{Source: nameSource(b.hide, s.ID, i), Text: markText(b.hide, s.Text, nil, 0, min(len(s.Text), 2*passageAbout))}
		}
	}
	return nil
}

// isSource reports whether the evidence is about the source at index i. Many sources have no id: then its number decides.
func isSource(e *schemas.Evidence, s *schemas.Source, i int) bool {
	return s.ID == e.SourceID && (e.SourceNumber == 0 || e.SourceNumber == i+1)
}

func (b *builder) passageOf(e *schemas.Evidence) *Passage {
	if e.SourceEnd <= e.SourceStart || e.SourceStart < 0 {
		return nil
	}
	for i := range b.in.Sources {
		s := &b.in.Sources[i]
		if !isSource(e, s, i) || e.SourceEnd > len(s.Text) {
			continue
		}
		span := Span{e.SourceStart, e.SourceEnd, 1}
		from, to := shortenAround(max(0, span.Start-2*passageAbout), min(len(s.Text), span.End+2*passageAbout), span, maxPassage)
		return &Passage{Source: nameSource(b.hide, s.ID, i), Text: markText(b.hide, s.Text, []Span{span}, from, to).Narrow(passageAbout)}
	}
	return nil
}
