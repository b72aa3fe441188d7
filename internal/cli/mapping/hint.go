package mapping

import (
	"errors"
	"slices"
	"strings"

	"confab/internal/console"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/mapspec"
	"confab/schemas/json/scan"
)

// Hint is what a person may do about a line of the named file that cannot be read; "" if that is not known.
func Hint(line []byte, fault error, name string) string {
	if hint := recordshape.Hint(line, name); hint != "" {
		return hint
	}
	bad, ok := errors.AsType[*scan.Error](fault)
	if !ok || line == nil {
		return ""
	}
	switch {
	case bad.Reason == scan.ReasonMissingAnswer, bad.Reason == scan.ReasonUnmapped, bad.Reason == scan.ReasonCaseVariant, bad.Reason == scan.ReasonWrongType && bad.Field == "answer":
		return proposalHint(line, name)
	case bad.Reason == scan.ReasonWrongType && (bad.Field == "interaction_id" || bad.Field == "tenant"):
		return bad.Field + " takes a text or a number: write one, or read the log by a map: confab map " + name + " proposes one"
	}
	return recordshape.Line(line, name)
}

// proposalHint offers a map for records such as the line.
func proposalHint(line []byte, name string) string {
	if read, _, _ := readUnaided([][]byte{line}); read > 0 {
		return "the map does not read such a record: name the place of its answer, as it is written there, or add it after a |, leave such records out by where (docs/existing-topics.md), " +
			"or try confab check " + name + " without a map, since their shape is known"
	}
	if s := newSurvey([][]byte{line}); s.isEvent() {
		return "these may be messages or events of a conversation, one a record: confab map " + name + " proposes a map that joins them"
	}
	if p := Propose([][]byte{line}); p == nil || p.Read == 0 {
		return "confab map " + name + " looks for the answer in all records; if none has it, write it as answer, a text (docs/interaction.md)"
	}
	return "confab map " + name + " proposes a map for such records"
}

// UncheckedHint offers a map for a record that is read without a text or without passages, where it has a place for them; "" for none.
func UncheckedHint(line []byte, name string) string {
	if read, sourced, _ := readUnaided([][]byte{line}); read > 0 && sourced > 0 {
		return ""
	} else if read == 0 {
		return proposalHint(line, name)
	}
	switch p := Propose([][]byte{line}); {
	case p.addsCalls([][]byte{line}):
		return p.offer(name, "calls of tools", schemas.FieldToolCalls, mapspec.Request)
	case p != nil && p.addsSources(line):
		return p.offer(name, "passages", schemas.FieldSources)
	}
	return ""
}

// offer says where the map reads something by one of its fields.
func (p *Proposal) offer(name, what string, fields ...string) string {
	for _, e := range p.Entries {
		if slices.Contains(fields, e.Field) && !strings.HasSuffix(e.Text, "/"+mapspec.Joined) {
			return what + " may lie at " + console.Sanitize(e.Text) + ": confab map " + name + " proposes a map that reads them"
		}
	}
	return ""
}

// addsSources reports a proposal that takes other texts as passages than those that are read as messages without it.
func (p *Proposal) addsSources(line []byte) bool {
	var with, without schemas.Interaction
	decoder, err := p.Decoder()
	if err != nil || decoder.Decode(line, &with) != nil {
		return false
	}
	unaided, err := recordshape.NewDecoder(recordshape.Options{}, json.Options{MaxBytes: json.MaxLabelledBytes})
	if err != nil || unaided.Decode(line, &without) != nil {
		return true
	}
	return slices.ContainsFunc(with.Sources, func(s schemas.Source) bool {
		return !slices.ContainsFunc(without.Messages, func(m schemas.Message) bool { return strings.Contains(m.Content, s.Text) })
	})
}
