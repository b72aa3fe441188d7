package records

import (
	"cmp"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"confab/internal/worker/config"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/mapspec"
	"confab/schemas/otlp"
)

// FileInput treats interactions of a file as records of one input topic. With tenant_from: header the tenant is the
// default one.
type FileInput struct {
	*inputDecoder

	fields     *fieldCounts
	members    *mapMembers
	references References
	said       saidAt
	order      string // of day and month in times that do not tell: dmy, mdy, or ""
}

// NewFileInput treats interactions as records of the input topic; of the first one when topic is empty.
func NewFileInput(c *config.Config, topic string) (*FileInput, error) {
	topics := make([]string, len(c.Kafka.Inputs))
	for i, in := range c.Kafka.Inputs {
		if topics[i] = in.Topic; in.Topic == topic || topic == "" {
			return newFileInput(c, in)
		}
	}
	return nil, fmt.Errorf("no input reads the topic %q: name one of %s, or add it to kafka.inputs", topic, strings.Join(topics, ", "))
}

// NewPresetInput treats interactions as records of the first input with a preset instead of its map and filter.
func NewPresetInput(c *config.Config, preset string) (*FileInput, error) {
	in := c.Kafka.Inputs[0] // the configuration requires one
	in.Map, in.Where, in.Kinds = config.PresetMap(preset), nil, nil
	if in.IsOTLP() {
		in.Format = config.FormatJSON
	}
	if preset == SpansPreset {
		in.Map, in.Format, in.TimeZone = nil, config.FormatOTLPJSON, ""
	}
	return newFileInput(c, in)
}

// NewMapInput treats interactions as records of the first input with the map, the filter and the time zone of a file instead of its own.
func NewMapInput(c *config.Config, path string) (*FileInput, error) {
	in := c.Kafka.Inputs[0]
	in.Map, in.Where, in.Kinds, in.TimeZone, in.MapFile = nil, nil, nil, "", path
	if in.IsOTLP() {
		in.Format = config.FormatJSON
	}
	if err := in.LoadMap(); err != nil {
		return nil, err
	}
	if in.Map["tenant"] != "" { // of a file that its reader has
		in.TenantFrom, in.TenantHeader = config.TenantPayload, ""
	}
	return newFileInput(c, in)
}

// SpansPreset is the name of the preset of OTLP in JSON, which is a format.
const SpansPreset = "otlp"

func newFileInput(c *config.Config, in config.Input) (*FileInput, error) {
	references, err := LoadReferences(c)
	if err != nil {
		return nil, err
	}
	if in.IsOTLP() {
		in.Format = config.FormatOTLPJSON // a file has lines
	}
	said, fields := takeSaid(&in), newFieldCounts(in.Map)
	for _, words := range in.Kinds {
		for _, is := range words {
			fields.wantsCalls = fields.wantsCalls || strings.HasPrefix(is, llmapi.EventCall)
		}
	}
	if err := said.takeKinds(&in); err != nil {
		return nil, err
	}
	members := newMapMembers(in.Map)
	if model := in.Map[schemas.FieldModel]; model != "" && strings.Contains(in.Map[mapspec.Request], joinedPlace) {
		in.Map[schemas.FieldModel] = model + " | /" + mapspec.JoinedModel // what opens a run may name it
	}
	d, err := newInputDecoder(&in, int(c.Kafka.MaxRecordBytes), json.MaxLabelledBytes)
	return &FileInput{inputDecoder: d, fields: fields, members: members, references: references, said: said}, err
}

var errManyAnswers = errors.New("a line of spans holds several answers, which only confab check reads")

// Decode reads an interaction by the input's map and counts its fields. The error of a record that the input's where leaves
// out is json.ErrSkipped. Decode is safe for concurrent use.
func (f *FileInput) Decode(raw []byte, in *schemas.Interaction) error {
	if f.spans != nil {
		return errManyAnswers
	}
	err := f.values.Decode(raw, in)
	if !f.joins() || err == nil { // what is joined alone stands for the other records
		f.members.look(raw)
	}
	if f.joins() { // a record that repeats the answer is not the user's
		in.Messages = slices.DeleteFunc(in.Messages, func(m schemas.Message) bool { return llmapi.Role(m.Role) == "user" && m.Content == in.Answer })
	}
	if f.ReadTime(in); err == nil {
		f.fields.count(in)
	}
	return err
}

// openDate is a date with the day or the month first, and the number above 12 that is a day.
var openDate = regexp.MustCompile(`^(?:(1[3-9]|[23]\d)|\d\d?)[/-](?:(1[3-9]|[23]\d)|\d\d?)[/-]\d{4}\b`)

