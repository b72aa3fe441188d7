package labels

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestAllowedNames(t *testing.T) {
	n := NewNames(Options{Allowed: []string{"shop", "bank", "shop"}, Max: 5})
	for name, want := range map[string]string{"shop": "shop", "bank": "bank", "": None, "Shop": Other, "other": Other, "none": None} {
		for range 100 {
			require.Equal(t, want, n.Label(name), name)
		}
	}
}

// Memory is bounded, whatever the number of names.
func TestManyNames(t *testing.T) {
	n := NewNames(Options{Max: 20})
	for i := range 100_000 {
		n.Label(fmt.Sprint("name-", i))
	}
	require.Len(t, n.labels, 23)
	require.Zero(t, n.room)
}

func TestNoNames(t *testing.T) {
	n := NewNames(Options{})
	for range 100 {
		require.Equal(t, Other, n.Label("shop"))
	}
	require.Equal(t, None, n.Label(""))
}

func TestFirstNames(t *testing.T) {
	n := NewNames(Options{Max: 2})
	require.Equal(t, "a", n.Label("a"))
	require.Equal(t, "b", n.Label("b"))
	require.Equal(t, Other, n.Label("c"))
	require.Equal(t, "a", n.Label("a"))
}

func TestLabelsAreClean(t *testing.T) {
	for name, want := range map[string]string{
		"shop":                         "shop",
		"gpt-4o/2026 (eu)":             "gpt-4o/2026 (eu)",
		" shop\n":                      "shop",
		"a\nb":                         "a b",
		"a\x00\u202eb":                 "ab",
		"a\xffb":                       "a b",
		"bücher":                       "bücher",
		strings.Repeat("x", 100):       strings.Repeat("x", 64),
		strings.Repeat("x", 63) + "ü":  strings.Repeat("x", 63),
		strings.Repeat("x", 62) + "üy": strings.Repeat("x", 62) + "ü",
		strings.Repeat("\xff", 5000):   None,
		"\u200b":                       None,
	} {
		n := NewNames(Options{Max: 5})
		got := n.Label(name)
		require.Equal(t, want, got, "%q", name)
		require.True(t, utf8.ValidString(got))
		require.LessOrEqual(t, len(got), MaxLength)
	}
}

// A label does not point into the record that it was found in.
func TestLabelsAreCopies(t *testing.T) {
	record := []byte("shop bank")
	n := NewNames(Options{Max: 5})
	n.Label(unsafe.String(&record[0], 4))
	copy(record, "XXXX")
	require.Equal(t, "shop", n.Label("shop"))
}

func TestKnownNamesAllocateNothing(t *testing.T) {
	traffic := NewTraffic(Options{Max: 3}, Options{Allowed: []string{"m"}})
	table := NewTable(traffic, func(service, model string) *string { return new(service + "/" + model) })
	require.Equal(t, "shop/m", *table.At("shop", "m"))
	require.Zero(t, testing.AllocsPerRun(100, func() { table.At("shop", "m"); table.At("", "unlisted") }))
}

func TestTableConcurrently(t *testing.T) {
	traffic := NewTraffic(Options{Max: 5}, Options{Max: 5})
	table := NewTable(traffic, func(service, model string) *string { return new(service + "/" + model) })
	require.Equal(t, "other/other", *table.cells[[2]string{Other, Other}], "it exists from the start")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 2_000 {
				service, model := fmt.Sprint("s-", i%3), fmt.Sprint("m-", i%2)
				got := *table.At(service, model)
				if got != service+"/"+model && !strings.Contains(got, Other) {
					t.Errorf("%s/%s got %s", service, model, got)
				}
			}
		})
	}
	wg.Wait()
	for i := range 6 {
		require.Equal(t, fmt.Sprintf("s-%d/m-%d", i%3, i%2), *table.At(fmt.Sprint("s-", i%3), fmt.Sprint("m-", i%2)))
	}
}
