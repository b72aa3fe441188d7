package sampling_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/sampling"
	"confab/schemas"
)

const testSalt = "the salt of these tests"

func medicalInteraction(id string) *schemas.Interaction {
	return &schemas.Interaction{ID: id, Tenant: "default", Answer: "Take two.", Tags: []string{"web", "Medical"}}
}

// defaultOptions are 1 % of the interactions with a high-stakes tag.
func defaultOptions() sampling.Options {
	return sampling.Options{Rate: 0.01, Tags: []string{"medical", "financial", "legal", "high-stakes"}, Triggers: sampling.DefaultTriggers()}
}

func newSampler(t testing.TB, rate float64, salt redact.Secret) *sampling.Sampler {
	t.Helper()
	o := defaultOptions()
	o.Rate, o.Salt = rate, salt
	s, err := sampling.New(o)
	require.NoError(t, err)
	return s
}

// TestShare compares the picked share with the rate, for ids of different shapes.
func TestShare(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	shapes := map[string]func(i int) string{
		"sequential":  func(i int) string { return strconv.Itoa(i) },
		"zero-padded": func(i int) string { return fmt.Sprintf("chatcmpl-%032x", i) },
		"stepped":     func(i int) string { return fmt.Sprintf("%020d", i*1000) },
	}
	ids := map[float64]int{0.01: 100_000, 0.001: 200_000, 0.1: 20_000, 0.5: 10_000}
	for name, shape := range shapes {
		for rate, n := range ids {
			t.Run(fmt.Sprintf("%s, %v of %d", name, rate, n), func(t *testing.T) {
				t.Parallel()
				s, in, picked := newSampler(t, rate, testSalt), medicalInteraction(""), 0
				for i := range n {
					in.ID = shape(i)
					if s.Decide(in, sampling.NoFastScores()).Sampled {
						picked++
					}
				}
				total := float64(n)
				require.InDelta(t, total*rate, picked, 3*math.Sqrt(total*rate*(1-rate)))
			})
		}
	}
}

func TestReplicasAgreeAndSaltsDoNot(t *testing.T) {
	const n, rate = 20_000, 0.1
	one, replica, other := newSampler(t, rate, testSalt), newSampler(t, rate, testSalt), newSampler(t, rate, testSalt+"2")
	both := 0
	in := medicalInteraction("")
	for i := range n {
		in.ID = strconv.Itoa(i)
		d := one.Decide(in, sampling.NoFastScores())
		require.Equal(t, d, replica.Decide(in, sampling.NoFastScores()))
		require.Equal(t, d, one.Decide(in, sampling.NoFastScores()), "a replay picks another")
		if d.Sampled && other.Decide(in, sampling.NoFastScores()).Sampled {
			both++
		}
	}
	sigma := math.Sqrt(n * rate * rate * (1 - rate*rate))
	require.InDelta(t, n*rate*rate, both, 3*sigma, "two salts do not choose independently")
}

// TestPicksBelowTheExactLimit recomputes choices with the library's HMAC and exact arithmetic.
func TestPicksBelowTheExactLimit(t *testing.T) {
	for _, key := range []redact.Secret{"k", testSalt, redact.Secret(make([]byte, 64)), redact.Secret(make([]byte, 200)) + "long"} {
		for _, rate := range []float64{1e-19, 0.01, 0.3, math.Nextafter(1, 0)} {
			s := newSampler(t, rate, key)
			limit, _ := new(big.Float).SetMantExp(big.NewFloat(rate), 64).Int(nil)
			for i := range 300 {
				in := medicalInteraction(strconv.Itoa(i))
				mac := hmac.New(sha256.New, []byte(key.Reveal()))
				id := in.EventID()
				mac.Write(id[:])
				leading := new(big.Int).SetUint64(binary.BigEndian.Uint64(mac.Sum(nil)))
				require.Equal(t, leading.Cmp(limit) < 0, s.Decide(in, sampling.NoFastScores()).Sampled)
			}
		}
	}
}

func TestDecide(t *testing.T) {
	tests := map[string]struct {
		rate float64
		tags []string
		want sampling.Decision
	}{
		"all":              {1, []string{"legal"}, sampling.Decision{Sampled: true, Reason: sampling.ReasonHighStakes, Probability: 1}},
		"letter case":      {1, []string{"x", "High-Stakes"}, sampling.Decision{Sampled: true, Reason: sampling.ReasonHighStakes, Probability: 1}},
		"no tags":          {1, nil, sampling.Decision{}},
		"other tags":       {1, []string{"medicine", "leg", ""}, sampling.Decision{}},
		"off":              {0, []string{"legal"}, sampling.Decision{}},
		"asked, not taken": {1e-18, []string{"legal"}, sampling.Decision{Probability: 1e-18}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := medicalInteraction("1")
			in.Tags = tt.tags
			require.Equal(t, tt.want, newSampler(t, tt.rate, testSalt).Decide(in, sampling.NoFastScores()))
		})
	}
	require.Len(t, sampling.Reasons(), 8)
}

func TestNewRefuses(t *testing.T) {
	tests := map[string]struct {
		change func(*sampling.Options)
		names  string
	}{
		"no salt":       {func(o *sampling.Options) { o.Salt = "" }, "sampling.salt_file"},
		"negative rate": {func(o *sampling.Options) { o.Rate = -0.1 }, "sampling.rate"},
		"rate above 1":  {func(o *sampling.Options) { o.Rate = 1.1 }, "sampling.rate"},
		"no number":     {func(o *sampling.Options) { o.Rate = math.NaN() }, "sampling.rate"},
		"empty tag":     {func(o *sampling.Options) { o.Tags = []string{"a", " "} }, "sampling.tags"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := defaultOptions()
			o.Salt = testSalt
			tt.change(&o)
			_, err := sampling.New(o)
			require.ErrorContains(t, err, tt.names)
			require.NotContains(t, err.Error(), testSalt)
		})
	}
	off, err := sampling.New(sampling.Options{})
	require.NoError(t, err, "turned off, it needs no salt")
	require.Zero(t, off.Decide(medicalInteraction("1"), sampling.NoFastScores()))
}

func TestNoReasonNoAllocation(t *testing.T) {
	s := newSampler(t, 0.5, testSalt)
	quiet := medicalInteraction("1")
	quiet.Tags = []string{"web"}
	require.Zero(t, testing.AllocsPerRun(1000, func() { s.Decide(quiet, sampling.NoFastScores()) }))
}

func BenchmarkDecide(b *testing.B) {
	s := newSampler(b, 0.01, testSalt)
	quiet := medicalInteraction("1")
	quiet.Tags = []string{"web", "search"}
	for name, in := range map[string]*schemas.Interaction{"quiet": quiet, "tagged": medicalInteraction("1")} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Decide(in, sampling.NoFastScores())
			}
		})
	}
}
