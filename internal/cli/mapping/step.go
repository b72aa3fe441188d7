package mapping

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"confab/schemas/json/llmapi"
)

// stepParts are the places, in steps that hold a call of a tool and what came of it, of the name, of what was given and of what came back:
// of two that hold data the one of which the answer says more than the question. said has question and answer of each run; nil for other
// steps.
func stepParts(runs [][]event, said [][2]string, accepts func(p string, values []string) bool) []string {
	all := slices.Concat(runs...)
	if len(all) == 0 {
		return nil
	}
	name := bestOf(all, accepts, isToolName, func(p string, values []string) int {
		isOther := func(v string) bool { return !compound.MatchString(v) }
		return boolToInt(isNamed(p, toolWords))<<20 - strings.Count(p, "/")<<11 - boolToInt(slices.ContainsFunc(values, isOther))<<10 - distinct(values)
	})
	data := dataPlaces(all, name, accepts)
	if name == "" || len(data) != 2 {
		return nil
	}
	rate := func(p string) (score float64) {
		for i, run := range runs {
			for _, value := range column(run, p) {
				score += share(value, said[i][1]) - share(value, said[i][0])
			}
		}
		return score/float64(len(all)) + float64(boolToInt(isNamed(p, outcomeWords))-boolToInt(isNamed(p, givenWords)))
	}
	given, gave := data[0], data[1]
	if rate(given) > rate(gave) {
		given, gave = gave, given
	}
	if !isJSON(column(all, given)[0]) {
		return nil
	}
	return []string{name, given, gave}
}

const (
	givenWords   = "arguments args arg argumente params parameters input in request given with"
	outcomeWords = "result results output out obs observation return returned response gave got yield ergebnis ausgabe"
)

// dataPlaces are the outer places of objects and lists beside a name, and where there is but one also those of sentences that are no
// thoughts.
func dataPlaces(all []event, name string, accepts func(p string, values []string) bool) (data []string) {
	places := event{}
	for _, e := range all {
		maps.Copy(places, e)
	}
	add := func(is func(v string) bool) {
		for _, p := range slices.Sorted(maps.Keys(places)) {
			values := column(all, p)
			isThought := slices.ContainsFunc(nameWords(lastName(p)), func(w string) bool { return says(w, nothing) > 1 })
			if p != "" && !liesIn(p, data) && !isThought && !strings.HasPrefix(name+"/", p+"/") && 5*len(values) >= 4*len(all) && accepts(p, values) && !slices.ContainsFunc(values, func(v string) bool { return !is(v) }) {
				data = append(data, p)
			}
		}
	}
	if add(isJSON); len(data) == 1 {
		add(func(v string) bool { return strings.Contains(v, " ") || isJSON(v) })
	}
	return data
}

// liesIn reports one of the places, or one in them.
func liesIn(p string, places []string) bool {
	return slices.ContainsFunc(places, func(outer string) bool { return strings.HasPrefix(p+"/", outer+"/") })
}

func isJSON(v string) bool { return strings.IndexAny(v, "{[") == 0 }

// share is which part of the words of a value a text has.
func share(value, text string) float64 {
	words := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(` {}[]":,`, r) })
	found := 0
	for _, w := range words {
		found += boolToInt(strings.Contains(text, w))
	}
	return float64(found) / float64(max(1, len(words)))
}

// tellSteps finds kinds that hold a call and what came of it.
func (k *kinds) tellSteps(words []string, accepts func(p string, values []string) bool) (found bool) {
	said := make([][2]string, len(k.runs))
	for i, run := range k.runs {
		for _, e := range run {
			is, place, _ := strings.Cut(k.is[e[k.who]], " ")
			said[i][boolToInt(is != "user")] += " " + e[place]
		}
	}
	for _, word := range words {
		steps := make([][]event, len(k.runs))
		for i, run := range k.runs {
			steps[i] = slices.DeleteFunc(slices.Clone(run), func(e event) bool { return e[k.who] != word })
		}
		if parts := stepParts(steps, said, func(p string, v []string) bool { return p != k.who && accepts(p, v) }); parts != nil {
			k.is[word], found = "tool "+strings.Join(parts, " "), true
		}
	}
	return found
}

// steps is the place of a list of steps that hold a call and what came of it, with the names of these; nil for none.
func (s *survey) steps(c *choices) (list *place, names string) {
	said := make([][2]string, len(s.records))
	for k, texts := range [][]*candidate{c.questions, c.answers} {
		for i := 0; i < len(said) && len(texts) > 0; i++ {
			said[i][k] = texts[0].texts[i]
		}
	}
	for _, at := range s.order {
		if inner(at.steps) > 0 || at.lists == 0 {
			continue
		}
		runs := s.runs(at).runs
		for i := range runs {
			runs[i] = slices.DeleteFunc(runs[i], event.namesNoTool)
		}
		parts := stepParts(runs, said, isShallow)
		if parts != nil && areSteps(parts, slices.Concat(runs...)) {
			return at, "name=" + parts[0] + " arguments=" + parts[1] + " result=" + parts[2] + " " + errorOf(slices.Concat(runs...))
		}
	}
	return nil, ""
}

// isShallow reports a member, or one of a member.
func isShallow(p string, _ []string) bool { return strings.Count(p, "/") < 3 }

// namesNoTool reports a step in which no member says the name of a tool.
func (e event) namesNoTool() bool {
	for p, v := range e {
		if (isNamed(p, toolWords) || namesTools(p, []string{v})) && isShallow(p, nil) && isToolName(v) {
			return false
		}
	}
	return true
}

// errorOf names the member that says in a text what failed, in less than half of the steps; "" for none.
func errorOf(all []event) string {
	said := map[string]int{}
	for _, e := range all {
		for p, v := range e {
			said[p] += boolToInt(isShallow(p, nil) && llmapi.FailWord.MatchString(lastName(p)) && strings.ContainsFunc(v, unicode.IsLetter) && v != "true" && v != "false" && !isJSON(v))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(said)) {
		if said[p] > 0 && 2*said[p] < len(all) {
			return "error=" + p + " "
		}
	}
	return ""
}

// areSteps reports places whose names, or values, say that they are those of calls.
func areSteps(parts []string, all []event) bool {
	return namesTools(parts[0], column(all, parts[0])) || isNamed(parts[0], toolWords) && (isNamed(parts[1], givenWords) || isNamed(parts[2], outcomeWords))
}

// snake is what names of functions look like, unlike those of files.
var snake = regexp.MustCompile(`^\p{Ll}+(?:_\p{Ll}+)+$|^\p{Ll}+\p{Lu}\pL*$`)

// namesTools reports a place of names of functions, and not of documents.
func namesTools(p string, values []string) bool {
	isOfText := slices.ContainsFunc(nameWords(lastName(p)), func(w string) bool { return says(w, sources)+says(w, nothing) > 0 })
	return !isOfText && !slices.ContainsFunc(values, func(v string) bool { return !snake.MatchString(v) })
}
