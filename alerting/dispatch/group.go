package dispatch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"confab/schemas"
)

// GroupKind is what a group is made by, and the firing rate of its detector.
type GroupKind struct {
	Labels     schemas.AlertGroupLabels
	Severity   schemas.Severity
	Detector   string
	FiringRate float64
}

// groupKindOf is the group of an incident. by lists the labels that its incidents have in common, in addition to the tenant.
func groupKindOf(f *schemas.Flag, severity schemas.Severity, by []string) GroupKind {
	k := GroupKind{Severity: severity, Labels: schemas.AlertGroupLabels{Tenant: Truncate(f.Tenant, MaxLabel)}}
	for _, label := range by {
		switch label {
		case "service":
			k.Labels.Service = Truncate(f.Service, MaxLabel)
		case "operation":
			k.Labels.Operation = Truncate(f.Operation, MaxLabel)
		case "provider":
			k.Labels.Provider = Truncate(f.Provider, MaxLabel)
		case "model":
			k.Labels.Model = Truncate(f.Model, MaxLabel)
		case "detectors":
			k.Labels.Detectors = firedDetectors(f)
		}
	}
	return k
}

// firedDetectors are the fired detectors without an anomalous rate, sorted.
func firedDetectors(f *schemas.Flag) []string {
	var names []string
	for _, d := range f.Fired {
		if _, anomalous := f.AnomalousRates[d]; !anomalous {
			names = append(names, Truncate(d, MaxLabel))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Key is an opaque id, the same in every process.
func (k GroupKind) Key() string {
	h := sha256.New()
	part := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	kind := schemas.AlertGroup
	if k.Detector != "" {
		kind = schemas.AlertBroken
	}
	l := k.Labels
	for _, s := range []string{
		string(kind), string(k.Severity), k.Detector, l.Tenant, l.Service, l.Operation, l.Provider, l.Model,
	} {
		part(s)
	}
	for _, d := range l.Detectors {
		part(d)
	}
	return hex.EncodeToString(h.Sum(nil)[:IDBytes])
}

// IDBytes is the length of group keys and message ids.
const IDBytes = 16

// MaxLabel is how many bytes of a label are kept.
const MaxLabel = 200
