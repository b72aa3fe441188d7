package mapping

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"confab/internal/console"
	"confab/internal/files"
	"confab/internal/promptsources"
	"confab/internal/redact"
	"confab/internal/text"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	schemasjson "confab/schemas/json"
	"confab/schemas/json/mapspec"
	"confab/schemas/otlp"
)

// Options say what Run reads and writes.
type Options struct {
	Name string // of the file, in messages
	Save string // path of the map; "" writes it to standard output only
}

// Run proposes a map for the records at the beginning of a file. The map is written to out, and to the file of the options; what it
// reads, and what to do next to errw. Records that are read without a map need none.
func Run(r io.Reader, out, errw io.Writer, o Options) error {
	sample, lines, hint, err := readSample(r, o.Name)
	if err != nil {
		return err
	}
	if lines == 0 {
		return fmt.Errorf("%s: the file is empty, or has nothing but a header", o.Name)
	}
	if len(sample) == 0 {
		return fmt.Errorf("%s: none of its %d lines is a JSON object: %s", o.Name, lines, cmp.Or(hint, "see docs/interaction.md"))
	}
	if recordshape.IsSpans(sample[0]) {
		text, err := describeSpans(sample, o.Name)
		return errors.Join(err, console.Printf(errw, "%s", text))
	}
	row, ok := recordshape.Recognise(sample[0])
	if hint := recordshape.Hint(sample[0], o.Name); !ok && hint != "" {
		return fmt.Errorf("%s: %s", o.Name, hint)
	}
	if ok && row.Skip+row.Remedy != "" && (row.Join == nil || row.Skip == "" && !joins(sample)) {
		return errors.New(recordshape.Hint(sample[0], o.Name))
	}
	return propose(sample, out, errw, o)
}

// joins reports records for which a map is proposed that joins them.
func joins(sample [][]byte) bool {
	p := Propose(sample)
	return p != nil && p.Where != nil
}

// propose writes a map for the records and what it reads, unless they need none.
func propose(sample [][]byte, out, errw io.Writer, o Options) error {
	read, sourced, timeless := readUnaided(sample)
	p := Propose(sample)
	complete := (2*sourced >= read || p == nil || !p.has("sources")) && !p.addsCalls(sample)
	if 10*read >= 9*len(sample) && complete && (2*timeless <= read || !p.addsTime(sample)) {
		return console.Printf(errw, "%s: the shape of its records is known, so no map is needed: confab check %[1]s\n", o.Name)
	}
	if p == nil {
		return fmt.Errorf("%s: no member of its records looks like an answer: log the answer as text, see docs/interaction.md", o.Name)
	}
	err := console.Printf(out, "%s", p.YAML())
	if err == nil && o.Save != "" {
		_, err = files.WriteShared(o.Save, func(w io.Writer) error { return console.Printf(w, "%s", p.YAML()) })
	}
	return errors.Join(err, console.Printf(errw, "%s", p.describe(sample, o)))
}

// addsTime reports a map that reads the times of records of ours, or says why it cannot. It leaves the rest to their names.
func (p *Proposal) addsTime(sample [][]byte) bool {
	if p == nil || p.Where != nil || !p.has("occurred_at") && !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.HasPrefix(n, "no time: ") }) {
		return false
	}
	if _, shaped := recordshape.Recognise(sample[0]); !shaped {
		p.Entries = append(slices.DeleteFunc(p.Entries, func(e Entry) bool { return e.Field != "occurred_at" }), Entry{Field: mapspec.Interaction, Text: mapspec.Whole})
	}
	return true
}

// addsCalls reports a proposal that reads results of tools in records that are read without any.
func (p *Proposal) addsCalls(records [][]byte) bool {
	decoder, err := recordshape.NewDecoder(recordshape.Options{}, schemasjson.Options{MaxBytes: schemasjson.MaxLabelledBytes})
	if _, gave := p.counts(records); err != nil || gave == 0 || p.Where == nil && 10*p.Read < 9*len(records) {
		return false
	}
	_, unaided := countsBy(decoder, records)
	return unaided == 0
}

// readUnaided counts the records that are read without a map, those of them that have passages, and those of ours that have no time.
func readUnaided(records [][]byte) (read, sourced, timeless int) {
	decoder, err := recordshape.NewDecoder(recordshape.Options{}, schemasjson.Options{MaxBytes: schemasjson.MaxLabelledBytes})
	if err != nil {
		return 0, 0, 0
	}
	for _, raw := range records {
		if recordshape.IsSpans(raw) {
			read, sourced = read+1, sourced+1
			continue
		}
		var in schemas.Interaction
		err := decoder.Decode(raw, &in)
		if err != nil && !errors.Is(err, schemasjson.ErrSkipped) {
			continue
		}
		own := in.Shape == "" || strings.HasPrefix(in.Shape, "confab.")
		if in.Answer == "" && own {
			continue // an object without a text that is known
		}
		read++
		if err != nil {
			sourced++ // it holds no answer
			continue
		}
		recordshape.ReadTime(&in)
		timeless += boolToInt(own && in.OccurredAt.IsZero())
		if new(promptsources.Finder).Fill(&in); slices.ContainsFunc(in.Sources, func(s schemas.Source) bool { return s.Text != "" }) {
			sourced++
		}
	}
	return read, sourced, timeless
}

// has reports whether the map has an entry of the field.
func (p *Proposal) has(field string) bool {
	return slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.Field == field })
}

// maxShown is the number of records that are shown.
const maxShown = 3

