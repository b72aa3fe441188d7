package avro

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/schemas"
	"confab/schemas/json"
)

// compatDir holds the records of version 1, the first that is published. A version that adds fields adds records with them.
const compatDir = "../testdata/compat/v1"

// storedRecords is the file's content; one that is missing is made first, when asked for.
func storedRecords(t *testing.T, name string, today func() ([]byte, error)) []byte {
	t.Helper()
	return golden.Keep(t, filepath.Join(compatDir, name), today)
}

// interactionPairs calls each for every record that is kept as JSON, with the name of its Avro form.
func interactionPairs(t *testing.T, prefix string, each func(t *testing.T, raw []byte, avro string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(compatDir, prefix+"_*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	binaries, err := filepath.Glob(filepath.Join(compatDir, prefix+"_*.avro"))
	require.NoError(t, err)
	if !golden.Update() {
		require.Len(t, binaries, len(files), "every kept record has both forms")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json") + ".avro"
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			each(t, raw, name)
		})
	}
}

// Records that were published in Avro decode to what their JSON says, with the schema they were written with.
func TestCompatInteractions(t *testing.T) {
	s := loadSchema(t, string(storedRecords(t, "interaction.avsc", func() ([]byte, error) { return []byte(schemas.InteractionAvro()), nil })))
	decoder := json.NewDecoder(json.Options{})
	interactionPairs(t, "interaction", func(t *testing.T, raw []byte, name string) {
		var want, got schemas.Interaction
		require.NoError(t, decoder.Decode(raw, &want))
		want.UnknownFields, want.UnknownNames = 0, nil
		binary := storedRecords(t, name, func() ([]byte, error) { return AppendInteraction(nil, &want) })
		require.NoError(t, s.DecodeInteraction(binary, &got))
		require.Empty(t, cmp.Diff(want, got, requireEqual()))
	})
}

func TestCompatFlags(t *testing.T) {
	s := loadSchema(t, string(storedRecords(t, "flag.avsc", func() ([]byte, error) { return []byte(schemas.FlagAvro()), nil })))
	interactionPairs(t, "flag", func(t *testing.T, raw []byte, name string) {
		var want, got schemas.Flag
		require.NoError(t, json.DecodeFlag(raw, &want))
		binary := storedRecords(t, name, func() ([]byte, error) { return AppendFlag(nil, &want) })
		require.NoError(t, DecodeFlag(s, binary, &got))
		require.Empty(t, cmp.Diff(want, got, requireEqual()))
	})
}

// TestCompatInteractionTitles keeps the second version of the interaction, whose sources have titles. Those of the first
// version have none.
func TestCompatInteractionTitles(t *testing.T) {
	const v2 = "../v2/"
	want := schemas.Interaction{
		ID: "resp_0004", Tenant: "default", Answer: "It opened in 1962 (Smith, 2020).", Temperature: schemas.UnknownTemperature,
		Sources: []schemas.Source{{ID: "a", Text: "It opened in 1962.", Title: "Smith (2020), Stadiums"}, {Text: "no title"}},
	}
	s := loadSchema(t, string(storedRecords(t, v2+"interaction.avsc", func() ([]byte, error) { return []byte(schemas.InteractionAvro()), nil })))
	var got schemas.Interaction
	require.NoError(t, s.DecodeInteraction(storedRecords(t, v2+"interaction_title.avro", func() ([]byte, error) { return AppendInteraction(nil, &want) }), &got))
	require.Empty(t, cmp.Diff(want, got, requireEqual()))
	raw := storedRecords(t, v2+"interaction_title.json", func() ([]byte, error) { return json.AppendInteraction(nil, &want) })
	require.Contains(t, string(raw), `"title":"Smith (2020), Stadiums"`)
	var read schemas.Interaction
	require.NoError(t, json.NewDecoder(json.Options{}).Decode(raw, &read))
	require.Empty(t, cmp.Diff(want.Sources, read.Sources))
}

