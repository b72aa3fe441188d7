package inputs

import (
	"errors"
	"fmt"
	"time"

	"confab/consumer/hold"
	"confab/internal/promptsources"
	"confab/internal/strictyaml"
	"confab/schemas/json"
	"confab/schemas/json/presets"
	"confab/schemas/otlp"
)

// Input is one topic of interactions.
type Input struct {
	// Name of the topic.
	Topic string `yaml:"topic"`
	// Encoding of the values; auto decides by the first bytes. avro and Confluent's prefix need schema_registry.url. otlp_proto and otlp_json are OpenTelemetry's spans and log records.
	Format string `yaml:"format" enum:"auto|avro|json|otlp_proto|otlp_json"`
	// Where an interaction's tenant comes from. Use payload only if all writers of the topic are trusted.
	TenantFrom string `yaml:"tenant_from" enum:"fixed|header|payload"`
	// The tenant under `tenant_from: fixed`.
	Tenant string `yaml:"tenant"`
	// The record header that names the tenant under `tenant_from: header`; records without it are dead-lettered.
	TenantHeader string `yaml:"tenant_header"`
	// For JSON of another shape: JSON Pointers to the fields of an interaction, or `preset` with the name of a known shape. Empty: the fields have Confab's names. See docs/existing-topics.md; for OTLP, docs/otlp.md.
	Map FieldMap `yaml:"map"`
	// Records to evaluate: JSON Pointers with the values to keep. Other records are skipped and counted. Empty: all, or those of the preset. JSON and OTLP only.
	Where map[string][]string `yaml:"where"`
	// Zone of times without one: a name such as Europe/Rome, UTC, or an offset such as +02:00. Empty: that of the preset, or such a time is malformed. JSON only.
	TimeZone string `yaml:"time_zone"`
	// Where the sources of interactions are that have none in their field. auto: the usual shapes in messages; field: never look into messages; tool_messages: results of tools; system: the system message is the sources; prompt: between the delimiters or by the pattern. See docs/prompt-sources.md.
	SourcesFrom string `yaml:"sources_from" enum:"auto|field|tool_messages|system|prompt"`
	// Text before the sources under `sources_from: prompt`.
	SourcesStart string `yaml:"sources_start"`
	// Text behind the sources under `sources_from: prompt`.
	SourcesEnd string `yaml:"sources_end"`
	// Regular expression (RE2) under `sources_from: prompt`, instead of delimiters. Its group, or the group `text`, is a passage; the group `id` its id.
	SourcesPattern string `yaml:"sources_pattern"`
	// Joins answers and passages of a trace that come in several records. OTLP only, for topics keyed by trace id. See docs/otlp.md.
	JoinTraces JoinTraces `yaml:"join_traces"`
	// Assembles streamed answers whose chunks (chat.completion.chunk) come in several records. JSON only, for topics keyed by the completion's id. See docs/existing-topics.md.
	JoinChunks JoinChunks `yaml:"join_chunks"`
}

// JoinChunks makes the first chunk of an answer wait for the last one.
type JoinChunks struct {
	// Assemble chunks of the same completion. Records that hold a whole stream are assembled, too.
	Enabled bool `yaml:"enabled"`
	// How long an answer waits for its end, by the clock and by the times of later records; at most kafka.session_timeout. Then what has come is measured.
	Wait time.Duration `yaml:"wait" min:"10ms" max:"5m"`
	// Number of unfinished answers of a partition; beyond it the oldest is measured as it is.
	MaxRecords int `yaml:"max_records" min:"1" max:"100000"`
	// Bytes of the unfinished answers of a partition, with all their chunks; beyond it the oldest is measured as it is.
	MaxBytes strictyaml.Bytes `yaml:"max_bytes" min:"64KiB" max:"1GiB"`
}

// JoinTraces makes answers wait for the passages of their trace.
type JoinTraces struct {
	// Let a record with an answer wait until passages of its trace arrive, and keep passages until the answer arrives.
	Enabled bool `yaml:"enabled"`
	// How long a record waits, by the clock and by the times of later records; at most kafka.session_timeout.
	Wait time.Duration `yaml:"wait" min:"10ms" max:"5m"`
	// Number of records of a partition that wait; beyond it the oldest is evaluated.
	MaxRecords int `yaml:"max_records" min:"1" max:"100000"`
	// Bytes of the records of a partition that wait, and once more of the passages that are kept.
	MaxBytes strictyaml.Bytes `yaml:"max_bytes" min:"64KiB" max:"1GiB"`
}

