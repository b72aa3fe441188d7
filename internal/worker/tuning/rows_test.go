package tuning

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"confab/calibration/tune"
	"confab/schemas"
)

// testTraffic is synthetic traffic with a known truth. Two detectors have the threshold 0.6, an alert needs both, and a share of
// all answers is sampled.
type testTraffic struct {
	answers []testAnswer
	sampled float64
}

type testAnswer struct {
	id, tenant, service, conversation string
	scores                            [2]float64
	wrong, judged, sampled            bool // judged: wrong, by the judge
}

var testDetectors = [2]string{"citation", "facts"}

const testThreshold = .6

func newTestTraffic(seed uint64, n int) *testTraffic {
	random := rand.New(rand.NewPCG(seed, 7))
	w := &testTraffic{sampled: .1, answers: make([]testAnswer, n)}
	for i := range w.answers {
		a := &w.answers[i]
		a.id, a.tenant, a.conversation = fmt.Sprintf("%064x", random.Uint64()), "default", fmt.Sprint(i)
		for d := range a.scores {
			a.scores[d] = math.Pow(random.Float64(), 3)
		}
		a.wrong = random.Float64() < .02+.5*a.scores[0]+.45*a.scores[1]
		a.judged, a.sampled = a.wrong, random.Float64() < w.sampled
	}
	return w
}

func (a *testAnswer) fired() (names []string) {
	for d, name := range testDetectors {
		if a.scores[d] >= testThreshold {
			names = append(names, name)
		}
	}
	return names
}

var testTime = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

func (w *testTraffic) flag(a *testAnswer, pass schemas.Pass) *schemas.Flag {
	f := &schemas.Flag{
		IncidentID: a.id, Pass: pass, Tenant: a.tenant, Service: a.service, ConversationID: a.conversation,
		Fired: a.fired(), Alert: len(a.fired()) == 2, DetectedAt: testTime.Add(-time.Hour), Question: "secret",
	}
	for d, name := range testDetectors {
		s := schemas.Signal{Detector: name, Score: a.scores[d], Outcome: schemas.Clear, Evidence: []schemas.Evidence{{Excerpt: "secret"}}}
		if a.scores[d] >= testThreshold {
			s.Outcome = schemas.Fired
		}
		f.Signals = append(f.Signals, s)
	}
	if pass == schemas.PassDeep {
		s := schemas.Signal{Detector: schemas.JudgeDetector, Outcome: schemas.Clear}
		if a.judged {
			s.Outcome = schemas.Fired
		}
		f.Signals = append(f.Signals, s)
		f.Sampled, f.SampleProbability = true, w.sampled
	}
	return f
}

// flags are those of the traffic: fast ones where something fired, and deep ones of the sample.
func (w *testTraffic) flags() (all []*schemas.Flag) {
	for i := range w.answers {
		if a := &w.answers[i]; len(a.fired()) > 0 {
			all = append(all, w.flag(a, schemas.PassFast))
		}
		if a := &w.answers[i]; a.sampled {
			all = append(all, w.flag(a, schemas.PassDeep))
		}
	}
	return all
}

func personSays(a *testAnswer, user string) *schemas.Feedback {
	l := &schemas.Feedback{IncidentID: a.id, User: user, Verdict: schemas.Fine, At: testTime}
	if a.wrong {
		l.Verdict = schemas.Wrong
	}
	return l
}

func joinTest(limit int, labels []*schemas.Feedback, flags []*schemas.Flag) ([]judgedRow, Notes) {
	j := storeTest(limit, labels, flags).join(numOwners, "")
	return j.rows, j.notes()
}

func storeTest(limit int, labels []*schemas.Feedback, flags []*schemas.Flag) *answerStore {
	s := newAnswerStore(limit)
	for _, l := range labels {
		s.addLabel(l)
	}
	for _, f := range flags {
		s.addFlag(f)
	}
	return s
}

