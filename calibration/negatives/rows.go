package negatives

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"confab/internal/text"
	"confab/schemas"
)

// Options set the number of rows that are made of one row.
type Options struct {
	Faults     int // synthetic negatives of a supported answer
	Preserving int // label-preserving edits
	Pairs      int // paired examples of source sentences: two rows each
}

// DefaultOptions give equal numbers of rows of both labels.
func DefaultOptions() Options { return Options{Faults: 3, Preserving: 3, Pairs: 3} }

// Rows makes labelled training rows of a row, in its group, with its sources and messages and without token
// probabilities. Faulty rows have the span of the fault. Half of the faults are in answers with label-preserving edits,
// so that a synonym or a rare wording does not reveal the label. A row labelled as bad gives paired examples only.
func Rows(rng *rand.Rand, row *schemas.Labelled, pool *Pool, o Options) []schemas.Labelled {
	m := rowMaker{rng: rng, row: row, pool: pool}
	if row.Label == 0 {
		for range o.Preserving {
			if e, ok := m.reword(); ok {
				m.add(e, 0)
			}
		}
		m.faults(min(o.Faults, len(m.rows)+1))
	}
	for _, t := range PairedExamples(rng, row, pool, o.Pairs) {
		m.add(Edit{Kind: Copied, End: len(t.Supported), Answer: t.Supported}, 0)
		m.add(t.Faulty, 1)
	}
	return m.rows
}

type rowMaker struct {
	rng  *rand.Rand
	row  *schemas.Labelled
	pool *Pool
	rows []schemas.Labelled
}

// reword applies one to three label-preserving edits to the row's answer.
func (m *rowMaker) reword() (Edit, bool) {
	e, ok := pickRandom(m.rng, PreservingEdits(m.rng, m.row))
	for range m.rng.IntN(3) {
		again := *m.row
		again.Interaction.Answer = e.Answer
		if next, more := pickRandom(m.rng, PreservingEdits(m.rng, &again)); ok && more {
			e = next
		}
	}
	return e, ok
}

func (m *rowMaker) faults(n int) {
	plain := FaultyEdits(m.rng, m.row, m.pool)
	base := *m.row
	if e, ok := m.reword(); ok {
		base.Interaction.Answer = e.Answer
	}
	changed := FaultyEdits(m.rng, &base, m.pool)
	for range n {
		from := &plain
		if m.rng.IntN(2) == 1 {
			from = &changed
		}
		if len(*from) == 0 {
			continue
		}
		at := m.rng.IntN(len(*from))
		if e := (*from)[at]; m.keepsEdit(e) {
			m.add(e, 1)
		}
		*from = append((*from)[:at:at], (*from)[at+1:]...)
	}
}

// keepsEdit drops two of three negations: true answers have few, so that "not" alone would reveal the label.
func (m *rowMaker) keepsEdit(e Edit) bool {
	return e.Kind != Negation || !hasNegation(e.Answer[e.Start:e.End]) || m.rng.IntN(3) == 0
}

// hasNegation reports whether the words contain a negation.
func hasNegation(words string) bool {
	return slices.ContainsFunc(text.AppendTokens(nil, words), func(t text.Token) bool { return t.Has(text.Negation) })
}

func (m *rowMaker) add(e Edit, label int) {
	row := *m.row
	row.Interaction.ID += "#" + strconv.Itoa(len(m.rows)) + "-" + string(e.Kind)
	row.Interaction.Answer = e.Answer
	row.Interaction.Logprobs = schemas.Logprobs{}
	row.Label, row.Labelled = label, true
	row.Spans, row.Samples = nil, nil
	if label == 1 {
		row.Spans = []schemas.Span{{Start: e.Start, End: e.End, Type: string(e.Kind)}}
	}
	m.rows = append(m.rows, row)
}

// PairedExample is a sentence of a source with a faulty copy.
type PairedExample struct {
	Supported string
	Faulty    Edit // of Supported, never of kind Foreign
}

// PairedExamples returns up to n paired examples of the row's sources, whatever its label. They cite a source by number
// where the row's answer does. Sentences with a negation are preferred (see keepsEdit). JSON sources give none.
//
// Sentences of sources differ in style from answers: mix them with edited answers.
func PairedExamples(rng *rand.Rand, row *schemas.Labelled, pool *Pool, n int) []PairedExample {
	if n <= 0 {
		return nil
	}
	sentences := quotableSentences(row)
	rng.Shuffle(len(sentences), func(i, j int) { sentences[i], sentences[j] = sentences[j], sentences[i] })
	if at := slices.IndexFunc(sentences, hasNegation); at > 0 && rng.IntN(2) == 0 {
		sentences[0], sentences[at] = sentences[at], sentences[0]
	}
	m := rowMaker{rng: rng}
	var out []PairedExample
	for _, s := range sentences[:min(len(sentences), 3*n)] {
		faulty := editText(rng, row, s, pool)
		if k := len(faulty); k > 0 && faulty[k-1].Kind == Foreign {
			faulty = faulty[:k-1]
		}
		if e, ok := pickRandom(rng, faulty); ok && len(out) < n && m.keepsEdit(e) {
			out = append(out, PairedExample{Supported: s, Faulty: e})
		}
	}
	return out
}

// quotableSentences are the self-contained sentences of the row's sources, with a citation where the row's answer
// cites.
func quotableSentences(row *schemas.Labelled) []string {
	var out []string
	cites := strings.Contains(row.Interaction.Answer, "[1]")
	for i, s := range row.Interaction.Sources {
		if isJSONRecord(s.Text) {
			continue
		}
		v := parseText(s.Text)
		for _, r := range v.stated {
			sentence := v.sentenceOf(r).In(s.Text)
			if !sentenceLike(sentence) || strings.Contains(sentence, "[") {
				continue
			}
			if last := len(sentence) - 1; cites {
				sentence = sentence[:last] + " [" + strconv.Itoa(i+1) + "]" + sentence[last:]
			}
			out = append(out, sentence)
		}
	}
	return out
}
