package standard_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/internal/promptsources"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// TestAgents bounds the right turns of agents on which any detector fires. Two never do.
func TestAgents(t *testing.T) {
	t.Parallel()
	suite := qualitySuite(t)
	content, err := os.ReadFile("../tools/testdata/turns.train.jsonl")
	require.NoError(t, err)
	right, accused := 0, 0
	for line := range bytes.Lines(content) {
		var row schemas.Labelled
		require.NoError(t, schemasjson.DecodeLabelled(line, &row))
		if row.Kind != "" {
			continue
		}
		fired := 0
		for _, r := range evaluateTurn(t, suite, &row.Interaction) {
			if r.Outcome == schemas.Fired {
				fired++
			}
		}
		require.Less(t, fired, 2, row.Interaction.ID)
		right, accused = right+1, accused+min(fired, 1)
	}
	require.LessOrEqual(t, 100*accused, 3*right)
}

// TestToolRecords: results of tools are no documents, and what an answer may know beside them is no fault.
func TestToolRecords(t *testing.T) {
	t.Parallel()
	suite := qualitySuite(t)
	for _, x := range []struct {
		result, arguments, answer string
		outcome                   schemas.Outcome // of grounding
	}{
		{`{"user": "mszabo", "locked": true, "server_time": "2026-11-27T10:43:22Z"}`, `{}`, "The account mszabo was locked and is open now.", schemas.NotCheckable},
		{`{"task": "T-1", "server_time": "2026-11-27T10:24:37Z"}`, `{"due": "2027-01-31"}`, "The reminder T-1 is set for Sunday, 31 January.", schemas.NotCheckable},
		{`{"pickup": "PU-3007", "cutoff": "2026-09-14T18:00"}`, `{"date": "2026-09-15"}`, "Pickup PU-3007 comes on 15 September.", schemas.NotCheckable},
		{`{"text": "Employees may carry over up to five days of unused leave into the next calendar year."}`, `{}`, "Employees may carry over five days of leave.", schemas.Clear},
	} {
		readings := evaluateTurn(t, suite, &schemas.Interaction{
			Messages: []schemas.Message{{Role: "user", Content: "Please do it."}}, Answer: x.answer,
			Calls: []schemas.ToolCall{{Name: "do_it", Arguments: x.arguments, Result: x.result}},
		})
		require.Equal(t, x.outcome, readings["grounding"].Outcome, x.answer)
		require.NotEqual(t, schemas.Fired, readings["facts"].Outcome, x.answer)
	}
}

func evaluateTurn(t *testing.T, suite *detectors.Suite, in *schemas.Interaction) map[string]detectors.Reading {
	t.Helper()
	var f *promptsources.Finder
	f.Fill(in)
	return evaluateRules(t, suite, in)
}
