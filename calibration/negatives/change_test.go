package negatives

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// allChanges are the distinct results of a kind of edit over many seeds.
func allChanges(answer string, find func(*textEditor) []replacement) []string {
	rows := testCorpus()
	pool := NewPool(rows)
	out := map[string]bool{}
	for seed := range uint64(60) {
		row := schemas.Labelled{Interaction: schemas.Interaction{Answer: answer}}
		e := textEditor{rng: newRandom(seed), row: &row, view: parseText(answer), pool: pool}
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
		"All plans approved by them stand now.":        nil, // a participle is not a past form
		"It has a garden behind the house.":            {"It does not have a garden behind the house.", "It fails to have a garden behind the house."},
		"Rooms with a view cost more there.":           {"Rooms without a view cost more there."},
		"He agreed with the others about it.":          nil,
		"They wanted to cover the roof again.":         nil, // an infinitive
		"The film could have been better lit.":         {"The film could not have been better lit."},
	} {
		require.Equal(t, want, allChanges(answer, (*textEditor).negations), answer)
	}
}

func TestAntonymsAndRoles(t *testing.T) {
	require.Equal(t, []string{"It is an advanced kit for them."}, allChanges("It is a basic kit for them.", (*textEditor).antonyms))
	require.Equal(t, []string{"COLD water was used there again."}, allChanges("HOT water was used there again.", (*textEditor).antonyms))
	require.Empty(t, allChanges("Prices rise and fall with demand there.", func(e *textEditor) []replacement {
		return slices.DeleteFunc(e.antonyms(), func(c replacement) bool { return c.newText != "fall" && c.newText != "rise" })
	}), "both are meant")

	require.Equal(t, []string{"The tenant pays the landlord for repairs."}, allChanges("The landlord pays the tenant for repairs.", (*textEditor).roles))
	require.Equal(t, []string{"Later Peter Holm sold the mill to Anna Brandt."}, allChanges("Later Anna Brandt sold the mill to Peter Holm.", (*textEditor).roles))
	require.Empty(t, allChanges("Later Anna Brandt married and left Peter Holm.", (*textEditor).roles), "holds both ways")
	require.Empty(t, allChanges("Later Anna Brandt and Peter Holm sold it.", (*textEditor).roles), "holds both ways")
}

func TestFiguresDatesAndNames(t *testing.T) {
	like := func(pattern, answer string, find func(*textEditor) []replacement) {
		t.Helper()
		got := allChanges(answer, find)
		require.NotEmpty(t, got, answer)
		for _, s := range got {
			require.Regexp(t, "^"+pattern+"$", s)
			require.NotEqual(t, answer, s)
		}
	}
	like(`It costs \$[1-9],\d{3}\.\d{2} in all there\.`, "It costs $1,250.40 in all there.", (*textEditor).figures)
	like(`The train leaves at ([1-9]|1[0-2]):45 from there\.`, "The train leaves at 9:45 from there.", (*textEditor).figures)
	like(`They waited [a-z]+ [a-z]+ for their luggage\.`, "They waited three hours for their luggage.", (*textEditor).figures)
	like(`The bridge was built in \d{4} by them\.`, "The bridge was built in 1931 by them.", (*textEditor).dates)
	like(`It was built in the \d{4}s by them\.`, "It was built in the 1930s by them.", (*textEditor).dates)
	like(`They met [A-Z][a-z]+ on the third\.`, "They met Friday on the third.", (*textEditor).dates)
	like(`They were led by [A-Z]\w+ [A-Z]\w+ at the time\.`, "They were led by Olga Reyes at the time.", (*textEditor).names)
	like(`It was [A-Z]\w+ [A-Z]\w+'s idea at the time\.`, "It was Olga Reyes's idea at the time.", (*textEditor).names)

	require.Empty(t, allChanges("It may rain in the hills again.", (*textEditor).dates), "no month")
	require.Empty(t, allChanges("May cause drowsiness in some of them.", (*textEditor).dates), "no month")
	require.Empty(t, allChanges("How To Plant And Prune Your Own Roses", (*textEditor).names), "a heading")
	like(`They say that Mr\. [A-Z]\w+ called\.`, "They say that Mr. Reyes called.", (*textEditor).names)
	require.Empty(t, allChanges("In Monday's paper there were three of them.", (*textEditor).names), "no name")
}

