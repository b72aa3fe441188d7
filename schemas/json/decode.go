package json

import (
	"strings"
	"sync"
	"time"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// Defaults of Options.
const (
	DefaultMaxBytes = 1 << 20
	DefaultMaxDepth = 32
)

// Options are a decoder's limits. Zero and negative fields take their defaults.
type Options struct {
	MaxBytes int // of a value; DefaultMaxBytes
	MaxDepth int // nesting of objects and lists, the outermost counts 1; DefaultMaxDepth

	Zone   *time.Location // of times without a zone; nil: they are malformed
	Shapes *Shapes        // of records that are not ours; nil: there are none
}

// Decoder decodes interactions. It is safe for concurrent use.
type Decoder struct {
	maxBytes int
	maxDepth int
	zone     *time.Location
	shapes   *Shapes
	readers  sync.Pool // of *reader
}

// NewDecoder returns a decoder with the given limits.
func NewDecoder(o Options) *Decoder {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	return &Decoder{maxBytes: o.MaxBytes, maxDepth: o.MaxDepth, zone: o.Zone, shapes: o.Shapes}
}

// Decode resets in and fills it from raw, the JSON form that docs/interaction.md describes. Strings of in point into raw
// and into in.Scratch: they are valid until raw changes or in is decoded into again. An interaction without an id keeps
// ID empty: the caller names it after its coordinates. Tenant is the untrusted value of the record. An optional field whose
// value is malformed stays empty and is named in Malformed.
//
// The error is a *scan.Error, after which the content of in is unspecified, or [ErrSkipped].
func (d *Decoder) Decode(raw []byte, in *schemas.Interaction) error {
	return d.decode(raw, in, func(s *interactionReader) { s.shaped(d.shapes) })
}

// DecodeField decodes the JSON value of one field into in, as Decode does, and leaves other fields as they are. The answer
// must have been set before log-probabilities. After an error, a *scan.Error, the field is empty.
func (d *Decoder) DecodeField(field string, raw []byte, in *schemas.Interaction) error {
	i := findField(field, 0)
	if i < 0 || interactionFields[i].read == nil {
		return &scan.Error{Reason: scan.ReasonWrongType, Field: field}
	}
	s := d.reader(raw)
	defer d.release(s)
	s.Scratch, s.in, s.zone, s.Field = in.Scratch, in, d.zone, field
	s.pending.reset()
	interactionFields[i].read(s)
	s.End()
	in.Scratch, in.Repaired = s.Scratch, in.Repaired || s.Repaired
	if s.Err != nil {
		in.ClearField(field)
		return s.Err
	}
	if s.applyTools(); field == schemas.FieldLogprobs {
		s.pending.tokens.AlignOffsets(&in.Logprobs, in.Answer)
	}
	return nil
}

// decode is Decode with the function that reads the object.
func (d *Decoder) decode(raw []byte, in *schemas.Interaction, read func(*interactionReader)) error {
	in.Reset()
	if len(raw) > d.maxBytes {
		return &scan.Error{Reason: scan.ReasonTooLarge, Offset: d.maxBytes, Detail: "raise kafka.max_record_bytes to accept it"}
	}
	s := d.reader(raw)
	defer d.release(s)
	s.Scratch = in.Scratch
	s.in, s.zone = in, d.zone
	read(s)
	s.End()
	in.Scratch, in.Repaired = s.Scratch, s.Repaired
	return s.result()
}

// result is the error of a record.
func (s *interactionReader) result() error {
	switch {
	case s.Err != nil:
		return s.Err
	case s.skipped:
		return ErrSkipped
	}
	return nil
}

func (d *Decoder) reader(raw []byte) *interactionReader {
	s, pooled := d.readers.Get().(*interactionReader)
	if !pooled {
		s = &interactionReader{Scanner: scan.New(d.maxDepth)}
	}
	s.Start(raw)
	return s
}

// release returns the reader to the pool, without references to the value.
func (d *Decoder) release(s *interactionReader) {
	s.closeDocuments()
	s.Release()
	s.in, s.skipped = nil, false
	s.pending.reset()
	d.readers.Put(s)
}

// interactionReader fills an interaction from its JSON form.
type interactionReader struct {
	scan.Scanner

	parts   []string             // content parts of the message being read
	in      *schemas.Interaction // the result
	pending deferredFields       // fields that depend on later members
	zone    *time.Location       // of times without a zone, or nil
	order   string               // of day and month in the time that is read: dmy, mdy, or ""
	clock   string               // which follows the date that is read

	documents []*document // that a mapping entered
	root      place       // where paths begin
	lenient   bool        // names in another case are no fault
	anyCase   bool        // they are the names of a map
	skipped   bool        // the record holds no answer by its nature
}

// deferredFields are members that can only be applied at the end of the interaction, since members come in any order.
type deferredFields struct {
	answered       bool   // the answer is a string
	unread         bool   // what was read last is no answer
	foreign        bool   // a place of the answer has a value of another form
	prompt         string // used when messages are absent or empty
	packed         string // base64; overrides logprobs
	topK           int
	badTopK        bool                   // top_k was malformed, so that packed has no known rows
	packedRequired bool                   // a map requires packed
	seen           uint32                 // bits of the fields that have a value, by index in interactionFields
	aliases        [len(fieldAliases)]int // positions of the values of aliases, 0 for none
	tokens         recordformat.TokenTexts
	listed         bool               // tokens are those of the field logprobs
	calls          []schemas.ToolCall // of messages
	results        []pendingResult
}

func (p *deferredFields) reset() {
	t := p.tokens
	t.Reset()
	*p = deferredFields{tokens: t}
}

// interaction reads the next object into s.in.
func (s *interactionReader) interaction() {
	s.pending.reset()
	if s.members(); s.Err == nil {
		s.applyDeferred()
	} else if s.Err.Field == "" {
		for name := range s.Path.Tokens() {
			if i := findField(name, 0); i >= 0 {
				s.Err.Field = interactionFields[i].name
			}
			break
		}
	}
}

// members reads the members of the next object with our names, but those that are there already.
func (s *interactionReader) members() {
	o := s.Object("an object")
	at, given := 0, s.pending.seen
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		i := findField(name, at)
		if i < 0 {
			s.skipUnknown(name)
			continue
		}
		if at = i + 1; given&(1<<i) != 0 {
			s.Skip()
			continue
		}
		s.readField(i)
	}
	if s.Err == nil {
		s.applyAliases()
	}
}