// describe says what the map reads from the first records, and what to do next.
func (p *Proposal) describe(records [][]byte, o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThis map reads %d of %d records", p.Read, p.Records)
	switch {
	case p.Where != nil:
		b.WriteString(" as answers; the others are messages before them")
		records = p.joined(records)
	case p.Read < p.Records:
		b.WriteString(", and refuses the others: name those that hold an answer in where")
	}
	b.WriteString(". The first of them:\n")
	compared := p.show(&b, records)
	if !compared && p.API == "" {
		b.WriteString("no passages were found: without them answers are compared with nothing\n")
	}
	if names, _ := text.Cut(strings.Join(p.Unused, ", "), 800); names != "" {
		b.WriteString("not used: " + console.Sanitize(names) + "\n")
	}
	b.WriteString(strings.Join(append(p.Notes, ""), "\n"))
	if strings.Contains(p.YAML(), unknownKind+"\n") {
		b.WriteString("Fill in each " + unknownKind + " of the map first: user /text, answer /text, call /name /arguments /id, result /text /id, tool /name /arguments /result, or none, with the places of your records.\n")
	}
	if o.Save == "" {
		fmt.Fprintf(&b, "Next: confab map %[1]s --out map.yaml, and confab check %[1]s --map map.yaml\n", o.Name)
	} else {
		fmt.Fprintf(&b, "Next: confab check %s --map %s\n", o.Name, o.Save)
	}
	return b.String()
}

// show writes what the map reads from the first records. compared reports passages or calls of tools.
func (p *Proposal) show(b *strings.Builder, records [][]byte) (compared bool) {
	decoder, err := p.Decoder()
	if err != nil {
		return false
	}
	shown := 0
	for i := 0; i < len(records) && shown < maxShown; i++ {
		var in schemas.Interaction
		if decoder.Decode(records[i], &in) != nil {
			continue
		}
		shown++
		new(promptsources.Finder).Fill(&in)
		show(b, i+1, &in)
		compared = compared || len(in.Calls)+len(in.Sources) > 0
	}
	return compared
}

// show writes what was read from a record.
func show(b *strings.Builder, number int, in *schemas.Interaction) {
	fmt.Fprintf(b, "%4d answer:   %s\n", number, cmp.Or(excerpt(in.Answer), "(empty)"))
	for _, m := range slices.Backward(in.Messages) {
		if m.Role == "user" && m.Content != "" {
			fmt.Fprintf(b, "     question: %s\n", excerpt(m.Content))
			break
		}
	}
	if n := len(in.Calls); n > 0 {
		results := slices.DeleteFunc(slices.Clone(in.Calls), func(c schemas.ToolCall) bool { return c.Result+c.Error == "" })
		lacking := map[bool]string{true: "; say in kinds which records, or steps, are results, and where these lie"}[len(results) == 0]
		fmt.Fprintf(b, "     calls of tools: %d, with results: %d, the first: %s%s\n", n, len(results), excerpt(in.Calls[0].Name), lacking)
	}
	if n := len(in.Sources); n > 0 {
		fmt.Fprintf(b, "     passages: %d, the first: %s\n", n, excerpt(in.Sources[0].Text))
	}
	at := strings.TrimPrefix(in.OccurredAt.Format(time.RFC3339), "0001-01-01T00:00:00Z")
	for i, value := range []string{in.ID, at, in.Model, in.ConversationID} {
		if value != "" {
			fmt.Fprintf(b, "     %-9s %s\n", []string{"id:", "time:", "model:", "talk:"}[i], excerpt(value))
		}
	}
}

// describeSpans says what is read from spans, for which no map is proposed.
func describeSpans(sample [][]byte, name string) (string, error) {
	c := config.Default()
	c.Kafka.Inputs = []config.Input{config.DefaultInput("file")}
	input, err := records.NewPresetInput(c, records.SpansPreset)
	lines, fault := files.NewLines(bytes.NewReader(bytes.Join(sample, []byte("\n"))), schemasjson.MaxLabelledBytes)
	if err = errors.Join(err, fault); err != nil {
		return "", err
	}
	lines = recordshape.Traces(lines)
	var found []schemas.Interaction
	var keys []string // of attributes with text, where no answer is known
	for line, err := lines.Next(); err == nil; line, err = lines.Next() {
		err := input.Expand(bytes.Clone(line), func(in *schemas.Interaction, _ int, err error) {
			switch {
			case err != nil: // confab check reports it
			case in.NoAnswer == schemas.NotFound:
				keys = append(keys, in.UnknownNames...)
			default:
				found = append(found, *in)
			}
		})
		if spans, ok := errors.AsType[*otlp.NoAnswerError](err); ok {
			keys = append(keys, spans.Keys...)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s holds spans, which are read without a map. Answers in its first lines: %d\n", name, len(found))
	for i := range found[:min(len(found), maxShown)] {
		show(&b, i+1, &found[i])
	}
	if slices.Sort(keys); len(keys) > 0 {
		keys = slices.Compact(keys)
		fmt.Fprintf(&b, "attributes with text of spans whose answer is not known: %s\n", console.Sanitize(strings.Join(keys[:min(len(keys), 20)], ", ")))
	}
	return b.String() + "Next: confab check " + name + "\n", nil
}

// excerpt is the beginning of a text as one line, redacted.
func excerpt(s string) string {
	const most, read = 90, 4096
	begin, _ := text.Cut(s, read)
	var builtIn *redact.Redactor
	short, cut := text.Cut(console.Sanitize(strings.Join(strings.Fields(builtIn.Redact(begin)), " ")), most)
	if cut {
		short += "…"
	}
	return short
}
