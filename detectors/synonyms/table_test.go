package synonyms

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

func TestDefaultFile(t *testing.T) {
	table, err := Parse(defaultFile)
	require.NoError(t, err)
	require.Equal(t, table.Concept(RootOf("mgr")), table.Concept(RootOf("managers")))
	require.Equal(t, table.Concept(RootOf("closed")), table.Opposite(table.Concept(RootOf("open"))))
	require.GreaterOrEqual(t, table.Scale(table.Concept(RootOf("monthly"))), int16(0))
	require.Equal(t, NoConcept, table.Concept(RootOf("bridge")))
}

func TestRoots(t *testing.T) {
	for a, b := range map[string]string{
		"approved": "approval", "cancellable": "cancelled", "assignee": "assigned", "encrypted": "Encryption", "renews": "renewal",
		"fasting": "fasted", "refundable": "refunds", "delivery": "delivers",
	} {
		require.Equal(t, RootOf(a), RootOf(b), "%s %s", a, b)
	}
	for a, b := range map[string]string{"paid": "pain", "sum": "sums", "import": "impact"} {
		require.NotEqual(t, RootOf(a), RootOf(b), "%s %s", a, b)
	}
}

func TestFaultyFiles(t *testing.T) {
	for file, want := range map[string]string{
		"words: [[a, b], [b, c]]":     `"b" is in two groups`,
		"words: [[of age]]":           `"of age" is not one word`,
		"opposites: [[a]]":            "is not a pair of words",
		"opposites: [[a, b], [a, c]]": "each word has one opposite",
		"exclusive: [[a, b], [b, c]]": `"b" is in two lists`,
		"synonyms: []":                "synonyms",
		"words: 3":                    "line 1",
	} {
		_, err := Parse([]byte(file))
		require.ErrorContains(t, err, want, file)
	}
}

func TestChoice(t *testing.T) {
	var c Choice
	var d detectors.Document
	d.Reset(&schemas.Interaction{})
	require.Same(t, Default(), Of(&d))
	open := func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("words: [[dish, meal]]")), nil
	}
	require.NoError(t, c.Load("words.yaml", open))
	c.Use(&d)
	require.NotEqual(t, NoConcept, Of(&d).Concept(RootOf("dishes")))
	d.Reset(&schemas.Interaction{})
	require.Same(t, Default(), Of(&d), "the choice belongs to one interaction")
	fail := func(string) (io.ReadCloser, error) { return nil, errors.New("no such file") }
	require.ErrorContains(t, c.Load("words.yaml", fail), "name a YAML file")
	require.NoError(t, c.Load("words.yaml", nil))
}