// TestWeightsCorrectTheSelection: people label alerts mostly, the judge reads a sample. The weights give the share of wrong answers of
// all traffic, and that of an alert.
func TestWeightsCorrectTheSelection(t *testing.T) {
	w := newTestTraffic(1, 60_000)
	var labels []*schemas.Feedback
	var wrong, alerts, right float64
	truth := map[string]float64{}
	for i := range w.answers {
		a := &w.answers[i]
		if a.wrong {
			wrong++
			truth[a.id] = 1
		}
		if len(a.fired()) == 2 {
			alerts++
			if a.wrong {
				right++
			}
			if len(labels) < 400 {
				labels = append(labels, personSays(a, fmt.Sprint("u", i%9)))
			}
		}
	}
	for _, limit := range []int{len(w.answers), 4000} { // all of them, and a share
		rows, notes := joinTest(limit, labels, w.flags())
		total, bad, plain, alert, good := 0.0, 0.0, 0.0, 0.0, 0.0
		for i := range rows {
			r := &rows[i]
			total += r.Weight
			bad += r.Weight * truth[r.ID]
			plain += truth[r.ID]
			if r.stratum == alerted {
				alert += r.Weight
				good += r.Weight * truth[r.ID]
			}
		}
		require.InEpsilon(t, float64(len(w.answers)), total, .1)
		require.InDelta(t, wrong/float64(len(w.answers)), bad/total, .02)
		require.Greater(t, plain/float64(len(rows)), bad/total+.01, "the rows as they are say more")
		require.InDelta(t, right/alerts, good/alert, .06)
		require.InEpsilon(t, alerts, alert, .1)
		require.Positive(t, notes.Judged)
		require.Equal(t, 9, notes.People)
		require.Len(t, notes.Answers, min(len(notes.Answers), limit))
		require.Equal(t, limit < len(w.answers), strings.Contains(fmt.Sprint(notes.Limits), "random share"))
	}
}

// TestRowsDoNotDependOnTheOrder of records, nor on repeated ones, and hold no text.
func TestRowsDoNotDependOnTheOrder(t *testing.T) {
	w := newTestTraffic(2, 3000)
	var labels []*schemas.Feedback
	for i := range w.answers[:200] {
		labels = append(labels, personSays(&w.answers[i], "ann"), personSays(&w.answers[i], "bob"))
	}
	flags := w.flags()
	first, notes := joinTest(500, labels, flags)
	require.NotEmpty(t, first)
	require.NotContains(t, fmt.Sprintf("%+v", first), "secret")
	random := rand.New(rand.NewPCG(3, 3))
	for range 3 {
		again := append(slices.Clone(flags), flags...)
		random.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
		rows, same := joinTest(500, labels, again)
		require.Empty(t, cmp.Diff(rowsOf(first), rowsOf(rows), cmpopts.EquateNaNs()))
		require.Equal(t, notes.Fingerprint, same.Fingerprint)
	}
}

func TestLabelsOfPeople(t *testing.T) {
	w := newTestTraffic(4, 1)
	a := &w.answers[0]
	a.scores, a.sampled = [2]float64{.9, .1}, true
	say := func(user string, v schemas.HumanVerdict, minute int) *schemas.Feedback {
		return &schemas.Feedback{IncidentID: a.id, User: user, Verdict: v, At: testTime.Add(time.Duration(minute) * time.Minute)}
	}
	wrong, fine := schemas.Wrong, schemas.Fine
	for name, c := range map[string]struct {
		labels []*schemas.Feedback
		want   float64
		by     tune.Source
		alone  string
	}{
		"the judge alone":      {nil, 0, tune.Judge, ""},
		"a person, not judge":  {[]*schemas.Feedback{say("ann", wrong, 1)}, 1, tune.Person, "ann"},
		"changed her mind":     {[]*schemas.Feedback{say("ann", wrong, 2), say("ann", fine, 1)}, 1, tune.Person, "ann"},
		"disputed":             {[]*schemas.Feedback{say("ann", wrong, 1), say("bob", fine, 2)}, .5, tune.Person, ""},
		"forgotten":            {[]*schemas.Feedback{say("ann", wrong, 1), say("dpo", schemas.Forgotten, 2)}, 0, tune.Judge, ""},
		"not a verdict at all": {[]*schemas.Feedback{say("ann", "perhaps", 1)}, 0, tune.Judge, ""},
	} {
		rows, _ := joinTest(10, c.labels, w.flags())
		require.Len(t, rows, 1, name)
		require.InDelta(t, c.want, rows[0].Wrong, .2, name)
		require.Equal(t, c.by, rows[0].By, name)
		require.Equal(t, c.alone, rows[0].owners[person], name)
	}
	_, notes := joinTest(10, []*schemas.Feedback{{IncidentID: "gone", User: "ann", Verdict: wrong}}, w.flags())
	require.Contains(t, fmt.Sprint(notes.Limits), "1 labelled answers have no flag")
	odd := w.flag(a, schemas.PassDeep)
	odd.SampleProbability = math.NaN()
	rows, notes := joinTest(10, nil, []*schemas.Flag{odd})
	require.Empty(t, rows)
	require.Contains(t, fmt.Sprint(notes.Limits), "no probability")
}

