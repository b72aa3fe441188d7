package redaction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"confab/calibration/roc"
	"confab/internal/jsonl"
	"confab/internal/redact"
)

// Kind is how many labelled secrets of a kind were replaced.
type Kind struct {
	Kind    string     `json:"kind"`
	Secrets int        `json:"secrets"`
	Hidden  int        `json:"hidden"` // every letter and digit was replaced
	Partly  int        `json:"partly"` // some were
	Recall  float64    `json:"recall"`
	Range   [2]float64 `json:"recall_95"`
}

// False is how many other parts of texts a pattern replaced.
type False struct {
	Label string `json:"label"`
	Count int    `json:"count"`
}

// Missed is a secret that was not replaced as a whole, or another part of a text that was replaced.
type Missed struct {
	Line int    `json:"line"`
	ID   string `json:"id,omitempty"`
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
}

// Report is what a file of labelled texts says about redaction.
type Report struct {
	Rows      int      `json:"rows"`
	Words     int      `json:"words"`
	Kinds     []Kind   `json:"kinds"`
	All       Kind     `json:"all"`
	False     []False  `json:"false_redactions"`
	FalseRows int      `json:"rows_with_false_redactions"`
	Missed    []Missed `json:"missed,omitempty"`
	Wrong     []Missed `json:"wrong,omitempty"`
	LeftOut   int      `json:"left_out"`
	Faults    []string `json:"-"` // of rows that were left out
}

// maxListed bounds the missed and wrong parts, and the faults, of a report.
const maxListed = 1000

// MeasureFile measures a redactor on a file of labelled texts, JSON Lines or gzip. texts adds the texts of what was missed.
func MeasureFile(ctx context.Context, name string, r *redact.Redactor, texts bool) (*Report, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := jsonl.NewReader(f, maxRowBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m := measuring{redactor: r, texts: texts, kinds: map[string]*Kind{}, wrong: map[string]int{}}
	for ctx.Err() == nil {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return m.report(), nil
		}
		if err == nil {
			err = m.row(lines.Number(), line)
		} else if !errors.Is(err, jsonl.ErrTooLong) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err != nil {
			m.leaveOut(lines.Number(), err)
		}
	}
	return nil, ctx.Err()
}

type measuring struct {
	redactor *redact.Redactor
	texts    bool
	kinds    map[string]*Kind
	wrong    map[string]int
	out      Report
}

func (m *measuring) leaveOut(line int, err error) {
	m.out.LeftOut++
	if len(m.out.Faults) < maxListed {
		m.out.Faults = append(m.out.Faults, fmt.Sprintf("line %d: %s", line, err))
	}
}

func (m *measuring) row(number int, line []byte) error {
	r, secrets, err := decodeRow(line)
	if err != nil {
		return err
	}
	m.out.Rows++
	m.out.Words += len(strings.Fields(*r.Text))
	found := m.redactor.Spans(*r.Text)
	for _, s := range secrets {
		k := m.kinds[s.kind]
		if k == nil {
			k = &Kind{Kind: s.kind}
			m.kinds[s.kind] = k
		}
		k.Secrets++
		left, replaced := count(*r.Text, s, found)
		switch {
		case left == 0:
			k.Hidden++
			continue
		case replaced > 0:
			k.Partly++
		}
		m.out.Missed = m.list(m.out.Missed, Missed{number, r.ID, s.kind, (*r.Text)[s.start:s.end]})
	}
	before := m.total()
	i := 0
	for _, f := range found {
		for i < len(secrets) && secrets[i].end <= f.Start {
			i++
		}
		if i == len(secrets) || secrets[i].start >= f.End {
			m.wrong[f.Label]++
			m.out.Wrong = m.list(m.out.Wrong, Missed{number, r.ID, f.Label, (*r.Text)[f.Start:f.End]})
		}
	}
	if m.total() > before {
		m.out.FalseRows++
	}
	return nil
}

func (m *measuring) total() (n int) {
	for _, c := range m.wrong {
		n += c
	}
	return n
}

func (m *measuring) list(all []Missed, one Missed) []Missed {
	if len(all) == maxListed {
		return all
	}
	if !m.texts {
		one.Text = ""
	}
	return append(all, one)
}

// count counts the letters and digits of a secret that found leaves, and those that it replaces.
func count(text string, s secret, found []redact.Span) (left, replaced int) {
	i, _ := slices.BinarySearchFunc(found, s.start, func(f redact.Span, at int) int { return cmp.Compare(f.End, at+1) })
	for at, c := range text[s.start:s.end] {
		at += s.start
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			continue
		}
		for i < len(found) && found[i].End <= at {
			i++
		}
		if i < len(found) && found[i].Start <= at {
			replaced++
		} else {
			left++
		}
	}
	return left, replaced
}

func (m *measuring) report() *Report {
	out, all := &m.out, Kind{Kind: "all"}
	for _, name := range slices.Sorted(maps.Keys(m.kinds)) {
		k := *m.kinds[name]
		all.Secrets, all.Hidden, all.Partly = all.Secrets+k.Secrets, all.Hidden+k.Hidden, all.Partly+k.Partly
		out.Kinds = append(out.Kinds, k.withRecall())
	}
	out.All = all.withRecall()
	for _, label := range slices.Sorted(maps.Keys(m.wrong)) {
		out.False = append(out.False, False{label, m.wrong[label]})
	}
	return out
}

func (k Kind) withRecall() Kind {
	k.Recall = float64(k.Hidden) / max(1, float64(k.Secrets))
	k.Range[0], k.Range[1] = roc.Wilson(k.Recall, float64(k.Secrets))
	return k
}
