package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A hint is pasted back: without the configuration it would find no input, or start from other thresholds.
func TestTuneCommandKeepsTheConfiguration(t *testing.T) {
	t.Parallel()
	c := &cli{file: "my conf.yaml", settings: []string{"detectors.grounding.threshold=0.6"}}
	shape := &lineShape{topic: "app.log"}
	require.Equal(t, "confab tune 'a log.jsonl' --config 'my conf.yaml' --set detectors.grounding.threshold=0.6 --calibration old.yaml --input app.log",
		c.readCommand("tune", "a log.jsonl", "old.yaml", shape))
	require.Equal(t, "confab check LOG --config 'my conf.yaml' --set detectors.grounding.threshold=0.6 --map m.yaml", c.readCommand("check", "LOG", "", &lineShape{mapFile: "m.yaml"}))
	require.Equal(t, "confab tune a.jsonl --preset openai", new(cli).readCommand("tune", "a.jsonl", "", &lineShape{preset: "openai"}))
}
