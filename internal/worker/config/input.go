package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/internal/files"
	"confab/internal/promptsources"
	"confab/internal/strictyaml"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/mapspec"
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
	// For JSON of another shape: JSON Pointers to the fields of an interaction, or `preset` with the name of a family of known shapes. Empty: records with Confab's names and those of all known shapes are read. See docs/existing-topics.md; for OTLP, docs/otlp.md.
	Map FieldMap `yaml:"map"`
	// File with map, where, kinds and time_zone, and maybe sources_from and sources_pattern, instead of these keys, such as `confab map` writes it. Without `map`, records are read as without a map.
	MapFile string `yaml:"map_file"`
	// Records to evaluate: JSON Pointers with the values to keep. Other records are skipped and counted. Empty: all, or those of the preset. JSON and OTLP only.
	Where map[string][]string `yaml:"where"`
	// What each word at a pointer such as /steps/kind is: user, answer, system, call, result, error, tool or none, with places where they are not found. JSON only. See docs/existing-topics.md.
	Kinds map[string]map[string]string `yaml:"kinds"`
	// Zone of times without one: a name such as Europe/Rome, UTC, or an offset such as +02:00. Empty: that of the preset, or such a time is malformed. JSON only.
	TimeZone string `yaml:"time_zone"`
	// Where the sources of interactions are that have none in their field. auto: the usual shapes in messages; field: never look into messages; tool_messages: results of tools; system: the system message is the sources; prompt: what the pattern finds. See docs/prompt-sources.md.
	SourcesFrom string `yaml:"sources_from" enum:"auto|field|tool_messages|system|prompt"`
	// Regular expression (RE2) under `sources_from: prompt`. Its group, or the group `text`, is a passage; the group `id` its id.
	SourcesPattern string `yaml:"sources_pattern"`
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
	return promptsources.Options{From: in.SourcesFrom, Pattern: in.SourcesPattern}
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

const presetKey = "preset" // names the preset under a map

// PresetMap is the map that consists of a preset.
func PresetMap(name string) FieldMap { return FieldMap{presetKey: name} }

// Values makes the decoder of the input's JSON values: by its map and filter, or by the shapes of records. The error joins a
// *json.MappingError per fault.
func (in *Input) Values(limits json.Options) (d recordshape.Decoder, err error) {
	if limits.Zone, err = in.Zone(); err != nil {
		return nil, err
	}
	name, preset := in.Map[presetKey]
	entries := maps.Clone(in.Map)
	delete(entries, presetKey)
	mapping, err := newMapping(entries, preset)
	filter, fault := json.NewFilter(in.Where)
	if err = errors.Join(err, fault); err != nil {
		return nil, err
	}
	switch {
	case preset || len(in.Map)+len(in.Where) == 0:
		return recordshape.NewDecoder(recordshape.Options{Preset: name, Map: entries, Where: in.Where}, limits)
	case len(in.Map) > 0:
		d = mapping.WithLimits(limits)
	default:
		d, err = recordshape.NewDecoder(recordshape.Options{}, limits)
	}
	if len(in.Where) > 0 {
		d = filtered{filter.WithLimits(limits), d}
	}
	for pointer, words := range in.Kinds {
		kinds, err := llmapi.NewKinds(pointer, words)
		if err != nil {
			return nil, &json.MappingError{Field: pointer, Message: err.Error()}
		}
		d = marked{kinds, d}
	}
	return d, err
}

// marked decodes values whose lists of steps say what each step is.
type marked struct {
	kinds *llmapi.Kinds
	next  recordshape.Decoder
}

// Decode implements [recordshape.Decoder].
func (d marked) Decode(raw []byte, in *schemas.Interaction) error {
	return d.next.Decode(d.kinds.Mark(raw), in)
}

// mapFile is a file of how records are read.
type mapFile struct {
	Map      FieldMap                     `yaml:"map"`
	Where    map[string][]string          `yaml:"where"`
	Kinds    map[string]map[string]string `yaml:"kinds"`
	TimeZone string                       `yaml:"time_zone"`
	From     string                       `yaml:"sources_from" enum:"|auto|field|tool_messages|system|prompt"`
	Pattern  string                       `yaml:"sources_pattern"`
}

// LoadMap reads the map file of the input, if it names one, into the input's other keys.
func (in *Input) LoadMap() error {
	if in.MapFile == "" {
		return nil
	}
	if len(in.Map)+len(in.Where)+len(in.Kinds) > 0 || in.TimeZone != "" {
		return errors.New("map, where, kinds and time_zone are in the file: remove them beside map_file")
	}
	text, err := files.Read(in.MapFile, maxFileBytes)
	if err != nil {
		return err
	}
	var f mapFile
	d := strictyaml.NewDecoder(nil)
	d.File(text, in.MapFile, &f)
	in.Map, in.Where, in.Kinds, in.TimeZone, in.MapFile = f.Map, f.Where, f.Kinds, f.TimeZone, ""
	if f.From+f.Pattern != "" {
		in.SourcesFrom, in.SourcesPattern = cmp.Or(f.From, promptsources.FromPrompt), f.Pattern
	}
	if err := d.Err(); err != nil {
		return err
	}
	if len(f.Map)+len(f.Where) == 0 && f.TimeZone+f.From+f.Pattern == "" {
		return errors.New("the file has no map: confab map writes one")
	}
	return nil
}

