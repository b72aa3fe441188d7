package negatives

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"confab/internal/text"
	"confab/schemas"
)

// Options say how many rows are made of one.
type Options struct {
	Faults     int // edited copies of a supported answer, each with one fault
	Preserving int // copies with a harmless change
	Pairs      int // sentences of the sources as answers, each beside its faulty twin: two rows
}

// DefaultOptions give as many rows of either label.
func DefaultOptions() Options { return Options{Faults: 3, Preserving: 3, Pairs: 3} }

// Rows are training rows made of one row: labelled, with the span of the fault, in the group of the row that they come
// from. They share its sources and messages, and have no token probabilities. Half of the faults stand in an answer that
// was harmlessly changed before, so that neither a synonym nor an unusual wording tells the labels apart. A row that is
// labelled as bad gives twins only.
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

// reword is the row's answer after one to three harmless changes.
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

// keepsEdit lets two of three denials go: true answers deny little, and "not" alone would tell the labels apart.
func (m *rowMaker) keepsEdit(e Edit) bool {
	return e.Kind != Negation || !hasNegation(e.Answer[e.Start:e.End]) || m.rng.IntN(3) == 0
}

// hasNegation reports whether the words hold a negation.
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

// PairedExample is a sentence of a source and its copy with one fault.
type PairedExample struct {
	Supported string
	Faulty    Edit // of Supported, never of kind Foreign
}

// PairedExamples are up to n sentences of the row's sources beside their faulty twins; the row's label says nothing about them.
// Where the row's answer cites its sources by number, so do they.
// Sentences that deny something are preferred, for the reason that kept gives. JSON records hold no sentences and give none.
//
// Such sentences are written as sources are, not as answers are: mix them with edited answers.
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

// quotableSentences are the sentences of the row's sources that can stand alone, with a citation where the row's answer cites.
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
