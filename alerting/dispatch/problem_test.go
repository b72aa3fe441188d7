package dispatch

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// faulty returns a flag without service and model, with one piece of evidence of grounding.
func faulty(n int, e schemas.Evidence) schemas.Flag {
	f := similarFlag(n, 0)
	f.Service, f.Model, f.Question = "", "", "What about it?"
	f.Signals = []schemas.Signal{{Detector: "grounding", Outcome: schemas.Fired, Type: schemas.Factual, Reason: "a claim has no support", Evidence: []schemas.Evidence{e}}}
	return f
}

// unrelated returns sentences about different things.
func unrelated(n int) (all []string) {
	for i := range n {
		word := strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprint(i))
		all = append(all, fmt.Sprintf("The warranty of the k%sovik engine ends after 24 months.", word))
	}
	return all
}

func said(s string) schemas.Evidence { return schemas.Evidence{Start: 0, End: len(s), Excerpt: s} }

func TestProblems(t *testing.T) {
	of := func(f schemas.Flag, change func(f *schemas.Flag)) string {
		change(&f)
		return problemOf(&f)
	}
	none := func(*schemas.Flag) {}
	base := faulty(0, said("Refunds are possible within 45 days of the purchase."))
	same := func(name string, a, b string) { t.Helper(); require.Equal(t, a, b, name) }
	differ := func(name string, a, b string) { t.Helper(); require.NotEqual(t, a, b, name) }
	want := of(base, none)
	require.Len(t, want, 2*problemBytes)
	same("another figure and inflection", want, of(faulty(1, said("Refunds: possible within 60 days of purchases [2].")), none))
	differ("another sentence", want, of(faulty(1, said("The hotel has a pool on the roof.")), none))
	same("other detectors", want, of(base, func(f *schemas.Flag) { f.Fired = []string{"facts"} }))
	same("another model", want, of(base, func(f *schemas.Flag) { f.Model = "m" }))
	same("with a verdict of the judge", want, of(base, func(f *schemas.Flag) {
		f.Signals = append([]schemas.Signal{{Detector: schemas.JudgeDetector, Outcome: schemas.Fired, Evidence: []schemas.Evidence{said("It is wrong.")}}}, f.Signals...)
	}))

	passage := schemas.Evidence{Start: 0, End: 9, Excerpt: "You have 45 days to return it.", SourceExcerpt: "Refunds within 30 days.", SourceSays: "30 days"}
	other := passage
	other.Excerpt = "Goods may be sent back for 60 days."
	same("the same passage contradicts both", of(faulty(0, passage), none), of(faulty(1, other), none))
	other.SourceExcerpt = "Deliveries within 3 days."
	differ("another passage", of(faulty(0, passage), none), of(faulty(1, other), none))

	short, asks := faulty(0, said("It costs 45 euros.")), func(f *schemas.Flag) { f.Question = "What does the museum cost?" }
	differ("short sentences about different things", of(short, none), of(short, asks))
	name := faulty(0, said("reqeusts"))
	same("a name is enough", of(name, none), of(name, asks))

	broken := func(f *schemas.Flag) {
		f.Signals[0].Type, f.Signals[0].Evidence[0].Note = schemas.Format, "/tool: value must be 'search'"
	}
	same("a broken schema", of(faulty(0, said(`{"tool": "find the cat"}`)), broken), of(faulty(0, said(`{"tool": "book a flight"}`)), broken))
	bare := faulty(0, schemas.Evidence{Start: 3, End: 9, SourceID: "doc-1"})
	bare.Signals[0].Reason, bare.Question = "", ""
	differ("without texts, by source", of(bare, none), of(faulty(0, schemas.Evidence{Start: 3, End: 9, SourceID: "doc-2"}), func(f *schemas.Flag) { f.Signals[0].Reason, f.Question = "", "" }))
	trimmed := trimFlag(&base)
	same("of a flag that has waited", want, of(trimmed, none))
}

// TestDifferentProblems: twelve unrelated faults without service and model are all shown with their sentences, before and after a restart
// of the worker.
func TestDifferentProblems(t *testing.T) {
	runVirtual(t, harnessOptions{partitions: 3}, func(t *testing.T, d *harness) {
		all := unrelated(12)
		for i, s := range all[:7] {
			d.add(int32(i%3), faulty(i, said(s)))
		}
		sleepVirtual(2 * time.Minute)
		d.stop()
		again := newHarness(t, harnessOptions{partitions: 3, logs: d.logs, fakeSink: d.sink}).run()
		for i, s := range all {
			again.add(int32(i%3), faulty(i, said(s)))
			again.add(int32(i%3), faulty(100+i, said(strings.Replace(s, "24", "36", 1))))
		}
		sleepVirtual(2 * time.Minute)
		again.stop()
		shown := map[string]int64{}
		for _, a := range d.sink.Alerts() {
			for _, g := range a.Groups {
				shown[g.Said] += g.Count
			}
			require.Zero(t, a.MoreGroups)
			require.Zero(t, a.EarlierCount)
		}
		require.Len(t, shown, 12)
		for _, s := range all {
			require.EqualValues(t, 2, shown["“"+s+"”"], s)
		}
	})
}

func TestTheSameProblem(t *testing.T) {
	runVirtual(t, harnessOptions{partitions: 3}, func(t *testing.T, d *harness) {
		for i := range 12 {
			d.add(int32(i%3), faulty(i, said(fmt.Sprintf("Refunds are possible within %d days.", 40+i))))
		}
		sleepVirtual(2 * time.Minute)
		require.Len(t, d.sink.Alerts(), 1)
		require.EqualValues(t, 12, d.sink.Alerts()[0].Count)
		require.Zero(t, d.suppressed(inDigest))
	})
}

func TestStormOfProblems(t *testing.T) {
	runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
		for i, s := range unrelated(1300) {
			d.add(0, faulty(i, said(s)))
		}
		sleepVirtual(5 * time.Minute)
		alerts := d.sink.Alerts()
		require.LessOrEqual(t, len(alerts), maxPendingGroups+1)
		sent, _ := d.sink.Delivered()
		require.EqualValues(t, 1300, sent)
		last := alerts[len(alerts)-1]
		require.Equal(t, schemas.DigestThrottled, last.Cause)
		require.Len(t, last.Groups, maxListedGroups)
		require.EqualValues(t, last.Count, maxListedGroups+last.MoreGroups)
		require.EqualValues(t, last.Count, d.suppressed(inDigest), "each is counted once")
		for _, g := range last.Groups {
			require.NotEmpty(t, g.Said)
			require.NotEmpty(t, g.Incident)
		}
	})
}

// TestFullStateHasNoSentence: the group of what did not fit is about many problems.
func TestFullStateHasNoSentence(t *testing.T) {
	runVirtual(t, harnessOptions{groups: GroupOptions{MaxGroups: 5, NewMessages: BucketOptions{Burst: 1, Every: time.Hour}}}, func(t *testing.T, d *harness) {
		for i, s := range unrelated(50) {
			d.add(0, faulty(i, said(s)))
		}
		sleepVirtual(5 * time.Minute)
		unsaid := int64(0)
		for _, a := range d.sink.Alerts() {
			for _, g := range a.Groups {
				if g.Said == "" {
					unsaid += g.Count
				}
			}
		}
		require.EqualValues(t, 45, unsaid)
		require.Equal(t, 45, d.suppressed(stateLimit))
	})
}
