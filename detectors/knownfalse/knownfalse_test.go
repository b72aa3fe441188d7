package knownfalse

import (
	"strings"
	"testing"
	"time"

	"confab/detectors"
	"confab/schemas"

	"github.com/stretchr/testify/require"
)

func keyOf(t *testing.T, claim string) ClaimKey {
	t.Helper()
	key, ok := new(Normalizer).Key(claim)
	require.True(t, ok, claim)
	return key
}

func TestEqualClaims(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"The tower is 330 m high.", "  the Tower is\u00A0330 m  high"},
		{"The court said “no” to Acme, then.", "The court said \"no\" to Acme then"},
		{"The **tower** can’t be visited.", "The tower can't be visited."},
		{"The tower is 330 m high [1][2, 3].", "The tower[4] is 330 m high."},
		{"Das Café öffnet um neun Uhr.", "Das Cafe\u0301 o\u0308ffnet um neun Uhr."},
	} {
		require.Equal(t, keyOf(t, pair[0]), keyOf(t, pair[1]), "%q and %q", pair[0], pair[1])
	}
}

func TestOtherClaims(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"The tower is 330 m high.", "The tower is 331 m high."},
		{"The list has [4] towers now.", "The list has [a] towers now."},
		{"The tower is 330 m high.", "The tower is not 330 m high."},
		{"The tower is 3.5 km away.", "The tower is 35 km away."},
		{"The tower is 330 m high.", "The tower is 330 km high."},
		{"The value fell to -5 degrees.", "The value fell to 5 degrees."},
		{"The price rose by 5 % today.", "The price rose by 5 today."},
		{"The US rejected it twice.", "The us rejected it twice."},
		{"The bag weighs 1,000 kg today.", "The bag weighs 1000 kg today."}, // may be a decimal comma
		{"Ann sued Bob in court.", "Bob sued Ann in court."},
		{"The values are 12, 300 today.", "The values are 12 300 today."},
	} {
		require.NotEqual(t, keyOf(t, pair[0]), keyOf(t, pair[1]), "%q and %q", pair[0], pair[1])
	}
}

func TestNoClaims(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "Yes.", "It was 1990 then.", "Can the tower help you today?", "**With the given values, one gets:**", "He's born in 1950, sadly.", strings.Repeat("the word ", 30_000), "the tower \xff is high"} {
		_, ok := new(Normalizer).Key(s)
		require.False(t, ok)
	}
}

func TestStoreByTenant(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	store := NewStore(Limits{Entries: 2, PerTenant: 1}, func() time.Time { return now })
	key := keyOf(t, "The tower is 331 m high.")
	in := schemas.Interaction{Tenant: "a", Answer: "Welcome to Paris today. The tower is 331 m HIGH! See you there soon."}
	in.Answer = strings.ReplaceAll(in.Answer, "HIGH", "High")
	detect := func() detectors.Finding {
		var doc detectors.Document
		doc.Reset(&in)
		f, err := NewDetector(store).Detect(t.Context(), &doc)
		require.NoError(t, err)
		return f
	}
	require.Equal(t, "no_observations", detect().NotCheckable)
	require.NoError(t, store.Put("a", key, Observation{Source: "label", At: now, Expires: now.Add(time.Hour)}))
	require.ErrorIs(t, store.Put("a", keyOf(t, "The moon is made of cheese."), Observation{}), ErrStoreFull)
	f := detect()
	require.InDelta(t, 1, f.Score, 0)
	require.Equal(t, "The tower is 331 m High!", strings.TrimSpace(in.Answer[f.Evidence[0].Start:f.Evidence[0].End]))
	require.Equal(t, "repeats a claim found false on 2026-11-01 (label)", f.Evidence[0].Note)
	in.Tenant = "b"
	require.NotEmpty(t, detect().NotCheckable, "another tenant")
	in.Tenant = "a"
	now = now.Add(time.Hour)
	require.Zero(t, detect().Score, "expired")
	other := keyOf(t, "The moon is made of cheese.")
	require.NoError(t, store.Put("a", other, Observation{}), "the expired one made room")
	store.Delete("a", other)
	require.NoError(t, store.Put("a", key, Observation{}))
	store.Delete("a", key)
	require.NotEmpty(t, detect().NotCheckable, "deleted")
}