// TestNobodyWeighsMoreThanTheirShare: whoever writes most of the answers or labels, their weight is bounded.
func TestNobodyWeighsMoreThanTheirShare(t *testing.T) {
	for o, set := range map[owner]func(a *testAnswer, l *schemas.Feedback, hostile bool){
		service: func(a *testAnswer, _ *schemas.Feedback, hostile bool) {
			if a.service = "shop"; hostile {
				a.service = ""
			}
		},
		tenant: func(a *testAnswer, _ *schemas.Feedback, hostile bool) {
			if hostile {
				a.tenant = "evil"
			}
		},
		conversation: func(a *testAnswer, _ *schemas.Feedback, hostile bool) {
			if hostile {
				a.conversation = "one"
			}
		},
		person: func(_ *testAnswer, l *schemas.Feedback, hostile bool) {
			if hostile {
				l.User = "mallory"
			}
		},
	} {
		w := newTestTraffic(5, 1000)
		w.sampled = 1
		var labels []*schemas.Feedback
		for i := range w.answers {
			a := &w.answers[i]
			a.sampled = true
			l := personSays(a, fmt.Sprint("u", i%7))
			set(a, l, i%10 > 0)
			labels = append(labels, l)
		}
		rows, _ := joinTest(5000, labels, w.flags())
		before, most := 1000.0, map[string]float64{}
		for i := range rows {
			most[rows[i].owners[o]] += rows[i].Weight
		}
		heaviest := 0.0
		for _, weight := range most {
			heaviest = max(heaviest, weight)
		}
		require.LessOrEqual(t, heaviest, before*maxShare+1e-6, "owner %d", o)
		require.Greater(t, heaviest, before*maxShare/2, "owner %d", o)
	}
}

// TestJudgedAnswersOfManyCount: where flags are many, those that the judge read are not thinned with them, or busy traffic had too few
// of them for any refit.
func TestJudgedAnswersOfManyCount(t *testing.T) {
	w := newTestTraffic(7, 20_000)
	w.sampled = .05
	judged := 0
	for i := range w.answers {
		a := &w.answers[i]
		a.scores[0] = .9
		if a.sampled = i%20 == 0; a.sampled {
			judged++
		}
	}
	rows, notes := joinTest(1000, nil, w.flags())
	require.Equal(t, judged, notes.Judged)
	require.Len(t, rows, judged)
	total := 0.0
	for i := range rows {
		total += rows[i].Weight
	}
	require.InEpsilon(t, float64(len(w.answers)), total, .1)
	_, notes = joinTest(judged-1, nil, w.flags())
	require.InDelta(t, judged/2, notes.Judged, float64(judged)/10, "of too many a random part is kept")
}

// TestLabelledAnswersOfManyCount: of more answers than fit in memory a share is read, but all labelled ones.
func TestLabelledAnswersOfManyCount(t *testing.T) {
	w := newTestTraffic(6, 5000)
	var labels []*schemas.Feedback
	for i := range w.answers {
		if a := &w.answers[i]; len(a.fired()) == 2 && len(labels) < 40 {
			labels = append(labels, personSays(a, "ann"))
		}
	}
	rows, _ := joinTest(10, labels, w.flags())
	people := 0
	for i := range rows {
		require.Positive(t, rows[i].Weight)
		if rows[i].By == tune.Person {
			people++
		}
	}
	require.Equal(t, len(labels), people)
}
