package otlp

import (
	"errors"
	"slices"
	"sync"

	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

// Options configure a Decoder.
type Options struct {
	JSON     bool                // records in JSON; else in protobuf
	MaxBytes int                 // of a record; json.DefaultMaxBytes when zero
	Join     bool                // take sources from retriever and tool spans of the same trace in the record
	Map      map[string]string   // attributes to read fields from, see NewDecoder
	Where    map[string][]string // values that spans must have, see NewDecoder
}

// Sink takes what a record holds. The index is the place of the span or log record among all of its record.
type Sink interface {
	// New returns an empty interaction to decode into.
	New() *schemas.Interaction
	// Accept takes an interaction that New returned. Its strings point into the record, and into storage of its own.
	Accept(in *schemas.Interaction, index int)
	// Reject takes a span that cannot be read.
	Reject(bad *Rejected)
}

// UnknownSink is a Sink that is told of spans in conventions that are not known.
type UnknownSink interface {
	// Unknown takes the keys of attributes with text of such a span.
	Unknown(keys []string)
}

// Rejected is a span or log record that cannot be read.
type Rejected struct {
	Index int
	Value []byte // a record that holds it alone, with its resource and scope
	Err   *scan.Error
}

// NoAnswerError is the error of a record that was read for its answers and has none. It is a json.ErrSkipped.
type NoAnswerError struct {
	Keys []string // of attributes with text, of spans in conventions that are not known
}

// Error implements error.
func (e *NoAnswerError) Error() string { return json.ErrSkipped.Error() }

// Unwrap returns json.ErrSkipped.
func (e *NoAnswerError) Unwrap() error { return json.ErrSkipped }

// Counts are the spans and log records of one record by what became of them.
type Counts [outcomes]int

// Outcome is what became of a span or log record.
type Outcome uint8

// The outcomes.
const (
	Answer       Outcome = iota // an interaction
	NoText                      // an interaction without any text: its content was not recorded
	TextNotFound                // an interaction whose answer is not where its convention has it
	Rejects                     // cannot be read
	Filtered                    // left out by where
	Failed                      // a call that failed, without an answer
	Duplicate                   // the same interaction again
	Context                     // a retriever, tool, agent, chain or embedding
	Other                       // not about language models
	Unknown                     // about language models, in a convention that is not known
	outcomes                    // their number
)

// String returns the metric label.
func (o Outcome) String() string {
	return [outcomes]string{"answer", "no_text", "text_not_found", "rejected", "filtered", "failed", "duplicate", "context", "other", "unknown"}[o]
}

// Outcomes lists all outcomes.
func Outcomes() []Outcome {
	all := make([]Outcome, outcomes)
	for i := range all {
		all[i] = Outcome(i)
	}
	return all
}

// Decoder decodes records. It is safe for concurrent use.
type Decoder struct {
	json     bool
	join     bool
	maxBytes int
	fields   *json.Decoder // of values in JSON within attributes
	mapping  *spanMapping  // nil for none
	where    *json.Filter  // nil for none
	states   sync.Pool     // of *recordState
}

// NewDecoder returns a decoder. Options.Map names where fields are in a span as JSON, in the language of json.NewMapping: at /name,
// /kind (internal, server, client, producer or consumer), /attributes/KEY, /events/NAME/KEY, /body, /resource/attributes/KEY. Places
// that have no value leave the field to the conventions. A span with the answer of the map is an answer, whatever else it is.
// Options.Where says what spans must have at those places. The error joins one *json.MappingError per fault.
func NewDecoder(o Options) (*Decoder, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = json.DefaultMaxBytes
	}
	d := &Decoder{json: o.JSON, join: o.Join, maxBytes: o.MaxBytes, fields: json.NewDecoder(json.Options{MaxBytes: o.MaxBytes})}
	return d, d.configure(o.Map, o.Where)
}