// readField reads the next value into the field with that index; null is absent.
func (s *interactionReader) readField(i int) {
	f := &interactionFields[i]
	s.Field = f.name
	start := s.Mark()
	if f.text != nil {
		*f.text(s.in) = s.text()
	} else if !s.Null() {
		s.pending.seen |= 1 << i
		f.read(s)
	}
	s.skipMalformed(f.name, start)
	s.Field = ""
}

// skipUnknown skips an unknown field. A case variant of a known name fails, since other readers may ignore case.
func (s *interactionReader) skipUnknown(name string) {
	for i := range interactionFields {
		// No case variant of a name is shorter.
		if field := interactionFields[i].name; len(field) <= len(name) && strings.EqualFold(field, name) {
			s.Field = field
			s.Fault(scan.ReasonCaseVariant, "names are written in lower case")
			return
		}
	}
	if !s.deferAlias(name) {
		s.addUnknown(name)
		s.Skip()
	}
}

func (s *interactionReader) addUnknown(name string) {
	s.in.UnknownFields++
	if len(s.in.UnknownNames) < schemas.MaxUnknownNames {
		s.in.UnknownNames = append(s.in.UnknownNames, name)
	}
}

// applyDeferred applies the fields that depend on several members.
func (s *interactionReader) applyDeferred() {
	p := &s.pending
	if !p.answered {
		s.Field = "answer"
		s.Fault(scan.ReasonMissingAnswer, "the field answer must hold a string")
		return
	}
	if p.prompt != "" && len(s.in.Messages) == 0 {
		s.in.Messages = append(s.in.Messages, schemas.Message{Role: "user", Content: p.prompt})
	}
	s.applyTools()
	if p.packed != "" {
		if !p.badTopK && s.unpack(&s.in.Logprobs, p.packed, p.topK) {
			return
		}
		if p.packedRequired {
			s.Field = "token_logprobs"
			s.Fault(scan.ReasonBadLogprobs, "expected base64 of float32 in rows of 1 + top_k")
			return
		}
		s.addMalformed("token_logprobs")
	}
	if p.listed { // llmapi has aligned its own
		p.tokens.AlignOffsets(&s.in.Logprobs, s.in.Answer)
	}
}
