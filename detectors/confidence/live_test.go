package confidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// answer has one token with that entropy, in nats up to ln 2.
func answer(tenant, model string, peak float64) *schemas.Interaction {
	low, high := 0.0, 0.5
	for range 60 {
		p := (low + high) / 2
		if h := -p*math.Log(p) - (1-p)*math.Log(1-p); h < peak {
			low = p
		} else {
			high = p
		}
	}
	a, b := float32(math.Log(1-low)), float32(math.Log(low))
	return &schemas.Interaction{
		Tenant: tenant, Model: model, Operation: "qa", Answer: "x", Temperature: schemas.UnknownTemperature,
		Logprobs: schemas.Logprobs{TopK: 2, Values: []float32{a, a, b}},
	}
}

func clock() (now func() time.Time, advance func(time.Duration)) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time { return at }, func(d time.Duration) { at = at.Add(d) }
}

func TestLiveLearnsAndJudges(t *testing.T) {
	now, _ := clock()
	l := NewLive(now)
	for i := range LeastAnswers {
		_, n := l.rank(answer("a", "m", 0.1), 0.1)
		require.Equal(t, i, n)
		l.LearnAnswer(answer("a", "m", float64(i+1)/200))
	}
	rank, n := l.rank(answer("a", "m", 0), 0.249)
	require.Equal(t, LeastAnswers, n)
	require.InDelta(t, 0.5, rank, 0.02, "the median")
	high, _ := l.rank(answer("a", "m", 0), 0.69)
	low, _ := l.rank(answer("a", "m", 0), -1)
	require.InDelta(t, 0.995, high, 1e-3)
	require.InDelta(t, 1-high, low, 1e-6)
	_, n = l.rank(answer("a", "m-2027", 0), 0.1)
	require.Zero(t, n, "a new version of the model learns again")
	require.Equal(t, []Learned{{"a", "m", "qa", LeastAnswers}}, l.Learned())
	require.Equal(t, []int{1, 0}, []int{l.Count(true), l.Count(false)})
}

// A full baseline takes one answer in a while, so that a flood of odd ones is not usual at once, and forgets the oldest.
func TestLiveIsSlowWhenFull(t *testing.T) {
	now, advance := clock()
	l := NewLive(now)
	for range 10_000 {
		l.LearnAnswer(answer("a", "m", 0.1))
	}
	flood := func() {
		for range 1000 {
			l.LearnAnswer(answer("a", "m", 0.6))
		}
	}
	flood()
	rank, n := l.rank(answer("a", "m", 0), 0.6)
	require.Equal(t, liveAnswers, n)
	require.Greater(t, rank, 0.98)
	for range liveAnswers {
		advance(liveSpan / liveAnswers)
		flood()
	}
	rank, n = l.rank(answer("a", "m", 0), 0.6)
	require.Equal(t, liveAnswers, n)
	require.InDelta(t, 0.5, rank, 1e-9, "a day later they are usual")
}

// What one tenant sends moves no other: each is judged by its own answers, and gives few to the shared baseline.
func TestLiveTenants(t *testing.T) {
	now, _ := clock()
	l := NewLive(now)
	for range LeastAnswers {
		l.LearnAnswer(answer("usual", "m", 0.1))
	}
	for range 5000 {
		l.LearnAnswer(answer("hostile", "m", 0.69))
	}
	rank, _ := l.rank(answer("usual", "m", 0), 0.3)
	require.Greater(t, rank, 0.98)
	_, n := l.rank(answer("new", "m", 0), 0.3)
	require.Equal(t, 2*LeastAnswers, n, "the shared one")
	for i := range 50 {
		for range 5 {
			l.LearnAnswer(answer(fmt.Sprint("small", i), "m", 0.1))
		}
	}
	rank, _ = l.rank(answer("new", "m", 0), 0.5)
	require.Greater(t, rank, 0.7)
}

// Names are bounded, and those in use stay.
func TestLiveForgetsUnusedNames(t *testing.T) {
	now, _ := clock()
	l := NewLive(now)
	for range LeastAnswers {
		l.LearnAnswer(answer("a", "m", 0.1))
	}
	for i := range 5 * maxKeys {
		l.LearnAnswer(answer("hostile", fmt.Sprint(i), 0.1))
		if i%500 == 0 {
			l.LearnAnswer(answer("a", "m", 0.1))
		}
	}
	require.LessOrEqual(t, len(l.recent)+len(l.older), maxKeys)
	_, n := l.rank(answer("a", "m", 0), 0.1)
	require.Greater(t, n, LeastAnswers)
	long := answer("a", string(make([]byte, maxKeyBytes+1)), 0.1)
	before := len(l.recent)
	l.LearnAnswer(long)
	require.Len(t, l.recent, before)
}

// What is judged after a file was read does not change what it is judged by.
func TestFrozen(t *testing.T) {
	l := NewFileLive()
	for range 300 {
		l.LearnAnswer(answer("a", "m", 0.1))
	}
	l.Freeze()
	l.LearnAnswer(answer("a", "m", 0.1))
	require.Equal(t, 300, l.Learned()[0].Answers)
}

// The ranks are those of a plain count, for any order of adding and forgetting.
func TestUsualMatchesACount(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 5))
	u, all := &usual{}, []float32{}
	for range 3000 {
		v := float32(random.IntN(40)) / 40
		u.add(v, 50)
		all = append(all, v)
		kept := all[max(0, len(all)-50):]
		x := float32(random.IntN(40)) / 40
		rank := 0.5
		for _, k := range kept {
			switch {
			case k < x:
				rank++
			case k == x:
				rank += 0.5
			}
		}
		require.True(t, slices.IsSorted(u.sorted))
		require.InDelta(t, rank/float64(len(kept)+1), u.rank(x), 1e-9)
	}
}

func TestLiveIsSafe(t *testing.T) {
	l := NewLive(time.Now)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 500 {
				in := answer("a", fmt.Sprint(i%3), float64(g)/20)
				l.LearnAnswer(in)
				l.rank(in, 0.1)
				l.Count(true)
			}
		})
	}
	all.Wait()
	require.Equal(t, 3, l.Count(true))
}

func BenchmarkLive(b *testing.B) {
	l := NewLive(time.Now)
	in := answer("a", "m", 0.3)
	for i := range liveAnswers {
		l.LearnAnswer(answer("a", "m", float64(i%60)/100))
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			l.rank(in, 0.3)
			l.add(in, 0.3)
		}
	})
}