// newMapping makes the mapping of an input. Those of a preset's shapes have an answer.
func newMapping(entries map[string]string, preset bool) (*json.Mapping, error) {
	if len(entries) == 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	all := maps.Clone(entries)
	if _, ok := all[mapspec.Response]; preset && !ok {
		all[mapspec.Response] = mapspec.Whole
	}
	return json.NewMapping(all)
}

// filtered decodes the values that match a filter; the error of the others is json.ErrSkipped.
type filtered struct {
	filter *json.Filter
	next   recordshape.Decoder
}

// Decode implements [recordshape.Decoder].
func (d filtered) Decode(raw []byte, in *schemas.Interaction) error {
	if !d.filter.Match(raw) {
		return json.ErrSkipped
	}
	return d.next.Decode(raw, in)
}

// Zone returns the zone of times without one; nil for none.
func (in *Input) Zone() (*time.Location, error) {
	if in.TimeZone == "" {
		return nil, nil //nolint:nilnil // no zone is configured
	}
	return json.ParseLocation(in.TimeZone)
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
	}
}

// input checks what concerns one input.
func (k *checker) input(path string, in *Input) {
	header, finder := in.TenantFrom == TenantHeader, in.sourceOptions()
	_, err := promptsources.NewFinder(finder)
	k.rules(
		rule{header && in.TenantHeader == "", path + ".tenant_header", "name the record header that holds the tenant"},
		rule{!header && in.TenantHeader != "", path + ".tenant_header", "has no effect: set tenant_from: header, or remove it"},
		rule{in.TenantFrom == TenantFixed && in.Tenant == "", path + ".tenant", "is empty; name the tenant, or set tenant_from"},
		rule{err != nil, path + ".sources_from", fmt.Sprint(err)},
	)
	if in.IsOTLP() {
		k.spans(path, in)
		return
	}
	mapped := len(in.Map) > 0
	if in.Format != FormatJSON && in.Format != FormatAuto {
		k.useless(path, "only JSON is mapped, not "+in.Format+": set format: json", map[string]bool{"map": mapped, "where": len(in.Where) > 0, "kinds": len(in.Kinds) > 0, "time_zone": in.TimeZone != ""})
	}
	k.values(path, in)
}

// values checks how JSON values are read.
func (k *checker) values(path string, in *Input) {
	if _, err := in.Zone(); err != nil {
		k.rules(rule{true, path + ".time_zone", fmt.Sprint(err)})
		in.TimeZone = ""
	}
	name, preset := in.Map[presetKey]
	if preset && !slices.Contains(recordshape.PresetNames(), name) {
		k.fail(path+".map."+presetKey, "%s", recordshape.UnknownPreset(name, recordshape.PresetNames()))
		return
	}
	named := in.Map["tenant"] != "" || preset && recordshape.Reads(name, "tenant")
	k.rules(rule{
		len(in.Map) > 0 && in.TenantFrom == TenantPayload && !named, path + ".map",
		"has no tenant, but tenant_from is payload: point tenant at it, or set tenant_from",
	}, rule{
		strings.HasSuffix(in.Map[mapspec.Request], "/"+mapspec.Joined) || strings.HasSuffix(in.Map[schemas.FieldMessages], "/"+mapspec.Joined), path + ".map",
		"joins records, which only files are: write whole answers to the topic, such as confab produce FILE --map FILE does",
	})
	_, err := in.Values(json.Options{})
	for _, err := range strictyaml.SplitJoined(err) {
		k.mappingFaults(path+in.keyOf(err), err)
	}
}

// keyOf is the key whose value has the fault.
func (in *Input) keyOf(err error) string {
	switch fault, ok := errors.AsType[*json.MappingError](err); {
	case !ok || fault.Field == "" || in.Where[fault.Field] != nil:
		return ".where"
	case in.Kinds[fault.Field] != nil:
		return ".kinds"
	}
	return ".map"
}

// spans checks what concerns inputs of OTLP only.
func (k *checker) spans(path string, in *Input) {
	_, preset := in.Map[presetKey]
	k.rules(
		rule{in.TenantFrom == TenantPayload, path + ".tenant_from", "an attribute of a span is not a tenant: set fixed or header"},
		rule{in.TimeZone != "", path + ".time_zone", "has no effect on " + in.Format + ": remove it"},
		rule{len(in.Kinds) > 0, path + ".kinds", "has no effect on " + in.Format + ": remove it"},
		rule{preset, path + ".map", "a preset maps JSON, and " + in.Format + " needs none: remove it"},
	)
	if preset {
		return
	}
	_, err := otlp.NewDecoder(in.SpanOptions(0))
	for _, err := range strictyaml.SplitJoined(err) {
		key := ".map"
		if fault, ok := errors.AsType[*json.MappingError](err); ok && in.Where[fault.Field] != nil {
			key = ".where"
		}
		k.mappingFaults(path+key, err)
	}
}

func (k *checker) mappingFaults(path string, err error) {
	for _, err := range strictyaml.SplitJoined(err) {
		if fault, ok := errors.AsType[*json.MappingError](err); ok && fault.Field != "" {
			k.fail(strictyaml.JoinPath(path, fault.Field), "%s", fault.Message)
		} else {
			k.fail(path, "%s", err)
		}
	}
}
