package standard_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/standard"
	"confab/internal/datatest"
	"confab/internal/redact"
	"confab/schemas"
)

// newShippedSuite returns a suite of all detectors, the deep ones without models, with the shipped calibration and model.
func newShippedSuite(t *testing.T) *detectors.Suite {
	t.Helper()
	cal, err := calibration.Default()
	require.NoError(t, err)
	model, err := standard.DefaultModel()
	require.NoError(t, err)
	usual := &oneBaseline{confidence.Baseline{PeakMean: 0.9, PeakStdev: 0.4}}
	deps := standard.Dependencies{Baselines: usual, Model: model, Schemas: map[string]string{"as_json": `{"type": "object"}`}}
	s, err := detectors.NewSuite(detectors.Options{
		Detectors:  append(standard.Fast(deps), standard.Deep(deps)...),
		Thresholds: cal, Now: time.Now, Redact: redact.Redact,
	})
	require.NoError(t, err)
	return s
}

// On labelled rows no detector gives a reason for a clear signal, and every other signal has one.
func TestClearSignalsHaveNoReason(t *testing.T) {
	s := newShippedSuite(t)
	seen := map[string]map[schemas.Outcome]int{}
	call := schemas.Labelled{Interaction: schemas.Interaction{Answer: "It is on its way.", Calls: []schemas.ToolCall{{Name: "get_parcel", Result: `{"state": "moving"}`}}}}
	for _, set := range datatest.Sets(t) {
		rows := append([]schemas.Labelled{call}, labelledRows(t, set)...)
		for i := range rows[:min(len(rows), 150)] {
			in := &rows[i].Interaction
			e := s.Evaluate(t.Context(), in)
			f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
			e.Release()
			for _, sig := range f.Signals {
				require.Equal(t, sig.Outcome == schemas.Clear, sig.Reason == "", "%s row %d: %s is %s: %q", set, i, sig.Detector, sig.Outcome, sig.Reason)
				if seen[sig.Detector] == nil {
					seen[sig.Detector] = map[schemas.Outcome]int{}
				}
				seen[sig.Detector][sig.Outcome]++
			}
		}
	}
	for _, name := range detectors.Names(standard.Fast(standard.Dependencies{})) {
		require.Positive(t, seen[name][schemas.Clear], "%s: %v", name, seen)
	}
}

// fieldSamples are interactions whose verdicts depend on as many fields as possible.
func fieldSamples() []schemas.Interaction {
	long := strings.Repeat("The visitors of the old town asked when its bridge was opened and who came to the opening. ", 6)
	logprobs := schemas.Logprobs{TopK: 2}
	for range 60 {
		logprobs.Values = append(logprobs.Values, -1.2, -1.3, -1.4)
	}
	return []schemas.Interaction{
		{
			Answer:   "The old bridge was opened in May 1937 by the king [1]. See https://town.example.com/bridge/history for 12 pictures.",
			Sources:  []schemas.Source{{ID: "1", Text: "The old bridge was opened in May 1937 by the king. See https://town.example.com/bridge/history"}},
			Messages: []schemas.Message{{Role: "user", Content: "Where are the 12 pictures of the bridge?"}},
		},
		{
			Answer:   "The bridge was opened on 7 May 1937. See http://10.1.2.3/list of the port.",
			Messages: []schemas.Message{{Role: "user", Content: long + "It was opened on 7 May 1937. http://10.1.2.3/list"}},
		},
		{Answer: "{", Operation: "as_json"},
		{Answer: "", Operation: "as_json", FinishReason: "tool_calls"},
		{Answer: "{", ResponseSchema: `{"type": "object"}`},
		{Answer: "It is so.", Model: "acme-1", Operation: "chat", Temperature: 0.2, Logprobs: logprobs},
	}
}

// withoutField returns what a decoder leaves of an interaction with a malformed field.
func withoutField(in schemas.Interaction, field string) schemas.Interaction {
	switch field {
	case schemas.FieldSources:
		in.Sources = nil
	case schemas.FieldMessages, schemas.FieldPrompt:
		in.Messages = nil
	case schemas.FieldModel:
		in.Model = ""
	case schemas.FieldOperation:
		in.Operation = ""
	case schemas.FieldTemperature:
		in.Temperature = schemas.UnknownTemperature
	case schemas.FieldFinishReason:
		in.FinishReason = ""
	case schemas.FieldResponseSchema:
		in.ResponseSchema = ""
	case schemas.FieldLogprobs, schemas.FieldTokenLogprobs, schemas.FieldTopK:
		in.Logprobs = schemas.Logprobs{}
	case "occurred_at": // without it, links are only not compared with it
		in.OccurredAt = time.Time{}
	}
	in.Malformed = []string{field}
	return in
}

type ruleVerdict struct {
	outcome schemas.Outcome
	score   string
	reason  string
}

func ruleVerdicts(t *testing.T, s *detectors.Suite, in schemas.Interaction) map[string]ruleVerdict {
	t.Helper()
	e := s.Evaluate(t.Context(), &in)
	defer e.Release()
	all := map[string]ruleVerdict{}
	for _, r := range e.Readings() {
		all[r.Detector] = ruleVerdict{r.Outcome, strconv.FormatFloat(r.Score, 'g', -1, 64), r.Reason}
	}
	return all
}

// A detector whose verdict changes when a field is lost declares that field, so that a malformed one is never measured as an
// absent one: no record with malformed sources has "no sources".
func TestMalformedFieldsAreNotMeasured(t *testing.T) {
	s := newShippedSuite(t)
	entries := append(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})...)
	changed := map[string]int{}
	for _, in := range fieldSamples() {
		whole := ruleVerdicts(t, s, in)
		for _, field := range schemas.OptionalFields() {
			lost := withoutField(in, field)
			got := ruleVerdicts(t, s, lost)
			lost.Malformed = nil
			absent := ruleVerdicts(t, s, lost)
			for i := range entries {
				name := entries[i].Name
				if slices.Contains(entries[i].Fields, field) && got[name].reason != detectors.ReasonEmptyAnswer {
					require.Equal(t, ruleVerdict{schemas.NotCheckable, "0", detectors.ReasonMalformed}, got[name], "%s without %s", name, field)
				} else {
					require.Equal(t, whole[name], got[name], "%s depends on %s, so its entry must name it", name, field)
				}
				if absent[name] != whole[name] {
					changed[name]++
				}
			}
		}
	}
	for _, name := range []string{"citation", "grounding", "facts", "confidence", "schema", "technical"} {
		require.Positive(t, changed[name], "no sample depends on a field for %s: %v", name, changed)
	}
}

// Every declared field is one that decoders may report, and every optional field of the published schema is listed.
func TestDeclaredFieldsExist(t *testing.T) {
	for _, e := range append(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})...) {
		require.NotEmpty(t, e.Fields, "%s names the fields that it reads", e.Name)
		require.Subset(t, schemas.OptionalFields(), e.Fields, e.Name)
	}
	var published struct {
		Properties map[string]any `json:"properties"`
	}
	text, err := os.ReadFile("../../schemas/interaction.schema.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &published))
	for _, required := range []string{"answer", "interaction_id", "tenant"} {
		delete(published.Properties, required)
	}
	require.Equal(t, slices.Sorted(maps.Keys(published.Properties)), schemas.OptionalFields())
}