// HoldLimits are the limits of records that wait; false if records of the input do not.
func (in *Input) HoldLimits() (limits hold.Limits, joins bool) {
	if j := &in.JoinChunks; j.Enabled {
		return hold.Limits{Wait: j.Wait, Items: j.MaxRecords, Bytes: int(j.MaxBytes)}, true
	}
	j := &in.JoinTraces
	return hold.Limits{Wait: j.Wait, Items: j.MaxRecords, Bytes: int(j.MaxBytes)}, j.Enabled
}

// SourceFinder makes the finder of the input's sources. [Config.Validate] has checked it.
func (in *Input) SourceFinder() (*promptsources.Finder, error) {
	f, err := promptsources.NewFinder(in.sourceOptions())
	if err != nil {
		return nil, fmt.Errorf("kafka.inputs sources of %s: %w", in.Topic, err)
	}
	return f, nil
}

func (in *Input) sourceOptions() promptsources.Options {
	return promptsources.Options{From: in.SourcesFrom, Start: in.SourcesStart, End: in.SourcesEnd, Pattern: in.SourcesPattern}
}

// IsOTLP reports an input of spans or log records.
func (in *Input) IsOTLP() bool { return in.Format == FormatOTLPProto || in.Format == FormatOTLPJSON }

// SpanOptions are the options of the decoder of an OTLP input. Spans of retrievers are joined unless sources_from names
// another place.
func (in *Input) SpanOptions(maxBytes int) otlp.Options {
	return otlp.Options{
		JSON: in.Format == FormatOTLPJSON, MaxBytes: maxBytes, Map: in.Map, Where: in.Where,
		Join: in.SourcesFrom == promptsources.FromAuto || in.SourcesFrom == promptsources.FromField,
	}
}

// FieldMap holds JSON Pointers by field of the interaction, as NewMapping of schemas/json takes them, and the key preset.
type FieldMap map[string]string

const (
	presetKey  = "preset" // names the preset under a map
	noneOfThem = "none"   // removes an entry of the preset
)

// PresetMap is the map that consists of a preset.
func PresetMap(name string) FieldMap { return FieldMap{presetKey: name} }

// Shape returns the entries of the map and the conditions of the records: those of the preset, overridden by the input's
// own. The error joins a *json.MappingError per fault.
func (in *Input) Shape() (entries map[string]string, where map[string][]string, err error) {
	name, preset := in.Map[presetKey]
	if !preset {
		return in.Map, in.Where, nil
	}
	p, err := presets.FindPreset(name)
	if err != nil {
		return nil, nil, &json.MappingError{Field: presetKey, Message: err.Error()}
	}
	var faults []error
	for field, entry := range in.Map {
		_, known := p.Map[field]
		switch {
		case field == presetKey:
		case entry != noneOfThem:
			p.Map[field] = entry
		case known:
			delete(p.Map, field)
		default:
			faults = append(faults, &json.MappingError{Field: field, Message: "none removes an entry of the preset, which has no such entry"})
		}
	}
	if where = in.Where; len(where) == 0 {
		where = p.Where
	}
	return p.Map, where, errors.Join(faults...)
}

// Zone returns the zone of times without one: the input's, else that of its preset, nil for none.
func (in *Input) Zone() (*time.Location, error) {
	zone := in.TimeZone
	if name, preset := in.Map[presetKey]; preset && zone == "" {
		if p, err := presets.FindPreset(name); err == nil { // Shape reports an unknown name
			zone = p.TimeZone
		}
	}
	if zone == "" {
		return nil, nil //nolint:nilnil // no zone is configured
	}
	return json.ParseLocation(zone)
}

// The values of Input.TenantFrom.
const (
	TenantFixed   = "fixed"
	TenantHeader  = "header"
	TenantPayload = "payload"
)

// The values of Input.Format.
const (
	FormatAuto      = "auto"
	FormatAvro      = "avro"
	FormatJSON      = "json"
	FormatOTLPProto = "otlp_proto"
	FormatOTLPJSON  = "otlp_json"
)

// SetDefaults sets the input to that of an empty section.
func (in *Input) SetDefaults() { *in = DefaultInput("") }

// DefaultInput is the input of a topic without further settings.
func DefaultInput(topic string) Input {
	return Input{
		Topic: topic, Format: FormatAuto, TenantFrom: TenantFixed, Tenant: "default", SourcesFrom: promptsources.FromAuto,
		JoinTraces: JoinTraces{Wait: 10 * time.Second, MaxRecords: 10_000, MaxBytes: 16 << 20},
		JoinChunks: JoinChunks{Wait: 30 * time.Second, MaxRecords: 10_000, MaxBytes: 16 << 20},
	}
}