// Decode gives what a record holds to the sink, in order. The error concerns the whole record, of which the sink has then
// got nothing.
func (d *Decoder) Decode(raw []byte, to Sink) (Counts, error) {
	s := d.state()
	defer d.release(s)
	if err := s.read(raw); err != nil {
		return Counts{}, err
	}
	s.sink = to
	s.classify()
	s.decodeEntries()
	return s.counts, nil
}

// read reads the spans and log records of a record.
func (s *recordState) read(raw []byte) error {
	d := s.d
	if len(raw) > d.maxBytes {
		return &scan.Error{Reason: scan.ReasonTooLarge, Offset: d.maxBytes, Detail: "raise kafka.max_record_bytes to accept it"}
	}
	var err *scan.Error
	if d.json || len(raw) > 0 && raw[0] == '{' { // protobuf never begins so
		err = s.batch.readJSON(raw)
	} else {
		err = s.batch.readProto(raw)
	}
	if err != nil {
		return err
	}
	return nil
}

func (d *Decoder) state() *recordState {
	s, pooled := d.states.Get().(*recordState)
	if !pooled {
		s = &recordState{d: d, ids: map[string]*schemas.Interaction{}, answered: map[[16]byte]bool{}, turns: map[[16]byte][]turn{}}
		s.fields = &s.own
		s.batch.scanner = scan.New(jsonDepth)
	}
	return s
}

// release returns the state to the pool, without references to the record.
func (d *Decoder) release(s *recordState) {
	s.batch.reset(false, 0)
	clear(s.ids)
	s.roles, s.sink, s.counts, s.joined, s.joinedBytes, s.events, s.outer = s.roles[:0], nil, Counts{}, 0, 0, 0, false
	if s.in != nil {
		s.in.Reset()
	}
	s.own.reset()
	s.other.reset()
	s.trace.reset()
	clear(s.cache)
	clear(s.answered)
	clear(s.turns)
	d.states.Put(s)
}

// recordState is what reading one record needs.
type recordState struct {
	d        *Decoder
	batch    batch
	roles    []spanRole          // of the entries
	later    []int               // entries around others
	outer    bool                // some are read only if their traces have no answers
	answered map[[16]byte]bool   // traces with an answer, if it matters
	turns    map[[16]byte][]turn // answers of a trace with tools
	trace    relations
	ids      map[string]*schemas.Interaction // accepted ones, by id
	counts   Counts
	sink     Sink

	in       *schemas.Interaction // that is being filled; nil once accepted
	fields   *spanValues          // of the entry that is being read: one of the next two
	own      spanValues           // of an answer
	other    spanValues           // of a span with passages
	first    *scan.Error          // the first fault of the answer
	recorded bool                 // the entry has prompt or answer
	found    bool                 // the entry has an answer, which may be empty

	cache       map[int32][]schemas.Source // of spans with passages, once read
	joined      int                        // sources that answers took from other spans
	joinedBytes int
	events      int // log records with messages that answers took
}

// classify sets the roles of all entries and finds how they belong together.
func (s *recordState) classify() {
	answers := false
	for i := range s.batch.entries {
		e := &s.batch.entries[i]
		r := roleOther
		if e.err == nil {
			r = roleOf(e)
		}
		if e.err == nil && s.d.isMapped(e) {
			r = roleAnswer
		}
		s.roles = append(s.roles, r)
		answers = answers || r == roleAnswer || r == roleOuter
		s.outer = s.outer || r == roleOuter
	}
	if answers {
		s.trace.build(s.batch.entries, s.roles)
	}
}

// decodeEntries reads all entries in order, but answers around other answers last, the innermost first, and then agents and the
// like, the outermost first.
func (s *recordState) decodeEntries() {
	later := s.later[:0]
	for i := range s.batch.entries {
		if s.trace.isWrapper(i) || s.roles[i] == roleOuter {
			later = append(later, i)
			continue
		}
		s.counts[s.entry(i)]++
	}
	slices.SortStableFunc(later, func(a, b int) int { return s.turn(a) - s.turn(b) })
	for _, i := range later {
		s.counts[s.entry(i)]++
	}
	s.later = later[:0]
}