// LearnOrder learns from a file whether its dates have the day or the month first: a number above 12 tells it, unless another date
// says otherwise. mapped says that the input's map reads its lines. A file without such dates at its beginning is not read on.
func (f *FileInput) LearnOrder(path string, mapped bool) {
	const begin = 20
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || f.spans != nil {
		return
	}
	file, err := os.Open(path)
	if err != nil {
		return // who reads it next reports it
	}
	defer file.Close()
	orders := map[string]int{}
	lines, err := recordshape.NewRecords(file, json.MaxLabelledBytes, path, nil)
	for n := 0; err == nil && (n < begin || len(orders) > 0); n++ {
		var row schemas.Labelled
		var line []byte
		if line, err = lines.Next(); mapped {
			_ = f.values.Decode(line, &row.Interaction)
		} else {
			_ = recordshape.DecodeLabelled(line, &row)
		}
		if date := openDate.FindStringSubmatch(row.Interaction.UnreadTime); date != nil {
			orders["dmy"], orders["mdy"] = orders["dmy"]+len(date[1]), orders["mdy"]+len(date[2])
		}
	}
	if dmy := orders["dmy"] > 0; dmy != (orders["mdy"] > 0) {
		f.order = map[bool]string{true: "dmy", false: "mdy"}[dmy]
	}
}

// ReadTime sets a time without a zone, or one whose order of day and month the file tells. Its field stays malformed.
func (f *FileInput) ReadTime(in *schemas.Interaction) {
	if in.OccurredAt.IsZero() {
		in.UnreadOrder = cmp.Or(in.UnreadOrder, f.order)
		recordshape.ReadTime(in)
	}
}

// HoldsSpans reports whether a line may hold several interactions, which Expand decodes.
func (f *FileInput) HoldsSpans() bool { return f.spans != nil }

// Expand decodes the interactions of a line in OTLP JSON, which point into the line, and gives each to the function with its
// place in the line, or the reason why it cannot be read. A line without any has an otlp.NoAnswerError.
func (f *FileInput) Expand(line []byte, each func(in *schemas.Interaction, index int, err error)) error {
	sink := fileSink{fields: f.fields, each: each}
	if _, err := f.spans.Decode(line, &sink); err != nil {
		return err
	}
	if sink.n == 0 {
		return &otlp.NoAnswerError{Keys: sink.unknown}
	}
	return nil
}

// fileSink passes on what a line holds.
type fileSink struct {
	fields *fieldCounts
	each   func(in *schemas.Interaction, index int, err error)
	n      int

	unknown []string // keys of attributes
}

// New implements otlp.Sink.
func (s *fileSink) New() *schemas.Interaction { return new(schemas.Interaction) }

// Accept implements otlp.Sink.
func (s *fileSink) Accept(in *schemas.Interaction, index int) {
	s.n++
	s.fields.count(in)
	s.each(in, index, nil)
}

// Reject implements otlp.Sink.
func (s *fileSink) Reject(bad *otlp.Rejected) {
	s.n++
	s.each(nil, bad.Index, fmt.Errorf("span %d: %w", bad.Index, bad.Err))
}

// Unknown implements otlp.UnknownSink.
func (s *fileSink) Unknown(keys []string) { s.unknown = append(s.unknown, keys...) }

// Report describes how many of the decoded records had each field, and what the map names and none of them has.
func (f *FileInput) Report() string { return f.fields.report() + f.members.describe() }

// Admit sets the input's tenant, an id if the interaction has none, and sources that its messages hold.
func (f *FileInput) Admit(in *schemas.Interaction, origin schemas.Origin) {
	if f.finder.Fill(in); in.SourcesFrom != schemas.SourcesFromField && len(in.Sources) > 0 {
		f.fields.countMessages()
	}
	f.ReadTime(in)
	assignTenant(in, &f.Input)
	f.references.Add(in)
	if in.ID == "" {
		in.ID, in.IDSource = schemas.OffsetID(origin.Topic, origin), schemas.IDSourceOffset
	}
}

// joins reports a map that reads what is joined.
func (f *FileInput) joins() bool {
	return strings.Contains(f.Map[mapspec.Request]+f.Map[schemas.FieldMessages], joinedPlace)
}

