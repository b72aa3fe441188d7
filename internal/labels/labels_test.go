package labels

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func labelOf(n *Names, name string) string { return n.Label(n.Find(name)) }

func TestAllowedNames(t *testing.T) {
	n := NewNames(Options{Allowed: []string{"shop", "bank", "shop"}, Max: 5})
	require.Equal(t, 4, n.Size())
	for name, want := range map[string]string{"shop": "shop", "bank": "bank", "": None, "Shop": Other, "other": Other, "none": None} {
		for range 100 {
			require.Equal(t, want, labelOf(n, name), name)
		}
	}
}

func TestFrequentNamesGetLabels(t *testing.T) {
	n := NewNames(Options{Max: 2})
	for range heavyMinimum - 1 {
		require.Equal(t, Other, labelOf(n, "shop"))
	}
	require.Equal(t, "shop", labelOf(n, "shop"), "the tenth time")
	for range 3 * heavyMinimum {
		labelOf(n, "bank")
		labelOf(n, "late")
	}
	require.Equal(t, "bank", labelOf(n, "bank"))
	require.Equal(t, Other, labelOf(n, "late"), "there are two labels")
	require.Equal(t, "shop", labelOf(n, "shop"), "a name keeps its label")
}

func TestNoNames(t *testing.T) {
	n := NewNames(Options{})
	for range 100 {
		require.Equal(t, Other, labelOf(n, "shop"))
	}
	require.Equal(t, None, labelOf(n, ""))
}

func TestFirstNames(t *testing.T) {
	n := NewNames(Options{Max: 2, First: true})
	require.Equal(t, "a", labelOf(n, "a"))
	require.Equal(t, "b", labelOf(n, "b"))
	require.Equal(t, Other, labelOf(n, "c"))
	require.Equal(t, "a", labelOf(n, "a"))
}

// Among 100,000 names, most of them seen once or twice, the frequent ones get the labels, and memory stays bounded.
func TestManyNames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := NewNames(Options{Max: 20})
	seen := map[string]bool{}
	for i := range 300_000 {
		name := fmt.Sprintf("noise-%d", i%100_000)
		if rng.IntN(10) < 3 { // thirty percent of the traffic is of ten services
			name = fmt.Sprintf("service-%d", rng.IntN(10))
		}
		seen[labelOf(n, name)] = true
		if n.heavies != nil {
			require.LessOrEqual(t, len(n.heavies.index), heavyCapacity)
			require.LessOrEqual(t, len(n.heavies.names), heavyCapacity)
		}
	}
	want := map[string]bool{Other: true}
	for i := range 10 {
		want[fmt.Sprintf("service-%d", i)] = true
	}
	require.Equal(t, want, seen, "no rare name has a label")
}

// A service that starts late gets a label although the traffic before it was large.
func TestLateNames(t *testing.T) {
	n, noise := NewNames(Options{Max: 20}), noiseNames()
	for i := range 4 * heavyHorizon {
		n.Find(noise[i%len(noise)])
	}
	for i := range 2_000 {
		n.Find(noise[i%len(noise)])
		n.Find("late")
	}
	require.Equal(t, "late", labelOf(n, "late"))
}

func noiseNames() (names []string) {
	for i := range 4096 {
		names = append(names, fmt.Sprintf("noise-%d", i))
	}
	return names
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
		n := NewNames(Options{Max: 5, First: true})
		got := labelOf(n, name)
		require.Equal(t, want, got, "%q", name)
		require.True(t, utf8.ValidString(got))
		require.LessOrEqual(t, len(got), MaxLength)
	}
}

// A label does not point into the record that it was found in.
func TestLabelsAreCopies(t *testing.T) {
	record := []byte("shop bank")
	n := NewNames(Options{Max: 5})
	for range heavyMinimum {
		n.Find(unsafe.String(&record[0], 4))
	}
	copy(record, "XXXX")
	require.Equal(t, "shop", labelOf(n, "shop"))
}

func TestKnownNamesAllocateNothing(t *testing.T) {
	traffic := NewTraffic(Options{Max: 3}, Options{Allowed: []string{"m"}})
	table := NewTable(traffic, func(service, model string) *string { return new(service + "/" + model) })
	for range heavyMinimum {
		table.At("shop", "m")
	}
	require.Equal(t, "shop/m", *table.At("shop", "m"))
	require.Zero(t, testing.AllocsPerRun(100, func() { table.At("shop", "m"); table.At("", "unlisted") }))
}

func TestTableConcurrently(t *testing.T) {
	traffic := NewTraffic(Options{Max: 5}, Options{Max: 5})
	table := NewTable(traffic, func(service, model string) *string { return new(service + "/" + model) })
	require.Equal(t, "other/other", *table.cells[0].Load(), "it exists from the start")
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

func BenchmarkFind(b *testing.B) {
	b.Run("known", func(b *testing.B) {
		n := NewNames(Options{Allowed: []string{"shop"}})
		for b.Loop() {
			n.Find("shop")
		}
	})
	b.Run("rare", func(b *testing.B) {
		n, noise, i := NewNames(Options{Max: 20}), noiseNames(), 0
		for b.Loop() {
			n.Find(noise[i%len(noise)])
			i++
		}
	})
}
