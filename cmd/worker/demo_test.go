package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/cli/demo"
)

// runDemo is the demo with other samples.
func runDemo(t *testing.T, samples []byte, color bool) (demo.Result, string) {
	t.Helper()
	var out bytes.Buffer
	res, err := demo.Run(t.Context(), demo.Options{Out: &out, Once: true, Samples: samples, Color: color, Now: demoTime})
	require.NoError(t, err)
	return res, out.String()
}

func demoTime() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// The demo shows real measurements: a corrected answer is quiet.
func TestDemoMeasures(t *testing.T) {
	samples, err := os.ReadFile(filepath.Join(repository, "internal", "cli", "demo", "samples", "samples.jsonl"))
	require.NoError(t, err)
	const wrong = "A citation that does not hold"
	var broken, mended []byte
	for line := range strings.Lines(string(samples)) {
		if !strings.Contains(line, wrong) {
			continue
		}
		broken = []byte(line)
		var s map[string]any
		require.NoError(t, json.Unmarshal(broken, &s))
		s["interaction"].(map[string]any)["answer"] = "Standard parcels leave the Rotterdam warehouse within two working days [2]."
		mended, err = json.Marshal(s)
		require.NoError(t, err)
	}
	require.NotNil(t, broken, "the samples lost the one that this test edits")
	before, text := runDemo(t, broken, false)
	require.Equal(t, 1, before.Flagged, text)
	after, text := runDemo(t, mended, false)
	require.Equal(t, 0, after.Flagged, text)
	require.Equal(t, 1, after.Interactions)
}