// TestCompatFlagsWithSources keeps the second version of the flag, which says where the sources were found. Flags of the
// first version have none.
func TestCompatFlagsWithSources(t *testing.T) {
	const v2 = "../v2/"
	want := schemas.Flag{
		IncidentID: "5a2d1f0c4e6b7a8990a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455667", Pass: schemas.PassFast, InteractionID: "resp_1",
		Tenant: "acme", Origin: schemas.Origin{Topic: "file", Offset: 1}, Signals: []schemas.Signal{}, Fired: []string{},
		Recommendation: schemas.Allow, SourcesFrom: schemas.SourcesFromPrompt,
	}
	s := loadSchema(t, string(storedRecords(t, v2+"flag.avsc", func() ([]byte, error) { return []byte(schemas.FlagAvro()), nil })))
	var got schemas.Flag
	require.NoError(t, DecodeFlag(s, storedRecords(t, v2+"flag_sources.avro", func() ([]byte, error) { return AppendFlag(nil, &want) }), &got))
	require.Empty(t, cmp.Diff(want, got, requireEqual()))
	raw := storedRecords(t, v2+"flag_sources.json", func() ([]byte, error) { return json.AppendFlag(nil, &want) })
	require.Contains(t, string(raw), `"sources_from":"prompt"`)
	require.NoError(t, json.DecodeFlag(raw, &got))
	require.Empty(t, cmp.Diff(want, got, requireEqual()))
}

// TestCompatFlagsWithStatements keeps the third version of the flag, which has the source's text, the question and the
// statements of a judge. Flags of older versions have none.
func TestCompatFlagsWithStatements(t *testing.T) {
	const v3 = "../v3/"
	want := schemas.Flag{
		IncidentID: "5a2d1f0c4e6b7a8990a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455667", Pass: schemas.PassDeep, InteractionID: "resp_1",
		Tenant: "acme", Origin: schemas.Origin{Topic: "file", Offset: 1}, Fired: []string{"faithfulness"}, Recommendation: schemas.Recommend,
		SourcesFrom: schemas.SourcesFromField, Question: "How high is the tower?",
		Signals: []schemas.Signal{{
			Detector: "faithfulness", Outcome: schemas.Fired, Score: 0.5, Threshold: 0.4, Evidence: []schemas.Evidence{{
				End: 9, Excerpt: "It has 12", SourceID: "a", SourceEnd: 9, Note: "12 m", SourceNumber: 1, SourceExcerpt: "It has 15", SourceSays: "15 m",
			}},
			Statements: fullStatements(),
		}},
	}
	s := loadSchema(t, string(storedRecords(t, v3+"flag.avsc", func() ([]byte, error) { return []byte(schemas.FlagAvro()), nil })))
	var got schemas.Flag
	require.NoError(t, DecodeFlag(s, storedRecords(t, v3+"flag_statements.avro", func() ([]byte, error) { return AppendFlag(nil, &want) }), &got))
	require.Empty(t, cmp.Diff(want, got, requireEqual()))
	raw := storedRecords(t, v3+"flag_statements.json", func() ([]byte, error) { return json.AppendFlag(nil, &want) })
	require.Contains(t, string(raw), `"source_says":"15 m"`)
	require.NoError(t, json.DecodeFlag(raw, &got))
	require.Empty(t, cmp.Diff(want, got, requireEqual()))
}

// TestCompatFlagsChecked keeps the fourth version of the flag, which says how much of the answer was measured. Flags of
// older versions do not.
func TestCompatFlagsChecked(t *testing.T) {
	const v4 = "../v4/"
	want := schemas.Flag{
		IncidentID: "5a2d1f0c4e6b7a8990a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455667", Pass: schemas.PassFast, InteractionID: "resp_1",
		Tenant: "acme", Origin: schemas.Origin{Topic: "file", Offset: 1}, Signals: []schemas.Signal{}, Fired: []string{},
		Recommendation: schemas.Recommend, SourcesFrom: schemas.SourcesFromField,
		Checked: schemas.CheckedPartial, Unchecked: []string{schemas.UncheckedError, schemas.UncheckedTruncated},
	}
	s := loadSchema(t, string(storedRecords(t, v4+"flag.avsc", func() ([]byte, error) { return []byte(schemas.FlagAvro()), nil })))
	var got schemas.Flag
	require.NoError(t, DecodeFlag(s, storedRecords(t, v4+"flag_checked.avro", func() ([]byte, error) { return AppendFlag(nil, &want) }), &got))
	require.Empty(t, cmp.Diff(want, got, requireEqual()))
	raw := storedRecords(t, v4+"flag_checked.json", func() ([]byte, error) { return json.AppendFlag(nil, &want) })
	require.Contains(t, string(raw), `"checked":"partial","unchecked":["error","truncated"]`)
	require.NoError(t, json.DecodeFlag(raw, &got))
	require.Empty(t, cmp.Diff(want, got, requireEqual()))
}
