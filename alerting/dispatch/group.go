package dispatch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"confab/schemas"
)

// groupKind is what a group is made by.
type groupKind struct {
	labels   schemas.AlertGroupLabels
	severity schemas.Severity
}

// groupKindOf is the group of an incident. by lists the labels that its incidents have in common, in addition to the tenant.
func groupKindOf(f *schemas.Flag, severity schemas.Severity, by []string) groupKind {
	k := groupKind{severity: severity, labels: schemas.AlertGroupLabels{Tenant: truncate(f.Tenant, maxLabel)}}
	for _, label := range by {
		switch label {
		case "service":
			k.labels.Service = truncate(f.Service, maxLabel)
		case "operation":
			k.labels.Operation = truncate(f.Operation, maxLabel)
		case "provider":
			k.labels.Provider = truncate(f.Provider, maxLabel)
		case "model":
			k.labels.Model = truncate(f.Model, maxLabel)
		case "detectors":
			k.labels.Detectors = firedDetectors(f)
		case "problem":
			k.labels.Problem = problemOf(f)
		}
	}
	return k
}

// firedDetectors are the fired detectors, sorted.
func firedDetectors(f *schemas.Flag) []string {
	names := truncateAll(f.Fired, len(f.Fired))
	slices.Sort(names)
	return slices.Compact(names)
}

// key is an opaque id, the same in every process.
func (k groupKind) key() string {
	h := sha256.New()
	part := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	l := k.labels
	for _, s := range append([]string{string(k.severity), l.Tenant, l.Service, l.Operation, l.Provider, l.Model}, l.Detectors...) {
		part(s)
	}
	if l.Problem != "" {
		part(l.Problem)
	}
	return hex.EncodeToString(h.Sum(nil)[:idBytes])
}

// idBytes is the length of group keys and message ids.
const idBytes = 16

// maxLabel is how many bytes of a label are kept.
const maxLabel = 200
