package export

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"confab/schemas"
)

// errNoTrace rejects flags that cannot be placed.
var errNoTrace = errors.New("the flag has no trace_id and no span_id: send them with the interaction, see docs/otlp.md")

// otelTarget is the target of a flag whose ids are those of OpenTelemetry, as lower-case hexadecimal digits. A span needs no
// trace id.
func otelTarget(f *schemas.Flag) (target, error) {
	trace, traceOK := hexID(f.TraceID, 16)
	span, spanOK := hexID(f.SpanID, 8)
	switch {
	case !spanOK:
		return target{}, errors.New("span_id is not 16 hexadecimal digits: send the id of the OpenTelemetry span")
	case span != "":
		return target{trace: trace, span: span}, nil
	case !traceOK:
		return target{}, errors.New("trace_id is not 32 hexadecimal digits: send the id of the OpenTelemetry trace")
	case trace == "":
		return target{}, errNoTrace
	}
	return target{trace: trace}, nil
}

// freeTarget is the target of a flag whose ids may be any: producers without OpenTelemetry choose them. A trace is required.
func freeTarget(f *schemas.Flag) (target, error) {
	trace, traceOK := freeID(f.TraceID, 16)
	span, spanOK := freeID(f.SpanID, 8)
	switch {
	case !traceOK || !spanOK:
		return target{}, errors.New("trace_id or span_id is longer than 200 characters or has others than letters, digits and _.:-")
	case trace == "" && span == "":
		return target{}, errNoTrace
	case trace == "":
		return target{}, errors.New("the flag has a span_id without a trace_id: send both with the interaction")
	}
	return target{trace: trace, span: span}, nil
}

// freeID reads an id of OpenTelemetry, or another one as it is.
func freeID(text string, size int) (id string, ok bool) {
	if id, ok = hexID(text, size); ok {
		return id, true
	}
	return text, isPlain(text)
}

// hexID reads an id of so many bytes. "" and all zeros, which mean none, are "". False means that it is not such an id.
func hexID(text string, size int) (id string, ok bool) {
	if text == "" {
		return "", true
	}
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != size {
		return "", false
	}
	id = strings.ToLower(text)
	if strings.Trim(id, "0") == "" {
		return "", true
	}
	return id, true
}

// uuidID reads a UUID in its usual form.
func uuidID(text string) (id string, ok bool) {
	const shape = "00000000-0000-0000-0000-000000000000"
	if len(text) != len(shape) {
		return "", false
	}
	for i := range len(shape) {
		if (shape[i] == '-') != (text[i] == '-') {
			return "", false
		}
	}
	if _, err := hex.DecodeString(strings.ReplaceAll(text, "-", "")); err != nil {
		return "", false
	}
	return strings.ToLower(text), true
}

// opikSuffix is the part of Opik's id that follows from an OpenTelemetry id. Opik makes a UUID of version 7 from it: the
// first 48 bits are the time of the earliest span in the first batch that it received of the trace, known to Opik alone; the
// others come from the SHA-256 of the id's bytes.
func opikSuffix(id string) string {
	raw, _ := hex.DecodeString(id) // it is one of otelTarget
	sum := sha256.Sum256(raw)
	sum[0] = sum[0]&0x0f | 0x70 // the version
	sum[2] = sum[2]&0x3f | 0x80 // the variant
	digits := hex.EncodeToString(sum[:10])
	return "-" + digits[:4] + "-" + digits[4:8] + "-" + digits[8:]
}
