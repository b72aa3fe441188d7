package schemas

import (
	"regexp"
	"strings"
)

// traceparentForm is that of the W3C trace context: version, trace id, span id and flags; later versions may have more.
var traceparentForm = regexp.MustCompile(`^(?:[0-9a-e][0-9a-f]|f[0-9a-e])-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-[0-9a-z-]{0,64})?$`)

// traceparentSize is that of version 00, which has no more.
const traceparentSize = 55

// ReadTraceparent returns the ids of the trace and of the span in a header traceparent, "" where it is none.
func ReadTraceparent(header string) (traceID, spanID string) {
	m := traceparentForm.FindStringSubmatch(header)
	if m == nil || len(header) > traceparentSize && strings.HasPrefix(header, "00") || strings.Trim(m[1], "0") == "" || strings.Trim(m[2], "0") == "" {
		return "", ""
	}
	return m[1], m[2]
}
