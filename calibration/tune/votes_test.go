package tune

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration/measure"
)

// electorate votes down so many of the wrong answers, and up so many of the fine ones.
type electorate struct {
	what           string
	found, cleared float64
	most           float64 // cost in parts of that of labels alone
}

// TestVotesHelp draws labels, and ten votes for each of them, many times. Tuned with both, answers that nobody labelled or voted on must
// cost no more than tuned with labels alone, whatever the votes are worth, and less if they are good.
func TestVotesHelp(t *testing.T) {
	all := readTraffic(t)
	for k, who := range []electorate{
		{"65 % right", 0.65, 0.65, 1.002},
		{"rare, but 65 %", 0.4, 0.9, 1.002},
		{"at random", 0.5, 0.5, 1.005},
		{"the opposite", 0.35, 0.35, 1.01},
		{"90 % right", 0.9, 0.9, 1},
	} {
		t.Run(who.what, func(t *testing.T) {
			t.Parallel()
			line := ""
			for _, n := range sizes() {
				if n == 300 && *drawsOfEach < 20 {
					continue // takes long
				}
				var labels, both float64
				for i, tr := range all {
					draws := *drawsOfEach
					if strings.Contains(tr.name, "/") {
						draws = (draws + 2) / 3 // of each author
					}
					rng := rand.New(rand.NewPCG(uint64(i), uint64(n+1000*k)))
					for _, base := range rates() {
						for range draws {
							before, withLabels, withBoth := tr.drawVotes(t, rng, n, base, who)
							labels, both = labels+withLabels/before, both+withBoth/before
						}
					}
				}
				require.LessOrEqual(t, both/labels, who.most, n)
				line += fmt.Sprintf(" %+.2f %% |", 100*(both/labels-1))
			}
			t.Logf("| %s |%s", who.what, line)
		})
	}
}

// Votes alone change nothing, and one user, or an unknown one of a conversation, has the weight of one label at most.
func TestVotesAreBounded(t *testing.T) {
	var votes []Vote
	for i, row := range answersOf(someTraffic(rand.New(rand.NewPCG(3, 3)), 4000, 0.5, 0)) {
		row.Group = fmt.Sprint(i)
		votes = append(votes, Vote{Row: row, User: "ann", Down: true})
	}
	o := options(t)
	o.Votes = votes
	file, r := mustFit(t, nil, o)
	require.Equal(t, o.Current.File(), file.File())
	require.Empty(t, r.Changes)
	require.Equal(t, map[Source]int{Votes: 4000}, r.Labels.By)

	rows := someTraffic(rand.New(rand.NewPCG(4, 4)), 300, 0.15, 0)
	weightOf := func(votes []Vote) (w float64) {
		s := newSample(rows, nil, nil)
		before := s.wrong + s.right
		s.addVotes(votes, o.Current)
		return s.wrong + s.right - before
	}
	require.InDelta(t, 1, weightOf(votes), 1e-6, "of one user")
	for i := range votes {
		votes[i].User = votes[i].Group
	}
	require.InDelta(t, 100, weightOf(votes), 1e-6, "of many users: a third of the labels")
	for i := range votes {
		votes[i].Group, votes[i].User = "c", ""
	}
	require.InDelta(t, 1, weightOf(votes), 1e-6, "of nobody in one conversation")
}

// drawVotes returns what answers of other groups cost before, with labels, and with votes, too.
func (tr *traffic) drawVotes(t *testing.T, rng *rand.Rand, n int, base float64, who electorate) (before, labels, both float64) {
	t.Helper()
	labelled := map[string]bool{}
	var pools [2][]measure.Row
	var rest []measure.Row
	for _, a := range tr.answers {
		if _, known := labelled[a.group]; !known {
			labelled[a.group] = rng.IntN(2) == 0
		}
		if k := boolInt(a.row.Positive); labelled[a.group] {
			pools[k] = append(pools[k], a.row)
		} else {
			rest = append(rest, a.row)
		}
	}
	pick := func() measure.Row {
		pool := pools[boolInt(rng.Float64() < base)]
		return pool[rng.IntN(len(pool))]
	}
	var rows []Row
	for range n {
		r := pick()
		rows = append(rows, Row{Row: r, Wrong: indicator(r.Positive)})
	}
	var votes []Vote
	for i := range 10 * n {
		v := Vote{Row: pick(), User: fmt.Sprint(i)}
		if v.Group = v.User; v.Positive {
			v.Down = rng.Float64() < who.found
		} else {
			v.Down = rng.Float64() >= who.cleared
		}
		votes = append(votes, v)
	}
	tuned := func(votes []Vote) float64 {
		f := &fitRun{o: Options{Current: tr.current, Policy: twoOrMore{}, Now: time.Unix(0, 0), Fingerprint: "0", Votes: votes}, rows: sortRows(rows), file: tr.current.File()}
		next, err := f.learn(tr.known)
		require.NoError(t, err)
		return judgeAll(rest, next).cost(base)
	}
	return judgeAll(rest, tr.current).cost(base), tuned(nil), tuned(votes)
}