// What was false about one subject may be what the sources of another answer say.
func TestSourcesThatStateTheClaim(t *testing.T) {
	t.Parallel()
	store := NewStore(Limits{Entries: 1, PerTenant: 1}, time.Now)
	require.NoError(t, store.Put("", keyOf(t, "The museum opens at 9 in the morning."), Observation{}))
	for source, score := range map[string]float64{
		"":                    1,
		"The museum is open.": 1,
		"Hours: the museum opens at 9 in the morning, and closes at 5.": 0,
		"The museum opens at 9 in the mornings only.":                   1,
		"The museum opens at 19 in the morning.":                        1,
	} {
		in := schemas.Interaction{Answer: "The museum opens at 9 in the morning.", Sources: []schemas.Source{{Text: source}}}
		var doc detectors.Document
		doc.Reset(&in)
		f, err := NewDetector(store).Detect(t.Context(), &doc)
		require.NoError(t, err)
		require.InDelta(t, score, f.Score, 0, source)
	}
}

// A claim that does not name its subject is about what its sources are about.
func TestClaimsAboutOtherSources(t *testing.T) {
	t.Parallel()
	const named, unnamed = "The Eiffel Tower opens at 9 in the morning.", "The museum opens at 9 in the morning."
	for _, tc := range []struct {
		claim, then, now string // the sources
		score            float64
	}{
		{unnamed, "Louvre.", "Louvre.", 1},
		{unnamed, "Louvre.", "Prado.", 0},
		{unnamed, "Louvre.", "", 1},
		{unnamed, "", "Prado.", 1},
		{named, "Louvre.", "Prado.", 1},
	} {
		store := NewStore(Limits{Entries: 1, PerTenant: 1}, time.Now)
		var o Observation
		in := schemas.Interaction{Answer: "Welcome! " + tc.claim}
		if tc.then != "" {
			o.Sources = []SourceHash{HashSource("Another."), HashSource(tc.then)}
		}
		if tc.now != "" {
			in.Sources = []schemas.Source{{Text: tc.now}}
		}
		require.NoError(t, store.Put("", keyOf(t, tc.claim), o))
		var doc detectors.Document
		doc.Reset(&in)
		f, err := NewDetector(store).Detect(t.Context(), &doc)
		require.NoError(t, err)
		require.InDelta(t, tc.score, f.Score, 0, tc)
	}
}

func FuzzNormalizer(f *testing.F) {
	for _, s := range []string{"The tower is 330 metres high.", "Cafe\u0301 5 % isn't 1,200,000", "\xff\u200b“’"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, claim, source string) {
		var n Normalizer
		key, ok := n.Key(claim)
		if !ok {
			return
		}
		require.True(t, n.StatedBy(claim), "a claim states itself")
		n.Named()
		n.StatedBy(source)
		again, ok := new(Normalizer).Key(claim)
		require.True(t, ok)
		require.Equal(t, key, again)
	})
}

func TestQuietAnswersAllocateNothing(t *testing.T) {
	store := NewStore(Limits{Entries: 9, PerTenant: 9}, time.Now)
	require.NoError(t, store.Put("", keyOf(t, "The tower is 331 m high."), Observation{}))
	in := schemas.Interaction{Answer: "The tower is 330 m high. Its US owner can't open it before the 1,200,000 visitors come."}
	var doc detectors.Document
	d := NewDetector(store)
	require.Zero(t, testing.AllocsPerRun(50, func() {
		doc.Reset(&in)
		_, _ = d.Detect(t.Context(), &doc)
	}))
}