func TestPreservingEdits(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		find   func(*textEditor) []replacement
		want   []string
	}{
		"order":               {"They sell apples, pears, and plums.", (*textEditor).orders, []string{"They sell apples, plums, and pears."}},
		"order of a clause":   {"He came, he saw, and he won.", (*textEditor).orders, nil},
		"order of two":        {"They sell pears and plums there.", (*textEditor).orders, nil},
		"digits":              {"Wait for two hours before you swim.", (*textEditor).digits, []string{"Wait for 2 hours before you swim."}},
		"words":               {"Wait for 2 hours before you swim.", (*textEditor).digits, []string{"Wait for two hours before you swim."}},
		"no digits: dates":    {"They met on May 2 last year.", (*textEditor).digits, nil},
		"no digits: hyphen":   {"There were twenty-two of them left.", (*textEditor).digits, nil},
		"no digits: prices":   {"It costs $2 at the door.", (*textEditor).digits, nil},
		"no digits: fraction": {"They carry for 6 1/2 months there.", (*textEditor).digits, nil},
		"contraction":         {"They do not sell bread on Sundays.", (*textEditor).contractions, []string{"They don't sell bread on Sundays."}},
		"expansion":           {"Don't eat before you swim there.", (*textEditor).contractions, []string{"Do not eat before you swim there."}},
		"synonym":             {"It is an inexpensive eatery for them.", (*textEditor).synonyms, []string{"It is a cheap eatery for them.", "It is an affordable eatery for them.", "It is an inexpensive restaurant for them."}},
		"opposite":            {"The pool is open to all guests.", (*textEditor).denials, []string{"The pool is not closed to all guests."}},
		"opposite: attribute": {"It is open source to all guests.", (*textEditor).denials, nil},
		"opposite: denied":    {"It is open, but not to all guests.", (*textEditor).denials, nil},
		"dropped":             {"One thing is known. It was sold. It burned.", (*textEditor).drops, []string{"One thing is known. It burned.", "One thing is known. It was sold."}},
		"dropped of two":      {"One thing is known. It was sold.", (*textEditor).drops, nil},
		"name, not synonym":   {"Then they joined the Big Company Trust.", (*textEditor).synonyms, nil},
		"nothing to contract": {"They sold the mill to him.", (*textEditor).contractions, nil},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, allChanges(c.answer, c.find)) })
	}
}

func TestLexicon(t *testing.T) {
	require.GreaterOrEqual(t, len(splitPairs(antonymPairs)), 150)
	require.GreaterOrEqual(t, len(splitPairs(synonymPairs)), 150)
	for name, list := range map[string]string{"antonyms": antonymPairs, "one way": oneWay, "synonyms": synonymPairs} {
		seen := map[string]bool{}
		for _, pair := range splitPairs(list) {
			words := strings.Fields(pair)
			require.Len(t, words, 2, "%s: %q", name, pair)
			require.NotEqual(t, words[0], words[1], name)
			require.False(t, seen[words[0]+" "+words[1]] || seen[words[1]+" "+words[0]], "%s twice: %q", name, pair)
			seen[pair] = true
		}
	}
	for word, others := range antonymsAndWeaker {
		for _, other := range others {
			require.NotContains(t, synonymsOf[word], other, "no opposite means the same")
		}
	}
	for word, other := range roleWords {
		require.Equal(t, word, roleWords[other], "roles face each other")
	}
	for base, past := range pastForms {
		require.Equal(t, base, baseForms[past], "a form has one base")
		require.Equal(t, base, baseForms[thirdPerson(base)], "a form has one base")
	}
}
