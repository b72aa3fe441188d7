package records

import (
	"bytes"
	"maps"
	"slices"

	"confab/consumer"
	"confab/internal/worker/config"
	"confab/internal/worker/coverage"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json/scan"
	"confab/schemas/otlp"
)

// LetterReasons are the reasons of dead letters that the codec of a role gives, by stage.
func LetterReasons(role config.Role) map[string][]string {
	decode := slices.Concat(scan.Reasons(), []string{reasonUnknownFormat, reasonUnknownSchema, otlp.ReasonBadAnswer})
	slices.Sort(decode)
	validate := []string{reasonTenantUnverified}
	switch role {
	case config.RoleSample:
		validate = []string{reasonNoOrigin}
	case config.RoleAlert, config.RoleExport, config.RoleServe, config.RoleUI:
		validate = []string{reasonNoIncident}
	case config.RoleDetect:
	}
	return map[string][]string{stageDecode: slices.Compact(decode), stageValidate: validate}
}

// Stages are those that dead letters of Confab have.
func Stages() []string {
	return []string{stageDecode, stageValidate, consumer.StageHandle, consumer.StagePublish}
}

// Reasons are the reasons of all stages, sorted.
func Reasons() []string {
	return slices.Sorted(maps.Keys(remedies()))
}

// NewRemedy returns what a person can do about dead letters of a topic, stage and reason, such as the one with this value. It names
// settings of the configuration, and nothing of the value but whose shape it has. c may be nil: then the inputs are not known.
func NewRemedy(c *config.Config) func(topic, stage, reason string, value []byte) string {
	inputs := map[string]config.Input{}
	if c != nil {
		for _, in := range c.Kafka.Inputs {
			inputs[in.Topic] = in
		}
	}
	return func(topic, stage, reason string, value []byte) string {
		text := reasonRemedy(stage, reason)
		switch reason { //nolint:gocritic // of many values
		case scan.ReasonMissingAnswer, scan.ReasonUnmapped, scan.ReasonWrongType, scan.ReasonCaseVariant, scan.ReasonSyntax, reasonUnknownFormat:
			in := inputs[topic]
			if hint := valueRemedy(&in, reason, value); hint != "" {
				return hint
			}
			if hint := shapeRemedy(&in, value); hint != "" {
				return hint
			}
		}
		return text
	}
}

// foreignValue is a form of values that is not read.
type foreignValue struct{ begins, name, remedy string }

const (
	uncompressed = "write it uncompressed, and set compression.type of the producer"
	asUTF8       = "write UTF-8"
)

// foreignValues are told by how they begin.
//
//nolint:gochecknoglobals // a read-only table
var foreignValues = []foreignValue{
	{"\x1f\x8b", "gzip", uncompressed},
	{"\x28\xb5\x2f\xfd", "zstd", uncompressed},
	{"\xff\x06\x00\x00sNaPpY", "snappy", uncompressed},
	{"\x82SNAPPY\x00", "snappy", uncompressed},
	{"\x04\x22\x4d\x18", "lz4", uncompressed},
	{"\x78\x9c", "zlib", uncompressed},
	{"\x78\xda", "zlib", uncompressed},
	{"BZh", "bzip2", uncompressed},
	{"\xef\xbb\xbf", "UTF-8 with a byte order mark", "write it without"},
	{"\xff\xfe", "UTF-16", asUTF8},
	{"\xfe\xff", "UTF-16", asUTF8},
	{"Obj\x01", "an Avro container file", "write its records one by one, behind the id of their schema"},
	{singleObjectMagic, "single-object Avro", "write it behind the id of its schema, as serializers for a schema registry do"},
	{"[", "a JSON list, but not one of objects", "write objects"},
	{`"`, "a JSON string without JSON objects in it", "write the object itself"},
}

// foreignOf is the form of a value; the zero value is an unknown one.
func foreignOf(value []byte) foreignValue {
	trimmed := bytes.TrimSpace(value)
	for _, f := range foreignValues {
		if bytes.HasPrefix(trimmed, []byte(f.begins)) {
			return f
		}
	}
	return foreignValue{}
}

// valueRemedy recognises values that no setting of an input reads, and settings that cannot help; "" for others.
func valueRemedy(in *config.Input, reason string, value []byte) string {
	if len(value) > 0 && value[0] == frameMagic {
		return framedRemedy(reason)
	}
	if f := foreignOf(value); f.name != "" {
		return "the value is " + f.name + ": " + f.remedy
	}
	trimmed := bytes.TrimSpace(value)
	switch {
	case reason != reasonUnknownFormat || value == nil:
		return ""
	case len(trimmed) == 0:
		return "the value is empty: write no record, or a null value, which is skipped"
	case in.Format == config.FormatAvro && trimmed[0] == '{':
		return "the value is JSON, and kafka.inputs[].format is avro: set it to auto or json"
	}
	return ""
}

// shapeRemedy is what to do about a record of a known shape; "" for another one. That the shape reads the record is tried.
func shapeRemedy(in *config.Input, value []byte) string {
	if recordshape.IsSpans(value) {
		return "the value is OTLP in JSON: set format: otlp_json of the input"
	}
	row, known := recordshape.Recognise(value)
	switch {
	case known && row.Skip+row.Remedy != "", bytes.HasPrefix(bytes.TrimSpace(value), []byte("{'")):
		return recordshape.Hint(value, "FILE")
	case len(in.Map) == 0:
		return ""
	}
	unmapped := *in
	unmapped.Map, unmapped.Where = nil, nil
	if d, err := newInputDecoder(&unmapped, 0, 0); err != nil || d.values.Decode(value, new(schemas.Interaction)) != nil {
		return ""
	}
	return "such a record is read without a map: remove map and where of the input, or read it from a topic of its own"
}

