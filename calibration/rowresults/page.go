package rowresults

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"
	"unicode/utf8"

	"confab/detectors"
	"confab/internal/markedtext"
	"confab/schemas"
)

//go:embed worst.html
var worstHTML string

// Text is the text of a result, with what detectors and people marked in it.
type Text struct {
	Question string
	Answer   []markedtext.Piece[string]
	Evidence []EvidenceText
	Cut      bool // the answer is longer than what is shown
}

// EvidenceText is the best evidence of one detector.
type EvidenceText struct {
	Detector, Excerpt, Note, Source string
	Fired                           bool
}

// Limits of the texts on a page.
const (
	maxAnswerBytes   = 6_000
	maxQuestionBytes = 600
	maxSourceBytes   = 500
	maxEvidence      = 3 // of one detector
)

// Classes of marked places.
const (
	classFired = "fired" // evidence of a detector that fired
	classQuiet = "quiet" // evidence of one that did not
	classLabel = "label" // marked by the labels
)

// NewText copies the text of a row and marks the places of its labels and of the readings of its detectors.
func NewText(row *schemas.Labelled, readings []detectors.Reading) *Text {
	in := &row.Interaction
	var marks []markedtext.Mark[string]
	for _, s := range row.Spans {
		marks = append(marks, markedtext.Mark[string]{Start: s.Start, End: s.End, Class: classLabel})
	}
	t := &Text{Question: cutText(strings.TrimSpace(in.UserQuestion()), maxQuestionBytes)}
	for i := range readings {
		r := &readings[i]
		if _, measured := r.Measured(); !measured {
			continue
		}
		fired, class := r.Outcome == schemas.Fired, classQuiet
		if fired {
			class = classFired
		}
		for _, e := range r.Finding.Evidence[:min(len(r.Finding.Evidence), maxEvidence)] {
			if e.Start >= 0 && e.Start < e.End && e.End <= len(in.Answer) {
				marks = append(marks, markedtext.Mark[string]{Start: e.Start, End: e.End, Class: class})
			}
			t.Evidence = append(t.Evidence, evidenceText(in, r.Detector, fired, e))
		}
	}
	answer := cutText(in.Answer, maxAnswerBytes)
	t.Cut = len(answer) < len(in.Answer)
	for _, p := range markedtext.SplitMarked(answer, marks) {
		p.Text = strings.Clone(p.Text)
		t.Answer = append(t.Answer, p)
	}
	return t
}

func evidenceText(in *schemas.Interaction, detector string, fired bool, e detectors.Evidence) EvidenceText {
	text := EvidenceText{Detector: detector, Fired: fired, Note: strings.Clone(e.Note)}
	if e.Start >= 0 && e.Start < e.End && e.End <= len(in.Answer) {
		text.Excerpt = cutText(in.Answer[e.Start:e.End], maxSourceBytes)
	}
	if e.Source >= 0 && e.Source < len(in.Sources) {
		if source := in.Sources[e.Source].Text; e.SourceStart >= 0 && e.SourceStart < e.SourceEnd && e.SourceEnd <= len(source) {
			text.Source = cutText(source[e.SourceStart:e.SourceEnd], maxSourceBytes)
		}
	}
	return text
}

// cutText copies at most most bytes of the text, whole characters only.
func cutText(text string, most int) string {
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most]
	}
	return strings.ToValidUTF8(strings.Clone(text), "\uFFFD")
}

// HTML is the part of a page that lists the worst answers. texts holds those of some results by index; without them the
// part has ids, figures and outcomes only. note is shown below the heading and may be empty.
func (w *Worst) HTML(texts map[int]*Text, note string) (template.HTML, error) {
	page, err := template.New("worst").Parse(worstHTML)
	if err != nil {
		return "", fmt.Errorf("write the worst answers: %w", err)
	}
	sections := []sectionView{
		{Title: "Worst false alarms", Empty: "No answer that is labelled fine was flagged.", Results: views(w.FalseAlarms, texts)},
		{Title: "Worst misses", Empty: "Every faulty answer that a detector could check was flagged.", Results: views(w.Misses, texts)},
	}
	sections[0].Counts = fmt.Sprintf("%d of %d answers labelled fine were flagged; the worst %d, alerts first, then by risk.",
		w.AllFalseAlarms, w.FaultlessCount, len(w.FalseAlarms))
	sections[1].Counts = fmt.Sprintf("%d of %d faulty answers passed though a detector could check them; %d more no detector could check. The worst %d, the lowest risk first.",
		w.AllMisses, w.FaultyAnswers, w.Uncheckable, len(w.Misses))
	var b strings.Builder
	if err := page.Execute(&b, struct {
		Sections []sectionView
		Note     string
		Texts    bool
	}{sections, note, len(texts) > 0}); err != nil {
		return "", fmt.Errorf("write the worst answers: %w", err)
	}
	return template.HTML(b.String()), nil //nolint:gosec // the template has escaped it
}

type sectionView struct {
	Title, Counts, Empty string
	Results              []resultView
}

type resultView struct {
	*Result
	RiskText, Explained string
	Text                *Text
}

func views(results []*Result, texts map[int]*Text) (list []resultView) {
	for _, r := range results {
		v := resultView{Result: r, Explained: r.Explanation(), Text: texts[r.Index]}
		if !math.IsNaN(r.Risk) {
			v.RiskText = fmt.Sprintf("%.2f", r.Risk)
		}
		list = append(list, v)
	}
	return list
}
