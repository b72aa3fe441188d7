package wire

import "confab/schemas/json/scan"

// Limits of one record. They bound the memory of records with many tiny parts.
const (
	MaxEntries    = 1 << 16 // spans or log records
	MaxAttributes = 1 << 18 // kept attributes
	maxOwn        = 1 << 14 // kept attributes of one span or log record
	maxDepth      = 32      // nesting of structured values in protobuf
)

// Entry is a span or a log record.
type Entry struct {
	Log        bool
	Trace      [16]byte
	Span       [8]byte
	Parent     [8]byte
	BadIDs     bool   // an id has another length, and is zero
	Name       string // of the span, or of the log record's event
	Kind       int32  // of the span
	Failed     bool   // the span's status is an error
	Start, End uint64 // nanoseconds since 1970, 0 if unknown; a log record has an end only
	Attributes []Attribute
	Events     []Event // of the span
	Body       Value   // of the log record
	Resource   int     // index in Batch.Resources
	Err        *scan.Error

	raw       []byte
	scope     int
	hasEvents bool
}

// Event is an event of a span.
type Event struct {
	Name       string
	Attributes []Attribute
}

// Attribute is a kept attribute.
type Attribute struct {
	Key   string
	Value Value
}

// Kind is the type of a value.
type Kind uint8

// The kinds of values.
const (
	Absent Kind = iota
	String
	Int
	Double
	Bool
	List // of values
	Map  // of keys and values
	Bytes
)

// Value is a value that is not decoded yet. It points into the record.
type Value struct {
	Kind Kind
	raw  []byte // protobuf: the text or message; JSON: the source text
	bits uint64 // protobuf: a number
	json bool
}

// Resource is what the spans of one source share.
type Resource struct {
	Attributes []Attribute
	raw        []byte
}

type scope struct {
	raw  []byte
	logs bool
}

// Batch is what one record holds. Its parts point into the record, and are valid until the next read.
type Batch struct {
	Entries   []Entry
	Resources []Resource

	scopes []scope
	attrs  []Attribute
	events []Event
	json   bool
}

// Reset empties the batch and drops all references to the record.
func (b *Batch) Reset() {
	clear(b.Entries)
	clear(b.Resources)
	clear(b.scopes)
	clear(b.attrs)
	clear(b.events)
	*b = Batch{Entries: b.Entries[:0], Resources: b.Resources[:0], scopes: b.scopes[:0], attrs: b.attrs[:0], events: b.events[:0]}
}

// Keep says which attributes are kept.
type Keep func(key string) bool

// isEvent reports whether an event of a span is kept.
func isEvent(name string) bool {
	return len(name) >= len("gen_ai.") && name[:len("gen_ai.")] == "gen_ai." || name == "db.query.result" || name == "db.search.result"
}

// beginEntry appends an entry; false if there are too many.
func (b *Batch) beginEntry(e Entry) bool {
	if len(b.Entries) >= MaxEntries {
		return false
	}
	e.Resource, e.scope = len(b.Resources)-1, len(b.scopes)-1
	b.Entries = append(b.Entries, e)
	return true
}

// fits reports whether another attribute may be kept with those from an index on.
func (b *Batch) fits(from int) bool {
	return len(b.attrs)-from < maxOwn && len(b.attrs) < MaxAttributes
}

// since returns the attributes from an index on. They stay valid when the storage grows.
func (b *Batch) since(from int) []Attribute { return b.attrs[from:len(b.attrs):len(b.attrs)] }
