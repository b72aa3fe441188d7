package promptsources_test

import (
	"cmp"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors"
	"confab/internal/datatest"
	"confab/internal/promptsources"
	"confab/schemas"
	"confab/schemas/json"
)

// maxLoss is how much AUROC the risk may lose when the sources are in the prompt and not in their field. The model was
// fitted on these rows with their own prompts, so a part of the loss is what it knew of them. A label before a passage ("Content:")
// is read as a word of its first sentence.
const maxLoss = 0.03

// TestSourcesInPrompts moves the sources of labelled RAGTruth rows into the prompt in each shape. `make prompt-sources`
// prints the table and reads more rows.
func TestSourcesInPrompts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Parallel()
	lines := datatest.Rows(t, "ragtruth")
	if os.Getenv("CONFAB_ALL_ROWS") == "1" {
		lines = append(lines, datatest.MoreRows(t, "ragtruth")...)
	}
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	rows := make([]schemas.Labelled, len(lines))
	for i, line := range lines {
		require.NoError(t, json.DecodeLabelled(line, &rows[i]))
	}
	whole, _ := measureShape(t, e, rows, func(in *schemas.Interaction) schemas.Interaction { return *in }, false)
	t.Logf("| sources in their field | 100.0 %% | %.3f | |", whole)
	for _, shape := range promptsources.Shapes() {
		t.Run(shape.Name, func(t *testing.T) {
			base := whole
			if shape.Summary { // these have no place for the row's own question, which says how long the summary is
				base, _ = measureShape(t, e, rows, func(in *schemas.Interaction) schemas.Interaction {
					out := shape.Move(in)
					out.Sources = in.Sources
					return out
				}, true)
			}
			got, found := measureShape(t, e, rows, shape.Move, shape.Summary)
			t.Logf("| %s | %.1f %% | %.3f | %+.3f |", shape.Name, 100*found, got, got-base)
			require.Greater(t, got, base-maxLoss)
		})
	}
}

// measureShape returns the AUROC of the risk on the rows after a change, and the share of rows that have sources.
func measureShape(t *testing.T, e *confab.Evaluator, rows []schemas.Labelled, move func(*schemas.Interaction) schemas.Interaction, summaries bool) (auroc, found float64) {
	t.Helper()
	var risks [2][]float64 // by label
	n := 0.0
	for i := range rows {
		if summaries && rows[i].Task != "summary" {
			continue
		}
		in := move(&rows[i].Interaction)
		f := e.Evaluate(t.Context(), &in, schemas.Origin{Topic: "file", Offset: int64(i + 1)}, time.Unix(0, 0))
		risk := 0.0
		if f.Risk != nil {
			risk = *f.Risk
		}
		if len(in.Sources) > 0 {
			found++
		}
		risks[rows[i].Label] = append(risks[rows[i].Label], risk)
		n++
	}
	require.Positive(t, n, fmt.Sprint(summaries))
	won := 0.0
	for _, bad := range risks[1] {
		for _, good := range risks[0] {
			won += float64(cmp.Compare(bad, good)+1) / 2
		}
	}
	return won / float64(len(risks[0])*len(risks[1])), found / n
}

// TestSourcesInMessagesAreMeasured: a bad answer is flagged although its evidence is only in the messages.
func TestSourcesInMessagesAreMeasured(t *testing.T) {
	t.Parallel()
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	tool := func(result string) []schemas.Message {
		return []schemas.Message{{Role: "user", Content: "What is the weather in Oslo?"}, {Role: "assistant"}, {Role: "tool", Content: result}}
	}
	leave := []schemas.Message{
		{Role: "system", Content: "You answer questions of employees. Use only the context below.\n\nContext:\n" +
			"[1] Employees get 30 days of paid leave a year. Unused days expire on 31 March of the following year.\n" +
			"[2] Leave is requested in the portal at least two weeks ahead and approved by the manager."},
		{Role: "user", Content: "How many days of leave do I get, and when do unused days expire?"},
	}
	for name, c := range map[string]struct {
		messages []schemas.Message
		answer   string
		fired    []string
		from     string
	}{
		"tool, wrong":            {tool(`{"temp_c": 4, "conditions": "light rain"}`), "It is sunny in Oslo [3], at 14 °C.", []string{"citation", "facts"}, "tool_messages"},
		"tool, right":            {tool(`{"temp_c": 4, "conditions": "light rain"}`), "It is 4 °C in Oslo with light rain.", []string{}, "tool_messages"},
		"tool, JSON with faults": {tool(`{"temp_c": 4, "light rain"}`), "It is sunny in Oslo [3], at 14 °C.", []string{"citation", "facts"}, "tool_messages"},
		"tool, text":             {tool(`4 °C, light rain, wind 12 km/h`), "It is 14 °C and sunny in Oslo.", []string{"facts"}, "tool_messages"},
		"system, wrong": {
			leave, "You get 45 days of paid leave a year [1]. Unused days expire on 30 June and are paid out in cash by the finance department [2].",
			[]string{"grounding", "facts"},
			"system",
		},
		"system, right": {leave, "You get 30 days of paid leave a year [1]. Unused days expire on 31 March of the following year [1].", []string{}, "system"},
	} {
		t.Run(name, func(t *testing.T) {
			in := schemas.Interaction{ID: "i", Messages: c.messages, Answer: c.answer, Temperature: schemas.UnknownTemperature}
			f := e.Evaluate(t.Context(), &in, schemas.Origin{}, time.Unix(0, 0))
			require.Equal(t, c.fired, append([]string{}, f.Fired...))
			require.Equal(t, c.from, f.SourcesFrom)
			for _, s := range f.Signals {
				require.NotEqual(t, schemas.Failed, s.Outcome, "%s: %s", s.Detector, s.Reason)
			}
		})
	}
}

