package export

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"

	"confab/alerting/card"
	"confab/internal/redact"
	"confab/schemas"
)

// Limits of what one flag writes, whatever it holds. Lengths are in UTF-16 code units.
const (
	maxSignals     = 100
	maxScoreName   = 80
	maxExplanation = 1000
	maxMetadata    = 200
	maxPlainID     = 200
)

// target is where a score belongs: a span, or a trace where span is empty. The ids have the backend's form.
type target struct{ trace, span string }

// kind is what scores are about: span or trace.
func (t target) kind() string {
	if t.span == "" {
		return "trace"
	}
	return "span"
}

func (t target) id() string {
	if t.span == "" {
		return t.trace
	}
	return t.span
}

// as is a target of the same kind with another id.
func (t target) as(id string) target {
	if t.span == "" {
		return target{trace: id}
	}
	return target{span: id}
}

// score is one value of one flag.
type score struct {
	flag        string // id of the flag
	owner       string // id of the flag as it is written
	at          target
	name        string
	value       float64
	label       string
	explanation string
	yesNo       bool // value is 0 or 1
	metadata    metadata
}

// metadata is what a score says about its origin.
type metadata struct {
	IncidentID    string     `json:"incident_id"`
	Pass          string     `json:"pass"`
	Threshold     *float64   `json:"threshold,omitempty"`
	Type          string     `json:"type,omitempty"`
	Label         string     `json:"label,omitempty"`
	Calibration   string     `json:"calibration,omitempty"`
	WorkerVersion string     `json:"worker_version,omitempty"`
	DetectedAt    *time.Time `json:"detected_at,omitempty"`
}

// The scores of a flag as a whole.
const (
	riskScore  = "confab.risk"
	alertScore = "confab.alert"
)

// scoresOf are the scores of a flag: one for each signal that was measured, the risk if there is one, and the alert. No
// text but the reasons is written, so excerpts stay where they are.
func scoresOf(f *schemas.Flag, at target) []score {
	base := score{
		flag: flagID(f), owner: plainID("confab:" + flagID(f)), at: at,
		metadata: metadata{
			IncidentID: cleanName(f.IncidentID), Pass: cleanName(string(f.Pass)), Calibration: cleanName(f.Calibration),
			WorkerVersion: cleanName(f.WorkerVersion), DetectedAt: dateOf(f),
		},
	}
	scores := make([]score, 0, min(len(f.Signals), maxSignals)+2)
	scores = append(scores, alertOf(f, base))
	if f.Risk != nil && isFinite(*f.Risk) {
		scores = append(scores, riskOf(f, base))
	}
	seen := map[string]bool{riskScore: true, alertScore: true}
	for i := range f.Signals {
		s := &f.Signals[i]
		name := plainName(s.Detector)
		if len(scores) >= maxSignals || seen[name] || !isMeasured(s) {
			continue
		}
		seen[name] = true
		scores = append(scores, signalScore(s, name, base))
	}
	return scores
}

// isMeasured reports whether a signal compared a score with a threshold. What could not be checked is unknown, not 0.
func isMeasured(s *schemas.Signal) bool {
	return (s.Outcome == schemas.Fired || s.Outcome == schemas.Clear) && isFinite(s.Score)
}

func signalScore(s *schemas.Signal, name string, base score) score {
	base.name, base.value, base.label = name, s.Score, string(s.Outcome)
	base.metadata.Type = cleanName(string(s.Type))
	if isFinite(s.Threshold) {
		base.metadata.Threshold = new(s.Threshold)
		base.explanation = "threshold " + strconv.FormatFloat(s.Threshold, 'g', 4, 64)
	}
	if reason := card.Clean(redact.Redact(cutLong(s.Reason)), maxExplanation-30); reason != "" {
		base.explanation = strings.TrimSuffix(reason+"; "+base.explanation, "; ")
	}
	return base
}

func alertOf(f *schemas.Flag, base score) score {
	base.name, base.label, base.yesNo, base.explanation = alertScore, string(schemas.Clear), true, "the alert rule does not hold"
	if f.Alert {
		base.value, base.label, base.explanation = 1, string(schemas.Fired), "the alert rule holds"
	}
	return base
}

func riskOf(f *schemas.Flag, base score) score {
	base.name, base.value, base.label = riskScore, *f.Risk, cleanName(string(f.Recommendation))
	base.explanation = "calibrated probability that the answer is wrong"
	return base
}

func dateOf(f *schemas.Flag) *time.Time {
	if y := f.DetectedAt.Year(); f.DetectedAt.IsZero() || y < 1 || y > 9999 { // JSON has no other years
		return nil
	}
	return new(f.DetectedAt.UTC())
}

func cleanName(s string) string { return card.Clean(cutLong(s), maxMetadata) }

// cutLong bounds what is scanned of a text that is shortened anyway.
func cutLong(s string) string {
	const most = 16 << 10
	return strings.ToValidUTF8(s[:min(len(s), most)], "")
}

// plainName is a detector's name with "_" for every character that backends may refuse in names.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_.-", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s[:min(len(s), maxScoreName)])
}

var plainText = regexp.MustCompile(`^[A-Za-z0-9_.:-]+$`)

// plainID is an id as it is, or a digest of one that is long or has characters which backends may refuse.
func plainID(id string) string {
	if isPlain(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "confab:" + hex.EncodeToString(sum[:16])
}

func isPlain(id string) bool {
	return len(id) <= maxPlainID && plainText.MatchString(id)
}
