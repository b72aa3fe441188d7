package alerting

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"confab/schemas"
)

// keyBytes is the length of keys and message ids.
const keyBytes = 16

// maxKeptLabel is how many bytes are kept of a name that others chose.
const maxKeptLabel = 200

const (
	maxKeptText    = 600 // bytes of an excerpt, a reason or a note
	keptSignals    = 64  // of a flag; there are fewer detectors
	keptEvidence   = 3   // of a signal
	keptMeasures   = 16  // of a signal
	maxGroupModels = 16
	keptTop        = 3
)

// groupKind is what makes a group.
type groupKind struct {
	labels   schemas.AlertGroupLabels
	lane     schemas.Lane
	detector string
	share    float64
}

// kindOf is the group that an incident of a lane belongs to; by names what else its incidents have in common.
func kindOf(f *schemas.Flag, lane schemas.Lane, by []string) groupKind {
	k := groupKind{lane: lane, labels: schemas.AlertGroupLabels{Tenant: cut(f.Tenant, maxKeptLabel)}}
	for _, label := range by {
		switch label {
		case "service":
			k.labels.Service = cut(f.Service, maxKeptLabel)
		case "operation":
			k.labels.Operation = cut(f.Operation, maxKeptLabel)
		case "provider":
			k.labels.Provider = cut(f.Provider, maxKeptLabel)
		case "model":
			k.labels.Model = cut(f.Model, maxKeptLabel)
		case "detectors":
			k.labels.Detectors = detectorNames(f)
		}
	}
	return k
}

// detectorNames are the fired detectors that count, sorted.
func detectorNames(f *schemas.Flag) []string {
	var names []string
	for _, d := range f.Fired {
		if _, unusual := f.Unusual[d]; !unusual {
			names = append(names, cut(d, maxKeptLabel))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// key is opaque and the same wherever it is computed.
func (k groupKind) key() string {
	h := sha256.New()
	part := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	kind := schemas.AlertGroup
	if k.detector != "" {
		kind = schemas.AlertBroken
	}
	l := k.labels
	for _, s := range []string{
		string(kind), string(k.lane), k.detector, l.Tenant, l.Service, l.Operation, l.Provider, l.Model,
	} {
		part(s)
	}
	for _, d := range l.Detectors {
		part(d)
	}
	return hex.EncodeToString(h.Sum(nil)[:keyBytes])
}

// slim is a copy of the flag with what messages show. It shares no memory with the record that the flag came in.
func slim(f *schemas.Flag) schemas.Flag {
	out := *f
	for _, s := range []*string{
		&out.InteractionID, &out.Tenant, &out.Service, &out.Operation, &out.Provider, &out.Model, &out.TraceID,
		&out.SpanID, &out.ConversationID, &out.Calibration, &out.WorkerVersion, &out.SampleReason, &out.IDSource,
		&out.Origin.Topic,
	} {
		*s = cut(*s, maxKeptLabel)
	}
	out.IncidentID = strings.Clone(f.IncidentID)
	out.Pass = passOf(f)
	out.Recommendation = schemas.Recommendation(cut(string(f.Recommendation), maxKeptLabel))
	out.Action = schemas.Action(cut(string(f.Action), maxKeptLabel))
	out.Tags, out.Attributes, out.Grounding = nil, nil, nil
	out.Fired = make([]string, min(len(f.Fired), keptSignals))
	for i := range out.Fired {
		out.Fired[i] = cut(f.Fired[i], maxKeptLabel)
	}
	if f.Risk != nil {
		risk := *f.Risk
		out.Risk = &risk
	}
	if f.Unusual != nil {
		out.Unusual = make(map[string]float64, len(f.Unusual))
		for d, share := range f.Unusual {
			out.Unusual[cut(d, maxKeptLabel)] = share
		}
	}
	out.Signals = make([]schemas.Signal, min(len(f.Signals), keptSignals))
	for i := range out.Signals {
		out.Signals[i] = slimSignal(&f.Signals[i])
	}
	return out
}

// slimSignal keeps evidence and measures of a detector that fired; of another one only what it says.
func slimSignal(s *schemas.Signal) schemas.Signal {
	out := schemas.Signal{
		Detector: cut(s.Detector, maxKeptLabel), Outcome: schemas.Outcome(cut(string(s.Outcome), maxKeptLabel)),
		Score: s.Score, Threshold: s.Threshold,
	}
	if s.Outcome != schemas.Fired {
		return out
	}
	out.Type = schemas.SignalType(cut(string(s.Type), maxKeptLabel))
	out.Reason = cut(s.Reason, maxKeptText)
	for _, e := range s.Evidence[:min(len(s.Evidence), keptEvidence)] {
		e.Excerpt, e.Note = cut(e.Excerpt, maxKeptText), cut(e.Note, maxKeptText)
		e.Citation, e.SourceID = cut(e.Citation, maxKeptLabel), cut(e.SourceID, maxKeptLabel)
		out.Evidence = append(out.Evidence, e)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Measures)) {
		if len(out.Measures) == keptMeasures {
			break
		}
		if out.Measures == nil {
			out.Measures = make(map[string]float64, min(len(s.Measures), keptMeasures))
		}
		out.Measures[cut(name, maxKeptLabel)] = s.Measures[name]
	}
	return out
}

// cut is a copy of s of at most limit bytes, cut between two characters.
func cut(s string, limit int) string {
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit]
	}
	return strings.Clone(s)
}

// rank puts f among the riskiest, and says whether that changed anything. The slice is not changed in place.
func rank(top []schemas.Flag, f *schemas.Flag) ([]schemas.Flag, bool) {
	out := slices.Clone(top)
	at := slices.IndexFunc(out, func(t schemas.Flag) bool { return t.IncidentID == f.IncidentID })
	if at >= 0 {
		if out[at].Pass == f.Pass {
			return top, false
		}
		out = slices.Delete(out, at, at+1)
	}
	place := len(out)
	for place > 0 && riskier(f, &out[place-1]) {
		place--
	}
	if at < 0 && place >= keptTop {
		return top, false
	}
	out = slices.Insert(out, place, evidenceOnly(f))
	return slices.Clip(out[:min(len(out), keptTop)]), true
}

// evidenceOnly is a copy of the flag with what messages show of an incident that is not their first: the evidence.
func evidenceOnly(f *schemas.Flag) schemas.Flag {
	own := *f
	own.Signals = slices.DeleteFunc(slices.Clone(f.Signals), func(s schemas.Signal) bool { return s.Outcome != schemas.Fired })
	for i := range own.Signals {
		own.Signals[i].Measures = nil
	}
	return slim(&own)
}

// riskier orders by risk, then by how many detectors fired. Of equals the first stays first.
func riskier(a, b *schemas.Flag) bool {
	ra, rb := -1.0, -1.0
	if a.Risk != nil {
		ra = *a.Risk
	}
	if b.Risk != nil {
		rb = *b.Risk
	}
	if ra != rb {
		return ra > rb
	}
	return len(a.Fired) > len(b.Fired)
}

// withModel adds a model to a sorted, bounded list, which is not changed in place.
func withModel(models []string, model string) ([]string, bool) {
	model = cut(model, maxKeptLabel)
	at, found := slices.BinarySearch(models, model)
	if found || model == "" || len(models) == maxGroupModels {
		return models, false
	}
	return slices.Insert(slices.Clone(models), at, model), true
}

// passOf is the flag's pass as a constant, so that no state keeps a record's bytes alive.
func passOf(f *schemas.Flag) schemas.Pass {
	if f.Pass == schemas.PassDeep {
		return schemas.PassDeep
	}
	return schemas.PassFast
}
