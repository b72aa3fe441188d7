//go:build integration

package integration_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/standard"
)

// sampleFlag is a flag as the worker writes it, and what the tests read of it.
type sampleFlag struct {
	Incident       string   `json:"incident_id"`
	Pass           string   `json:"pass"`
	Service        string   `json:"service"`
	Model          string   `json:"model"`
	Fired          []string `json:"fired"`
	Risk           *float64 `json:"risk"`
	Recommendation string   `json:"recommendation"`
	Alert          bool     `json:"alert"`
	Signals        []struct {
		Detector string  `json:"detector"`
		Outcome  string  `json:"outcome"`
		Score    float64 `json:"score"`
	} `json:"signals"`

	raw []byte
}

// sampleFlags are the flags of the sample interactions, quiet ones too, by `confab check`.
func sampleFlags(t *testing.T) []sampleFlag {
	t.Helper()
	out, err := command(t.Context(), buildWorker(t), "check", "../examples/interactions.jsonl")
	require.NoError(t, err)
	var flags []sampleFlag
	for line := range bytes.Lines(out) {
		flags = append(flags, parseSample(t, bytes.TrimSpace(line)))
	}
	require.Len(t, flags, 15)
	return flags
}

// deepFlag is the deep flag of the same incident, which is quiet.
func deepFlag(t *testing.T, fast sampleFlag) []byte {
	t.Helper()
	var f map[string]any
	require.NoError(t, json.Unmarshal(fast.raw, &f))
	f["pass"], f["recommendation"], f["alert"], f["fired"] = "deep", "allow", false, []string{}
	f["signals"] = append(f["signals"].([]any), map[string]any{"detector": "entailment", "outcome": "clear", "score": .25, "threshold": .5})
	raw, err := json.Marshal(f)
	require.NoError(t, err)
	return raw
}

// repeatedFlags are the records of llm.incidents: each fast flag twice, and of the first two flagged incidents a deep flag,
// once after the fast one and once before it. Deep flags by incident.
func repeatedFlags(t *testing.T, flags []sampleFlag) (records [][]byte, deep map[string]bool) {
	t.Helper()
	deep = map[string]bool{}
	for _, f := range flags {
		switch {
		case len(f.Fired) == 0 || len(deep) == 2:
			records = append(records, f.raw, f.raw)
		case len(deep) == 0:
			records, deep[f.Incident] = append(records, f.raw, deepFlag(t, f), f.raw), true
		default:
			records, deep[f.Incident] = append(records, deepFlag(t, f), f.raw, f.raw), true
		}
	}
	require.Len(t, deep, 2)
	return records, deep
}

func parseSample(t *testing.T, raw []byte) sampleFlag {
	t.Helper()
	f := sampleFlag{raw: raw}
	require.NoError(t, json.Unmarshal(raw, &f))
	return f
}

// flatRow is the flag as a flat row: an outcome and a score per detector of the product, nil where it did not run.
func (f sampleFlag) flatRow() map[string]any {
	row := map[string]any{
		"incident_id": f.Incident, "pass": f.Pass, "recommendation": f.Recommendation, "alert": f.Alert, "service": f.Service,
		"model": f.Model, "risk": nil,
	}
	if f.Risk != nil {
		row["risk"] = *f.Risk
	}
	fast, deep := standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})
	for _, name := range append(detectors.Names(fast), detectors.Names(deep)...) {
		row[name+"_outcome"], row[name+"_score"] = nil, nil
	}
	for _, s := range f.Signals {
		row[s.Detector+"_outcome"], row[s.Detector+"_score"] = s.Outcome, s.Score
	}
	return row
}

// restrict leaves the members of row that want has; a missing one is missing in the result.
func restrict(row, want map[string]any) map[string]any {
	out := map[string]any{}
	for name := range want {
		if value, found := row[name]; found {
			out[name] = value
		}
	}
	return out
}