// Parts reads which conversation a record is of, where the map reads what is joined: messages that are logged one a record. Those that
// the filter selects are the assistant's. nil: nothing is joined.
func (f *FileInput) Parts() func(line []byte) recordshape.Part {
	if !f.joins() {
		return nil
	}
	all := f.Input
	all.Map, all.Where = maps.Clone(f.Map), nil
	delete(all.Map, mapspec.Request)
	delete(all.Map, schemas.FieldMessages)
	all.Map[mapspec.Response] = cmp.Or(all.Map[mapspec.Response], mapspec.Whole) // so that a record without an answer is read, too
	for _, place := range slices.Sorted(maps.Keys(f.Where)) {
		all.Map["attributes.role"] = cmp.Or(f.said.role, place)
	}
	decoder, err := all.Values(json.Options{MaxBytes: json.MaxLabelledBytes})
	delete(all.Map, "answer")
	unsaid, fault := all.Values(json.Options{MaxBytes: json.MaxLabelledBytes})
	filter, wrong := json.NewFilter(f.Where)
	if err != nil || fault != nil || wrong != nil {
		return nil // the same map was read without an error
	}
	return func(line []byte) recordshape.Part {
		var in schemas.Interaction
		if decoder.Decode(line, &in) != nil { // what lies there is no text
			_ = unsaid.Decode(line, &in)
			in.Answer = ""
		}
		return recordshape.Part{Group: in.ConversationID, At: in.OccurredAt, Gives: f.given(line, &in, len(f.Where)+len(in.Answer) > 0 && filter.Match(line)), Model: in.Model}
	}
}

// given are the messages of a record; said: the filter selects it as what the model said.
func (f *FileInput) given(line []byte, in *schemas.Interaction, said bool) []stdjson.RawMessage {
	if f.said.kinds != nil {
		messages, name, known := f.said.kinds.Messages(line)
		f.fields.countKind(name, known)
		return messages
	}
	if isMessage(line) { // with its calls and their ids
		return []stdjson.RawMessage{line}
	}
	name := in.Attributes["role"]
	kind := llmapi.EventKind(name)
	f.fields.countKind(name, said || kind != "" && (kind != "assistant" || llmapi.Role(name) != ""))
	if said {
		kind = "assistant"
	}
	return llmapi.Event(line, name, kind, in.Answer, f.said.content)
}

// isMessage reports a message in the form of the APIs.
func isMessage(line []byte) bool {
	var m struct {
		Role      string
		Content   *stdjson.RawMessage
		ToolCalls []stdjson.RawMessage `json:"tool_calls"`
	}
	return stdjson.Unmarshal(line, &m) == nil && llmapi.Role(m.Role) != "" && (m.Content != nil || len(m.ToolCalls) > 0)
}

// saidAt says where the records of a joined log have who speaks and what is said; without it that is found.
type saidAt struct {
	role    string // a pointer
	content [][]string
	kinds   *llmapi.Kinds
}

// takeSaid takes messages: role=/kind content=/data/text /joined from a map: what is joined are messages of the APIs, with their calls.
func takeSaid(in *config.Input) (at saidAt) {
	entry, err := mapspec.ParseEntry(schemas.FieldMessages, in.Map[schemas.FieldMessages])
	in.Map = maps.Clone(in.Map)
	for _, field := range []string{schemas.FieldMessages, schemas.FieldToolCalls} {
		if words := strings.Fields(in.Map[field]); len(words) > 0 && words[len(words)-1] == joinedPlace && !slices.Contains(words, "+") {
			delete(in.Map, field)
			in.Map[mapspec.Request] = cmp.Or(in.Map[mapspec.Request], joinedPlace)
		}
	}
	if err != nil || in.Map[schemas.FieldMessages] != "" {
		return at
	}
	for _, name := range entry.Candidates[0].Names {
		if name.Member == "content" {
			at.content = append(at.content, name.Steps)
		} else if at.role == "" {
			at.role = "/" + strings.NewReplacer("~", "~0", "/", "~1", " ", "~2", "\x00", "/").Replace(strings.Join(name.Steps, "\x00"))
		}
	}
	return at
}

// takeKinds takes kinds from a map that reads what is joined; those of answers are what where selects.
func (at *saidAt) takeKinds(in *config.Input) (err error) {
	if !strings.Contains(in.Map[mapspec.Request], joinedPlace) {
		return nil
	}
	where := map[string][]string{}
	maps.Copy(where, in.Where)
	for pointer, words := range in.Kinds {
		if at.kinds, err = llmapi.NewKinds(pointer, words); err != nil {
			return fmt.Errorf("kinds: %s: %w", pointer, err)
		}
		for _, word := range slices.Sorted(maps.Keys(words)) {
			if strings.HasPrefix(words[word], llmapi.KindAnswer) && !slices.Contains(where[pointer], word) {
				where[pointer] = append(slices.Clone(where[pointer]), word)
			}
		}
	}
	in.Where, in.Kinds = where, nil
	return nil
}

// joinedPlace is where the messages of a conversation are that are joined.
const joinedPlace = "/" + mapspec.Joined

// Complete adds the sources that messages hold and the reference context of the tenant, which is set.
func (f *FileInput) Complete(in *schemas.Interaction) {
	f.finder.Fill(in)
	f.references.Add(in)
}

// SetTenant sets the tenant that is known. Another one of the payload is kept as an attribute.
func SetTenant(in *schemas.Interaction, tenant string) { overrideTenant(in, tenant) }
