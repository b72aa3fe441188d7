package observations

import (
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const answer = "Welcome! The tower is 331 m high, writes ann@example.com. It opened in May. The lift of the tower takes 40 minutes. Bye."

// at is the place of a text in the answer.
func at(part string) (start, end int) {
	start = strings.Index(answer, part)
	return start, start + len(part)
}

func signal(t schemas.SignalType, outcome schemas.Outcome, parts ...string) schemas.Signal {
	s := schemas.Signal{Detector: "facts", Type: t, Outcome: outcome}
	for _, p := range parts {
		start, end := at(p)
		s.Evidence = append(s.Evidence, schemas.Evidence{Start: start, End: end})
	}
	return s
}

func claims(f *schemas.Flag) (all []string) {
	in := schemas.Interaction{Tenant: "acme", Answer: answer}
	for _, o := range observeFlag(&in, f, claimVerdict{}) {
		all = append(all, o.Claim)
	}
	return all
}

func TestFlaggedClaims(t *testing.T) {
	t.Parallel()
	const tower, lift = "The tower is 331 m high, writes [email].", "The lift of the tower takes 40 minutes."
	repeats := signal(schemas.Factual, schemas.Fired, "331")
	repeats.Detector = "known" + "_false"
	for name, tc := range map[string]struct {
		signals []schemas.Signal
		want    []string
	}{
		"figures":              {[]schemas.Signal{signal(schemas.Factual, schemas.Fired, "331", "40 minutes")}, []string{tower, lift}},
		"twice":                {[]schemas.Signal{signal(schemas.Factual, schemas.Fired, "331"), signal(schemas.Logical, schemas.Fired, "331 m")}, []string{tower}},
		"clear":                {[]schemas.Signal{signal(schemas.Factual, schemas.Clear, "331")}, nil},
		"citation":             {[]schemas.Signal{signal(schemas.Attribution, schemas.Fired, "331")}, nil},
		"a pronoun":            {[]schemas.Signal{signal(schemas.Factual, schemas.Fired, "opened in May")}, nil},
		"repeats":              {[]schemas.Signal{repeats}, nil},
		"no place":             {[]schemas.Signal{{Type: schemas.Factual, Outcome: schemas.Fired, Evidence: []schemas.Evidence{{Start: -1, End: -1}, {Start: 5000, End: 6000}}}}, nil},
		"across two sentences": {[]schemas.Signal{signal(schemas.Factual, schemas.Fired, "in May. The lift")}, []string{lift}},
	} {
		require.Equal(t, tc.want, claims(&schemas.Flag{Signals: tc.signals}), name)
	}
}

// Faulty records of llm.observations are ignored.
func TestHostileRecords(t *testing.T) {
	t.Parallel()
	good, err := FromClaim("acme", "The tower is 331 m high.", "ann", time.Now(), 0)
	require.NoError(t, err)
	registry := prometheus.NewRegistry()
	f := NewFollower(FollowerOptions{
		Settings: config.Observations{Enabled: true, MaxEntries: 2, MaxPerTenant: 2}, Registry: registry,
		Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	apply := func(key string, change func(o *schemas.Observation)) int {
		o := good
		change(&o)
		m, err := recordOf("t", &o)
		require.NoError(t, err)
		if key == "" {
			key = o.Key()
		}
		f.apply(t.Context(), &kafka.FetchedRecord{Key: []byte(key), Value: m.Value})
		return f.store.Len()
	}
	require.Equal(t, 1, apply("", func(*schemas.Observation) {}))
	for name, change := range map[string]func(o *schemas.Observation){
		"long key":    func(o *schemas.Observation) { o.ClaimKey = strings.Repeat("ab", 100) },
		"short key":   func(o *schemas.Observation) { o.ClaimKey = "ab" },
		"no hex":      func(o *schemas.Observation) { o.ClaimKey = strings.Repeat("xy", 32) },
		"long source": func(o *schemas.Observation) { o.Sources = []string{strings.Repeat("ab", 100)} },
		"verdict":     func(o *schemas.Observation) { o.Verdict = "true" },
	} {
		require.Equal(t, 1, apply("", change), name)
	}
	require.Equal(t, 1, apply("another key", func(o *schemas.Observation) { o.Tenant = "other" }), "the key is not that of the value")
	require.Equal(t, 2, apply("", func(o *schemas.Observation) { o.Tenant = "b:c" }))
	f.apply(t.Context(), &kafka.FetchedRecord{Key: []byte("no key")})
	f.apply(t.Context(), &kafka.FetchedRecord{Key: []byte(strings.Repeat("ab", 100) + ":acme")})
	require.Equal(t, 2, f.store.Len())
	f.apply(t.Context(), &kafka.FetchedRecord{Key: []byte(good.ClaimKey + ":b:c")})
	require.Equal(t, 1, f.store.Len())
	require.Equal(t, 0, apply("", func(o *schemas.Observation) { o.ExpiresAt = time.Now().Add(-time.Hour) }), "an expired one replaces it")
	require.InDelta(t, 6, testutil.ToFloat64(f.ignored.WithLabelValues(ignoredUnreadable)), 0)
}

func TestObservationsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 12, 0, 0, 5, time.FixedZone("x", 3600))
	o, err := FromClaim("", "Große Türme "+strings.Repeat("wachsen sehr hoch ", 60)+"und stehen.", "ann", now, time.Hour)
	require.NoError(t, err)
	require.Equal(t, maxClaim, utf8.RuneCountInString(o.Claim))
	require.Equal(t, []string{"große", "türme", "wachsen"}, o.About)
	require.Equal(t, schemas.DefaultTenant, o.Tenant)
	require.Equal(t, "2026-11-01T11:00:00Z 2026-11-01T12:00:00Z", o.At.Format(time.RFC3339)+" "+o.ExpiresAt.Format(time.RFC3339))
	_, err = FromClaim("", strings.Repeat("wachsen sehr hoch ", 200), "ann", now, 0)
	require.ErrorContains(t, err, "--add-claim")
}