// turn is when an entry around others is read.
func (s *recordState) turn(i int) int {
	if s.roles[i] == roleOuter {
		n := 1
		s.trace.ancestors(int32(i), func(int32) bool { n++; return true })
		return n
	}
	return -s.trace.depth(i)
}

// entry reads one span or log record.
func (s *recordState) entry(i int) Outcome {
	e := &s.batch.entries[i]
	if e.err != nil {
		return s.reject(i, e.err)
	}
	if outcome := s.leftOut(i); outcome != Answer {
		return outcome
	}
	s.begin(e)
	s.fill(e)
	s.trace.setAnswer(i, s.in.Answer)
	empty := s.in.Answer == ""
	switch {
	case s.roles[i] == roleOuter && empty:
		return Context
	case s.isRepeated(i):
		return Duplicate
	case empty && s.first != nil:
		return s.reject(i, s.first)
	case empty && (e.failed || s.fields.at("error.type") != nil):
		return Failed
	}
	return s.accept(i)
}

// leftOut is the outcome of an entry that is not read; Answer for another one.
func (s *recordState) leftOut(i int) Outcome {
	e, role := &s.batch.entries[i], s.roles[i]
	switch {
	case role == roleUnknown:
		if sink, ok := s.sink.(UnknownSink); ok {
			sink.Unknown(unread(e))
		}
		return Unknown
	case role == roleOther:
		return Other
	case !role.isAnswered(), s.isFurtherChoice(e), role == roleOuter && s.answered[e.trace]:
		return Context
	case s.d.where != nil && !s.d.where.Match(document(e)):
		return Filtered
	}
	return Answer
}

// isRepeated reports an answer that the record has already: within or around this one, or with the same id.
func (s *recordState) isRepeated(i int) bool {
	if s.trace.isWrapper(i) && s.trace.repeats(i, s.in.Answer) || s.in.Answer == "" && s.trace.isWrapped(i) {
		return true
	}
	first := s.ids[s.in.ID]
	return first != nil && first.Answer == s.in.Answer && s.first == nil
}

// accept gives the interaction to the sink.
func (s *recordState) accept(i int) Outcome {
	e := &s.batch.entries[i]
	if s.in.ID != "" {
		s.ids[s.in.ID] = s.in
	}
	outcome := Answer
	if !s.found || !s.recorded {
		outcome = s.missing(e)
	}
	if s.outer && s.found && e.trace != [16]byte{} {
		s.answered[e.trace] = true
	}
	s.findSources(i)
	s.toolSpans(i)
	s.sink.Accept(s.in, i)
	s.in = nil
	return outcome
}

// missing says why an entry has no answer. The attributes that may hold it are unknown fields.
func (s *recordState) missing(e *entry) Outcome {
	seen := unread(e)
	switch {
	case s.recorded && isToolCall(s.in.FinishReason):
		return Answer
	case len(seen) == 0 && !s.recorded:
		s.in.NoAnswer = schemas.NotRecorded
		return NoText
	}
	s.in.NoAnswer = schemas.NotFound
	s.in.UnknownFields = len(seen)
	s.in.UnknownNames = append(s.in.UnknownNames, seen[:min(len(seen), schemas.MaxUnknownNames)]...)
	return TextNotFound
}

// begin gets an interaction for the entry. One that was not accepted is used again.
func (s *recordState) begin(e *entry) {
	if s.in == nil {
		s.in = s.sink.New()
	}
	s.in.Reset()
	s.fields.read(e)
	s.first, s.recorded, s.found = nil, false, false
	if m := s.d.mapping; m != nil {
		if err, bad := errors.AsType[*scan.Error](m.fields.Decode(document(e), s.in)); bad {
			s.in.Reset()
			s.fault(err)
		}
	}
	s.in.Repaired = s.in.Repaired || e.repaired
}

func (s *recordState) reject(i int, err *scan.Error) Outcome {
	s.sink.Reject(&Rejected{Index: i, Value: s.batch.appendEntry(nil, i), Err: err})
	return Rejects
}
