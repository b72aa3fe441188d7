package negatives

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// all are the distinct answers that a kind of change makes of a text over many draws.
func all(answer string, find func(*editor) []change) []string {
	rows := corpus()
	pool := NewPool(rows)
	out := map[string]bool{}
	for seed := range uint64(60) {
		row := schemas.Labelled{Interaction: schemas.Interaction{Answer: answer}}
		e := editor{rng: random(seed), row: &row, view: read(answer), pool: pool}
		for _, c := range find(&e) {
			out[c.apply(answer).Answer] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

func TestNegations(t *testing.T) {
	for answer, want := range map[string][]string{
		"The pool is open to all guests.":              {"The pool is not open to all guests."},
		"The pool is not open to all guests.":          {"The pool is open to all guests."},
		"The pool isn't open to all guests.":           {"The pool is open to all guests."},
		"You can swim there at night.":                 {"You cannot swim there at night."},
		"You cannot swim there at night.":              {"You can swim there at night."},
		"The board approved the plan in March.":        {"The board did not approve the plan in March.", "The board failed to approve the plan in March."},
		"The board did not approve the plan in March.": {"The board approved the plan in March."},
		"The policy covers all damage by water.":       {"The policy does not cover all damage by water.", "The policy fails to cover all damage by water."},
		"The policy does not cover damage by water.":   {"The policy covers damage by water."},
		"The policy doesn't cover damage by water.":    {"The policy covers damage by water."},
		"They do not offer refunds after that.":        {"They offer refunds after that."},
		"He has closed his account there.":             {"He has not closed his account there."},
		"She took the train to Ottersby.":              {"She did not take the train to Ottersby.", "She failed to take the train to Ottersby."},
		"The room comes without a view of it.":         {"The room comes with a view of it."},
		"The shop no longer sells bread there.":        {"The shop still sells bread there."},
		"All plans approved by them stand now.":        nil, // a participle is no past
		"It has a garden behind the house.":            {"It does not have a garden behind the house.", "It fails to have a garden behind the house."},
		"Rooms with a view cost more there.":           {"Rooms without a view cost more there."},
		"He agreed with the others about it.":          nil,
		"They wanted to cover the roof again.":         nil, // an infinitive
		"The film could have been better lit.":         {"The film could not have been better lit."},
	} {
		require.Equal(t, want, all(answer, (*editor).negations), answer)
	}
}

func TestAntonymsAndRoles(t *testing.T) {
	require.Equal(t, []string{"It is an advanced kit for them."}, all("It is a basic kit for them.", (*editor).antonyms))
	require.Equal(t, []string{"COLD water was used there again."}, all("HOT water was used there again.", (*editor).antonyms))
	require.Empty(t, all("Prices rise and fall with demand there.", func(e *editor) []change {
		return slices.DeleteFunc(e.antonyms(), func(c change) bool { return c.with != "fall" && c.with != "rise" })
	}), "both are meant")

	require.Equal(t, []string{"The tenant pays the landlord for repairs."}, all("The landlord pays the tenant for repairs.", (*editor).roles))
	require.Equal(t, []string{"Later Peter Holm sold the mill to Anna Brandt."}, all("Later Anna Brandt sold the mill to Peter Holm.", (*editor).roles))
	require.Empty(t, all("Later Anna Brandt married and left Peter Holm.", (*editor).roles), "holds both ways")
	require.Empty(t, all("Later Anna Brandt and Peter Holm sold it.", (*editor).roles), "holds both ways")
}

func TestFiguresDatesAndNames(t *testing.T) {
	like := func(pattern, answer string, find func(*editor) []change) {
		t.Helper()
		got := all(answer, find)
		require.NotEmpty(t, got, answer)
		for _, s := range got {
			require.Regexp(t, "^"+pattern+"$", s)
			require.NotEqual(t, answer, s)
		}
	}
	like(`It costs \$[1-9],\d{3}\.\d{2} in all there\.`, "It costs $1,250.40 in all there.", (*editor).figures)
	like(`The train leaves at ([1-9]|1[0-2]):45 from there\.`, "The train leaves at 9:45 from there.", (*editor).figures)
	like(`They waited [a-z]+ [a-z]+ for their luggage\.`, "They waited three hours for their luggage.", (*editor).figures)
	like(`The bridge was built in \d{4} by them\.`, "The bridge was built in 1931 by them.", (*editor).dates)
	like(`It was built in the \d{4}s by them\.`, "It was built in the 1930s by them.", (*editor).dates)
	like(`They met [A-Z][a-z]+ on the third\.`, "They met Friday on the third.", (*editor).dates)
	like(`They were led by [A-Z]\w+ [A-Z]\w+ at the time\.`, "They were led by Olga Reyes at the time.", (*editor).names)
	like(`It was [A-Z]\w+ [A-Z]\w+'s idea at the time\.`, "It was Olga Reyes's idea at the time.", (*editor).names)

	require.Empty(t, all("It may rain in the hills again.", (*editor).dates), "no month")
	require.Empty(t, all("May cause drowsiness in some of them.", (*editor).dates), "no month")
	require.Empty(t, all("How To Plant And Prune Your Own Roses", (*editor).names), "a heading")
	like(`They say that Mr\. [A-Z]\w+ called\.`, "They say that Mr. Reyes called.", (*editor).names)
	require.Empty(t, all("In Monday's paper there were three of them.", (*editor).names), "no name")
}

func TestHarmlessChanges(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		find   func(*editor) []change
		want   []string
	}{
		"order":               {"They sell apples, pears, and plums.", (*editor).orders, []string{"They sell apples, plums, and pears."}},
		"order of a clause":   {"He came, he saw, and he won.", (*editor).orders, nil},
		"order of two":        {"They sell pears and plums there.", (*editor).orders, nil},
		"digits":              {"Wait for two hours before you swim.", (*editor).digits, []string{"Wait for 2 hours before you swim."}},
		"words":               {"Wait for 2 hours before you swim.", (*editor).digits, []string{"Wait for two hours before you swim."}},
		"no digits: dates":    {"They met on May 2 last year.", (*editor).digits, nil},
		"no digits: hyphen":   {"There were twenty-two of them left.", (*editor).digits, nil},
		"no digits: prices":   {"It costs $2 at the door.", (*editor).digits, nil},
		"no digits: fraction": {"They carry for 6 1/2 months there.", (*editor).digits, nil},
		"contraction":         {"They do not sell bread on Sundays.", (*editor).contractions, []string{"They don't sell bread on Sundays."}},
		"expansion":           {"Don't eat before you swim there.", (*editor).contractions, []string{"Do not eat before you swim there."}},
		"synonym":             {"It is an inexpensive eatery for them.", (*editor).synonyms, []string{"It is a cheap eatery for them.", "It is an affordable eatery for them.", "It is an inexpensive restaurant for them."}},
		"opposite":            {"The pool is open to all guests.", (*editor).denials, []string{"The pool is not closed to all guests."}},
		"opposite: attribute": {"It is open source to all guests.", (*editor).denials, nil},
		"opposite: denied":    {"It is open, but not to all guests.", (*editor).denials, nil},
		"dropped":             {"One thing is known. It was sold. It burned.", (*editor).drops, []string{"One thing is known. It burned.", "One thing is known. It was sold."}},
		"dropped of two":      {"One thing is known. It was sold.", (*editor).drops, nil},
		"name, not synonym":   {"Then they joined the Big Company Trust.", (*editor).synonyms, nil},
		"nothing to contract": {"They sold the mill to him.", (*editor).contractions, nil},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, all(c.answer, c.find)) })
	}
}

func TestLexicon(t *testing.T) {
	require.GreaterOrEqual(t, len(split(antonymPairs)), 150)
	require.GreaterOrEqual(t, len(split(synonymPairs)), 150)
	for name, list := range map[string]string{"antonyms": antonymPairs, "one way": oneWay, "synonyms": synonymPairs} {
		seen := map[string]bool{}
		for _, pair := range split(list) {
			words := strings.Fields(pair)
			require.Len(t, words, 2, "%s: %q", name, pair)
			require.NotEqual(t, words[0], words[1], name)
			require.False(t, seen[words[0]+" "+words[1]] || seen[words[1]+" "+words[0]], "%s twice: %q", name, pair)
			seen[pair] = true
		}
	}
	for word, others := range opposites {
		for _, other := range others {
			require.NotContains(t, synonymsOf[word], other, "no opposite means the same")
		}
	}
	for word, other := range roleWords {
		require.Equal(t, word, roleWords[other], "roles face each other")
	}
	for base, past := range pasts {
		require.Equal(t, base, bases[past], "a form has one base")
		require.Equal(t, base, bases[third(base)], "a form has one base")
	}
}