// framedRemedy is what to do about a value behind a schema's id.
func framedRemedy(reason string) string {
	switch reason {
	case scan.ReasonMissingAnswer, scan.ReasonUnmapped:
		return "name the answer's place in kafka.inputs[].map: an Avro record is read like JSON with the names of its schema (docs/avro.md)"
	case reasonUnknownFormat:
		return "write Avro or JSON, not Protobuf, and set schema_registry.url to the producer's registry (docs/avro.md)"
	}
	return ""
}

func reasonRemedy(stage, reason string) string {
	if stage == consumer.StagePublish {
		return "raise max.message.bytes of the topics that Confab writes: `confab doctor` compares the limits"
	}
	if text, ok := remedies()[reason]; ok {
		return text
	}
	return "see docs/interaction.md, Refused"
}

// Texts that several reasons share.
const (
	fixProducer   = "correct the producer"
	checkMap      = "correct kafka.inputs[].map: `confab map FILE` proposes one for a file of such records, `confab check FILE --input TOPIC` shows what it finds"
	fixRegistry   = "check schema_registry.url and the producer's registry: they must be the same"
	onlyConfab    = "only Confab may write this topic: find the other writer"
	reportIt      = "report the record: it is in the dead-letter topic"
	smallerValues = "write smaller records (the limits are in docs/interaction.md)"
)

func remedies() map[string]string {
	return map[string]string{
		scan.ReasonSyntax:           fixProducer + ": the value is not the format that kafka.inputs[].format names",
		scan.ReasonTrailingBytes:    fixProducer + ": only objects may follow an object",
		scan.ReasonTooLarge:         "raise kafka.max_record_bytes, or write smaller records",
		scan.ReasonTooDeep:          smallerValues,
		scan.ReasonTooMany:          smallerValues,
		scan.ReasonBadUTF8:          fixProducer + ": texts must be UTF-8",
		scan.ReasonControlCharacter: fixProducer + ": write control characters as JSON escapes, as JSON libraries do",
		scan.ReasonDuplicateKey:     fixProducer + ": a JSON object names a key twice",
		scan.ReasonCaseVariant:      "write the field's name in lower case, or map it with kafka.inputs[].map",
		scan.ReasonMissingAnswer:    "write the answer as the field answer, or name its place in kafka.inputs[].map: `confab map FILE` proposes one for a file of such records",
		scan.ReasonWrongType:        fixProducer + ", or map the field to one of its type with kafka.inputs[].map (docs/interaction.md)",
		scan.ReasonOutOfRange:       "if it is a time without a zone, set kafka.inputs[].time_zone or write one, such as 2026-11-21T10:00:00Z; else " + fixProducer,
		scan.ReasonBadLogprobs:      fixProducer + ": write base64 of float32 in rows of 1 + top_k, or take required off token_logprobs in kafka.inputs[].map",
		scan.ReasonUnmapped:         checkMap,
		otlp.ReasonBadAnswer:        "the answer's attribute is broken JSON, most often cut off: " + coverage.CutOffRemedy,
		scan.ReasonBadFrame:         fixProducer + ": write Confluent's prefix, a zero byte and the schema's id",
		scan.ReasonBadSchema:        "register the schema in one piece, a record with the fields in docs/avro.md, and write the values with it",
		reasonUnknownFormat:         "set kafka.inputs[].format, or schema_registry.url where a header holds a schema's id, or give records that are not interactions a topic of their own",
		reasonUnknownSchema:         fixRegistry,
		reasonTenantUnverified:      "write the header that kafka.inputs[].tenant_header names, or set tenant_from",
		reasonNoIncident:            onlyConfab,
		reasonNoOrigin:              onlyConfab,
		consumer.ReasonPanic:        reportIt,
		consumer.ReasonCrashSuspect: reportIt + " (docs/operations.md, Crash suspects)",
	}
}

// RedriveClass says whether it helps to process a dead letter again.
type RedriveClass string

// The classes, in the order in which people read them.
const (
	// RedriveTransient: what failed was outside the record and may be right by now.
	RedriveTransient RedriveClass = "transient"
	// RedriveAfterFix: a setting, a limit or a version has to change first, as the remedy says.
	RedriveAfterFix RedriveClass = "fix, then redrive"
	// RedriveNever: the record itself is faulty, so it would become a dead letter again.
	RedriveNever RedriveClass = "never"
)

// ClassOf is the class of dead letters of a reason. One that Confab does not give is in class never.
func ClassOf(stage, reason string) RedriveClass {
	switch {
	case stage == consumer.StagePublish:
		return RedriveAfterFix
	case reason == reasonUnknownSchema:
		return RedriveTransient
	case slices.Contains(fixable(), reason):
		return RedriveAfterFix
	}
	return RedriveNever
}

// fixable are the reasons whose remedy is a setting of Confab or another version.
func fixable() []string {
	return []string{
		scan.ReasonTooLarge, scan.ReasonCaseVariant, scan.ReasonMissingAnswer, scan.ReasonWrongType, scan.ReasonOutOfRange, scan.ReasonUnmapped, scan.ReasonBadLogprobs,
		reasonUnknownFormat, reasonTenantUnverified, consumer.ReasonPanic, consumer.ReasonCrashSuspect,
	}
}
