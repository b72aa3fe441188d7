package mapping

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"confab/internal/console"
	"confab/internal/files"
	"confab/internal/promptsources"
	"confab/internal/redact"
	"confab/internal/text"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	schemasjson "confab/schemas/json"
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
	records, lines, hint, err := readSample(r, o.Name)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return fmt.Errorf("%s: none of its %d lines is a JSON object: %s", o.Name, lines, cmp.Or(hint, "see docs/interaction.md"))
	}
	if row, ok := recordshape.Recognise(records[0]); ok && row.Skip+row.Remedy != "" {
		return errors.New(recordshape.Hint(records[0], o.Name))
	}
	if recordshape.IsSpans(records[0]) {
		return console.Printf(errw, "%s", describeSpans(records, o.Name))
	}
	read, sourced := readUnaided(records)
	p := Propose(records)
	complete := 2*sourced >= read || p == nil || !p.has("sources")
	if 10*read >= 9*len(records) && complete {
		return console.Printf(errw, "%s: the shape of its records is known, so no map is needed: confab check %[1]s\n", o.Name)
	}
	if p == nil {
		return fmt.Errorf("%s: no member of its records looks like an answer: log the answer as text, see docs/interaction.md", o.Name)
	}
	err = console.Printf(out, "%s", p.YAML())
	if err == nil && o.Save != "" {
		_, err = files.WriteShared(o.Save, func(w io.Writer) error { return console.Printf(w, "%s", p.YAML()) })
	}
	return errors.Join(err, console.Printf(errw, "%s", p.describe(records, o)))
}

// readUnaided counts the records that are read without a map, and those of them that have passages.
func readUnaided(records [][]byte) (read, sourced int) {
	decoder, err := recordshape.NewDecoder(recordshape.Options{}, schemasjson.Options{MaxBytes: schemasjson.MaxLabelledBytes})
	finder, fault := promptsources.NewFinder(promptsources.Options{From: promptsources.FromAuto})
	if err != nil || fault != nil {
		return 0, 0
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
		if in.Answer == "" && (in.Shape == "" || strings.HasPrefix(in.Shape, "confab.")) {
			continue // an object without a text that is known
		}
		read++
		if err != nil {
			sourced++ // it holds no answer
			continue
		}
		if finder.Fill(&in); slices.ContainsFunc(in.Sources, func(s schemas.Source) bool { return s.Text != "" }) {
			sourced++
		}
	}
	return read, sourced
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
	if p.Read < p.Records {
		b.WriteString(", and refuses the others: name those that hold an answer in where")
	}
	b.WriteString(". The first of them:\n")
	p.show(&b, records)
	if !p.has("sources") && p.API == "" {
		b.WriteString("no passages were found: without them answers are compared with nothing\n")
	}
	if o.Save == "" {
		fmt.Fprintf(&b, "Next: confab map %[1]s --out map.yaml, and confab check %[1]s --map map.yaml\n", o.Name)
	} else {
		fmt.Fprintf(&b, "Next: confab check %s --map %s\n", o.Name, o.Save)
	}
	return b.String()
}

// show writes what the map reads from the first records.
func (p *Proposal) show(b *strings.Builder, records [][]byte) {
	decoder, err := p.Decoder()
	if err != nil {
		return
	}
	shown := 0
	for i := 0; i < len(records) && shown < maxShown; i++ {
		var in schemas.Interaction
		if decoder.Decode(records[i], &in) != nil {
			continue
		}
		shown++
		show(b, i+1, &in)
	}
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
	if n := len(in.Sources); n > 0 {
		fmt.Fprintf(b, "     passages: %d, the first: %s\n", n, excerpt(in.Sources[0].Text))
	}
}

// spanSample takes the spans of a sample.
type spanSample struct {
	found []schemas.Interaction
	keys  []string // of attributes with text, where no answer is known
}

// New implements otlp.Sink.
func (*spanSample) New() *schemas.Interaction { return new(schemas.Interaction) }

// Accept implements otlp.Sink.
func (s *spanSample) Accept(in *schemas.Interaction, _ int) {
	if in.NoAnswer == schemas.NotFound {
		s.keys = append(s.keys, in.UnknownNames...)
	} else {
		s.found = append(s.found, *in)
	}
}

// Reject implements otlp.Sink.
func (*spanSample) Reject(*otlp.Rejected) {}

// Unknown implements otlp.UnknownSink.
func (s *spanSample) Unknown(keys []string) { s.keys = append(s.keys, keys...) }

// describeSpans says what is read from spans, for which no map is proposed.
func describeSpans(records [][]byte, name string) string {
	d, err := otlp.NewDecoder(otlp.Options{JSON: true, Join: true, MaxBytes: schemasjson.MaxLabelledBytes})
	if err != nil {
		return err.Error()
	}
	var s spanSample
	for _, raw := range records {
		_, _ = d.Decode(raw, &s) // confab check reports what cannot be read
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s holds spans in OTLP, which are read without a map. Answers in its first lines: %d\n", name, len(s.found))
	for i := range s.found[:min(len(s.found), maxShown)] {
		show(&b, i+1, &s.found[i])
	}
	if slices.Sort(s.keys); len(s.keys) > 0 {
		keys := slices.Compact(s.keys)
		fmt.Fprintf(&b, "attributes with text of spans whose answer is not known: %s\n", console.Sanitize(strings.Join(keys[:min(len(keys), 20)], ", ")))
	}
	return b.String() + "Next: confab check " + name + "\n"
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