// TestUsersPassagesAreNoEvidence: a user who brings passages of their own changes nothing but a mark on the flag.
func TestUsersPassagesAreNoEvidence(t *testing.T) {
	t.Parallel()
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	const (
		truth    = "The lamp costs 20 euros. It was designed by Anna Rossi in 2005 in Milan."
		planted  = "The lamp costs 30 euros and was designed by Peter Novak in 1987 in Berlin."
		question = "What does the lamp cost and who designed it?"
	)
	user := func(text string) schemas.Message { return schemas.Message{Role: "user", Content: text} }
	for name, place := range map[string]func(asked string) schemas.Interaction{
		"system": func(asked string) schemas.Interaction {
			return schemas.Interaction{Messages: []schemas.Message{{Role: "system", Content: "Answer only from the context.\n\nContext:\n[1] " + truth}, user(asked)}}
		},
		"tool": func(asked string) schemas.Interaction {
			return schemas.Interaction{Messages: []schemas.Message{user(asked), {Role: "assistant"}, {Role: "tool", Content: truth}}}
		},
		"field": func(asked string) schemas.Interaction {
			return schemas.Interaction{Messages: []schemas.Message{user(asked)}, Sources: []schemas.Source{{ID: "1", Text: truth}}}
		},
	} {
		evaluate := func(asked string) schemas.Flag {
			in := place(asked)
			in.ID, in.Answer, in.Temperature = "i", planted[:len(planted)-1]+" [1].", schemas.UnknownTemperature
			return e.Evaluate(t.Context(), &in, schemas.Origin{}, time.Unix(0, 0))
		}
		plain := evaluate(question)
		require.NotEqual(t, schemas.Allow, plain.Recommendation)
		require.Empty(t, plain.Attributes)
		for _, asked := range []string{
			"Context:\n[1] " + planted + "\n\nQuestion: " + question,
			"<documents><document index=\"1\">" + planted + "</document></documents>\n\n" + question,
			"[1] " + planted + "\n[2] It is sold in Berlin.\n\nQuestion: " + question,
			"Use the text below.\n\"\"\"\n" + planted + "\n\"\"\"\n\nQuestion: " + question,
		} {
			f := evaluate(asked)
			require.Equal(t, plain.Fired, f.Fired, "%s: %s", name, asked)
			require.InDelta(t, *plain.Risk, *f.Risk, 0.1, "%s: %s", name, asked)
			require.Equal(t, plain.SourcesFrom, f.SourcesFrom)
			require.Equal(t, map[string]string{detectors.AttributeUserPassages: "ignored"}, f.Attributes)
		}
	}
}

// TestPassagesBesideDataOfTools: a prompt's passages are no evidence beside results of tools, and where these are data the answer is not
// fully checked.
func TestPassagesBesideDataOfTools(t *testing.T) {
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	const logged = `{"status":"logged","time":"2026-01-01T10:00:00Z"}`
	in := schemas.Interaction{ID: "i", Calls: []schemas.ToolCall{{Name: "log", Result: logged}}, Temperature: schemas.UnknownTemperature, Answer: "The lamp costs 30 euros.", Messages: []schemas.Message{
		{Role: "user", Content: "Context:\n[1] The lamp costs 20 euros. It was made in Milan.\n\nQuestion: What does the lamp cost?"},
		{Role: "assistant"},
		{Role: "tool", Content: logged},
	}}
	f := e.Evaluate(t.Context(), &in, schemas.Origin{}, time.Unix(0, 0))
	require.Equal(t, schemas.CheckedPartial, f.Checked)
	require.Equal(t, "ignored", f.Attributes[detectors.AttributeUserPassages])
}
