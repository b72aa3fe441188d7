package json

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

func readDoc(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "interaction.md"))
	require.NoError(t, err)
	return string(raw)
}

// Every example that producers are shown decodes, wholly: a misspelled field would count as unknown.
func TestDocumentedExamples(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(readDoc(t), -1)
	require.GreaterOrEqual(t, len(blocks), 8)
	d := NewDecoder(Options{})
	for _, b := range blocks {
		var in schemas.Interaction
		require.NoError(t, d.Decode([]byte(b[1]), &in), b[1])
		require.Zero(t, in.UnknownFields, b[1])
		require.NotEmpty(t, in.Answer)
		if strings.Contains(b[1], "logprob") {
			require.NotZero(t, in.Logprobs.Rows())
		}
	}
}

// The table of refusals names every reason, and each of its examples is refused for its reason.
func TestDocumentedRefusals(t *testing.T) {
	_, table, found := strings.Cut(readDoc(t), "## Refused")
	require.True(t, found)
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\|[^|]*\\| (?:`([^|]*)` )?\\|$").FindAllStringSubmatch(table, -1)
	var documented []string
	d := NewDecoder(Options{})
	for _, row := range rows {
		documented = append(documented, row[1])
		if row[2] != "" {
			var in schemas.Interaction
			require.Equal(t, row[1], errorReason(t, d.Decode([]byte(row[2]), &in)), row[2])
		}
	}
	require.ElementsMatch(t, scan.Reasons(), documented)
}

// The decoder, the published schemas and the documentation know the same fields, and the same caps.
func TestFieldNames(t *testing.T) {
	var avro struct{ Fields []struct{ Name string } }
	require.NoError(t, json.Unmarshal([]byte(schemas.InteractionAvro()), &avro))
	avroOnly := []string{}
	for _, f := range avro.Fields {
		avroOnly = append(avroOnly, f.Name)
	}
	require.ElementsMatch(t, FieldNames(), append(avroOnly, "prompt", "logprobs"))

	type shape struct {
		MaxItems, MaxProperties, Maximum int
		AnyOf                            []shape
	}
	var published struct{ Properties map[string]shape }
	text, err := os.ReadFile("../interaction.schema.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &published))
	names := []string{}
	for name := range published.Properties {
		names = append(names, name)
	}
	require.ElementsMatch(t, FieldNames(), names)
	p := published.Properties
	require.Equal(t, recordformat.MaxTags, p["tags"].MaxItems)
	require.Equal(t, recordformat.MaxMessages, p["messages"].MaxItems)
	require.Equal(t, recordformat.MaxSources, p["sources"].AnyOf[1].MaxItems)
	require.Equal(t, recordformat.MaxSources, p["sources"].AnyOf[2].MaxProperties)
	require.Equal(t, recordformat.MaxAttributes, p["attributes"].MaxProperties)
	require.Equal(t, recordformat.MaxTopK, p["top_k"].Maximum)

	doc := readDoc(t)
	for _, name := range FieldNames() {
		require.Contains(t, doc, "`"+name+"`")
	}
	for _, a := range fieldAliases {
		require.GreaterOrEqual(t, findField(a.field, 0), 0)
		require.Contains(t, doc, "`"+a.name+"`")
	}
}

// Every row of the table of malformed members is read as it says.
func TestDocumentedMalformedMembers(t *testing.T) {
	_, table, found := strings.Cut(readDoc(t), "## Malformed fields")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `({.*})` \\|[^|]*\\| (`[^|]*`) \\|$").FindAllStringSubmatch(table, -1)
	require.GreaterOrEqual(t, len(rows), 4)
	for _, row := range rows {
		var in schemas.Interaction
		require.NoError(t, NewDecoder(Options{}).Decode([]byte(row[1]), &in), row[1])
		require.Equal(t, strings.ReplaceAll(row[2], "`", ""), strings.Join(in.Malformed, ", "), row[1])
	}
}
