package mapping

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"confab/schemas/json/llmapi"
)

// event is a record, or a step in a list: its values by their pointers, objects and lists as JSON.
type event map[string]string

// kinds are what the words at a place say of events, told by what these hold and where they stand in a run.
type kinds struct {
	by, list *place // of joined records their run, or the list of steps
	named    bool   // its name says that it is one
	foreign  bool   // the words of the user, or of answers, do not say it
	known    bool   // all words do
	who      string // the pointer in an event
	answer   string // the word of answers
	said     string // the pointer to their text
	is       map[string]string
	events   map[string][]event
	runs     [][]event
}

// kindPhrase is what says which kind an event is: a word, or a few.
var kindPhrase = regexp.MustCompile(`^[\pN_.-]*\pL[\pL\pN_.-]{0,39}( [\pL\pN_.-]{1,20}){0,3}$`)

func eventOf(v any) event {
	e := event{}
	var visit func(v any, at string, depth int)
	visit = func(v any, at string, depth int) {
		if text, ok := v.(string); ok {
			e[at] = text
		} else if raw, err := json.Marshal(v); err == nil && v != nil && at != "" {
			e[at] = string(raw)
		}
		if o, ok := v.(map[string]any); ok && depth < 3 {
			for _, name := range slices.Sorted(maps.Keys(o)) {
				visit(o[name], at+"/"+escape(name), depth+1)
			}
		}
	}
	visit(v, "", 0)
	return e
}

// findKinds finds the kinds of records of a run, or of steps in a list; nil where they are not told. Where they are not known, those of who
// speaks alone do.
func (s *survey) findKinds(known bool) (unsure *kinds) {
	var tries []*kinds
	for _, at := range s.order {
		if k := s.runs(at); k != nil {
			tries = append(tries, k)
		}
	}
	rank := func(k *kinds) int { // of other names the most runs: a region has few
		if k.named {
			return len(k.runs) - len(s.records) - 1
		}
		return -len(k.runs) + len(s.records)
	}
	slices.SortStableFunc(tries, func(a, b *kinds) int { return rank(a) - rank(b) })
	for _, k := range tries {
		if k.tell() {
			return k
		}
		if (!known || k.foreign) && k.named && unsure == nil && len(k.is) > 3-boolToInt(k.list != nil) && len(k.runs) > 2 {
			unsure = k
		}
	}
	return unsure
}

// runs are the steps in the lists at a place, or the records by the id that lies there; nil for another place.
func (s *survey) runs(at *place) *kinds {
	ids := rule{words: sessionWords + " " + idWords + " trace task", not: "user customer", accepts: isToken}
	if inner(at.steps) == 0 && at.lists > 0 {
		k := &kinds{list: at, named: true, runs: make([][]event, len(s.records))}
		for i, record := range s.records {
			list, _ := find(record, at.steps).([]any)
			for _, item := range list {
				k.runs[i] = append(k.runs[i], eventOf(item))
			}
		}
		return k
	}
	if !ids.fits(at, len(s.records)) || ids.named(at.steps) < 0 {
		return nil
	}
	group := map[string][]event{}
	for i, id := range at.chosen(len(s.records)) {
		group[id] = append(group[id], eventOf(s.records[i]))
	}
	k := &kinds{by: at, named: ids.named(at.steps) > 0}
	for _, id := range slices.Sorted(maps.Keys(group)) { // so that the same is shown each time
		k.runs = append(k.runs, group[id])
	}
	return k
}

// tell finds the place of the words, and what each says.
func (k *kinds) tell() bool {
	all := slices.Concat(k.runs...)
	if len(all) == 0 {
		return false
	}
	for _, who := range slices.Sorted(maps.Keys(all[0])) {
		const most = 16
		k.who, k.answer, k.is, k.events = who, "", map[string]string{}, map[string][]event{}
		for _, e := range all {
			k.events[e[who]] = append(k.events[e[who]], e)
		}
		words := slices.Sorted(maps.Keys(k.events))
		isOther := func(w string) bool { return !kindPhrase.MatchString(w) }
		if len(words) < 2+boolToInt(k.list != nil) || len(words) > most || slices.ContainsFunc(words, isOther) || k.sameShape() || !k.tellSpeakers() {
			continue
		}
		isForeign := func(w string) bool {
			is := strings.NewReplacer(llmapi.KindAnswer+" ", "assistant ", llmapi.EventError+" ", llmapi.EventResult+" ").Replace(k.is[w])
			return is != "" && is != "none" && !strings.HasPrefix(is, cmp.Or(llmapi.EventKind(w), unknownKind))
		}
		k.foreign = slices.ContainsFunc(words, isForeign)
		told := k.tellCalls(words)
		k.known = told && !slices.ContainsFunc(words, isForeign)
		return told
	}
	k.is = nil
	return false
}

// sameShape reports events that have nearly the same members whatever the word is: whole records, of no kind.
func (k *kinds) sameShape() bool {
	in := map[string]int{} // words by place
	for _, events := range k.events {
		places := map[string]bool{}
		for _, e := range events {
			for p := range e {
				places[p] = true
			}
		}
		for p := range places {
			in[p]++
		}
	}
	common := 0
	for _, n := range in {
		common += boolToInt(n == len(k.events))
	}
	return 5*common > 4*len(in)
}

// tellSpeakers finds who begins runs with a text, the user, and who ends them.
func (k *kinds) tellSpeakers() bool {
	said := k.texts()
	begins, ends := k.turns(said)
	for word := range k.events {
		switch {
		case 5*begins[word] >= 3*len(k.runs) && ends[word] <= 1+len(k.runs)/10: // the sample cuts a run
			k.is[word] = "user " + said[word]
		case 5*ends[word] >= 3*len(k.runs) && begins[word] == 0:
			k.is[word], k.answer, k.said = llmapi.KindAnswer+" "+said[word], word, said[word]
		}
	}
	return len(k.is) == 2 || k.list != nil && len(k.is) == 1 && k.answer != "" // the user stands beside the list
}

// texts are the places where events of each word say something.
func (k *kinds) texts() map[string]string {
	said := map[string]string{}
	for word, events := range k.events {
		said[word] = mostText(events, func(p string, _ []string) bool { return p != k.who }, isSentence)
		kind := llmapi.EventKind(word) // a retrieval alone has the question
		isSilent := kind == llmapi.EventCall || kind == llmapi.EventResult || kind == "tool" && len(k.events) > 2 ||
			slices.ContainsFunc(nameWords(word), func(w string) bool { return says(w, nothing) > 1 })
		if texts := column(events, said[word]); isSilent || len(texts) > 2 && 3*distinct(texts) <= len(texts) {
			said[word] = "" // what is always the same asks nothing
		}
	}
	return said
}

// turns are in how many runs a word is the first that says something to someone, and the last.
func (k *kinds) turns(said map[string]string) (begins, ends map[string]int) {
	begins, ends = map[string]int{}, map[string]int{}
	for _, run := range k.runs {
		run = slices.DeleteFunc(slices.Clone(run), func(e event) bool { return said[e[k.who]] == "" })
		if first := slices.IndexFunc(run, func(e event) bool { return llmapi.EventKind(e[k.who]) != llmapi.EventIdle }); first >= 0 && first < len(run)-1 {
			begins[run[first][k.who]]++
		}
		if len(run) > 1 || len(run) == 1 && k.list != nil {
			ends[run[len(run)-1][k.who]]++
		}
	}
	return begins, ends
}

// toolName is what the name of a tool looks like, and compound what most look like.
var (
	toolName = regexp.MustCompile(`^\pL[\pL\d_.:-]*$`)
	compound = regexp.MustCompile(`^\pL+(?:[_.:-]\pL+)+$|^\p{Ll}+\p{Lu}\pL*$`)
)

func isToolName(v string) bool { return toolName.MatchString(v) && v != "true" && v != "false" }

const toolWords = "tool function fn func name action api skill op operation method werkzeug funktion"

// tellCalls finds calls, results and passages: kinds that repeat a name or an id of another kind before them, in a place that no one who speaks has.
func (k *kinds) tellCalls(words []string) (found bool) {
	var spoken []event
	for word := range k.is {
		spoken = append(spoken, k.events[word]...)
	}
	own := func(p string, _ []string) bool { return 4*len(column(spoken, p)) < len(spoken) }
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return k.is[w] != "" })
	for _, call := range words {
		for _, result := range words {
			if places := k.tellCall(call, result, own); places[0] != "" {
				k.is[call], k.is[result], found = strings.TrimSpace("call "+places[0]), k.resultKind(call, result, places[1]), true
			}
		}
	}
	found = k.tellSteps(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return k.is[w] != "" }), own) || found
	found = k.list == nil && k.tellPassages() || found
	byWord := map[string]string{llmapi.EventCall: "call", llmapi.EventResult: "result"}
	for _, word := range words {
		is := unknownKind
		if found {
			is = cmp.Or(byWord[llmapi.EventKind(word)], "none")
			if is == llmapi.EventResult && llmapi.FailWord.MatchString(word) {
				is = llmapi.EventError
			}
		}
		k.is[word] = cmp.Or(k.is[word], is)
	}
	return found
}

// tellPassages finds the passages that kinds of records hold, also beside the text of the user. Where all speak, none need be found.
func (k *kinds) tellPassages() (found bool) {
	isList := func(v string) bool { return v[0] == '[' && strings.Contains(v, " ") }
	isNamed := func(p string, _ []string) bool {
		return slices.ContainsFunc(nameWords(lastName(p)), func(w string) bool { return says(w, sources) > 1 })
	}
	found = len(k.is) == len(k.events)
	for word, events := range k.events {
		is := cmp.Or(k.is[word], llmapi.EventResult)
		if at := mostText(events, isNamed, isList); at != "" && (is == llmapi.EventResult || strings.HasPrefix(is, "user ")) {
			k.is[word], found = is+" "+at, true
		}
	}
	return found
}

// resultKind is what a kind of results of calls is: an error, if its word says so, or the name of its text where most calls have another
// result.
func (k *kinds) resultKind(call, result, places string) string {
	text, _, _ := strings.Cut(places, " ")
	isRare := 2*len(k.events[result]) < len(k.events[call])
	if llmapi.FailWord.MatchString(result) || isRare && llmapi.FailWord.MatchString(lastName(text)) {
		return llmapi.EventError + " " + places
	}
	return llmapi.EventResult + " " + places
}

// tellCall are the places of a kind of calls and of its results; none for other kinds.
func (k *kinds) tellCall(call, result string, own func(p string, values []string) bool) (places [2]string) {
	own = k.ownOf(call, result, own)
	id, ref, isID := k.link(call, result, own)
	if id == "" || call == result {
		return places
	}
	name := id
	if isID {
		name = k.nameBeside(call, id, k.outside(own, "", id))
	}
	given, gave := mostText(k.events[call], k.outside(own, givenWords, id, name), isData), mostText(k.events[result], k.outside(own, outcomeWords, ref, name), isData)
	switch {
	case name == "" || given == "" || gave == "" || strings.Count(given, "/") > 1 && !isJSON(column(k.events[call], given)[0]):
		return places
	case name == id:
		return [2]string{name + " " + given, gave}
	}
	return [2]string{name + " " + given + " " + id, gave + " " + ref}
}

// ownOf says which places are of kinds whose words say that they are a call and its result, who may write where others speak; none for
// words that say something else.
func (k *kinds) ownOf(call, result string, own func(p string, values []string) bool) func(p string, values []string) bool {
	switch is, gave := llmapi.EventKind(call), llmapi.EventKind(result); {
	case is == llmapi.EventResult, gave == llmapi.EventCall:
		return func(string, []string) bool { return false }
	case is == llmapi.EventCall && gave == llmapi.EventResult:
		return func(p string, _ []string) bool { return k.by == nil || p != pointer(k.by.steps) }
	}
	return own
}

// outside accepts places that no one who speaks has, or whose name says it, but for those given and what they lie in.
func (k *kinds) outside(own func(p string, v []string) bool, words string, at ...string) func(p string, v []string) bool {
	return func(p string, v []string) bool {
		return (own(p, v) || strings.Count(p, "/") == 1 && isNamed(p, words)) && p != k.who && !slices.ContainsFunc(at, func(a string) bool { return strings.HasPrefix(a+"/", p+"/") })
	}
}

// nameBeside is the place of the name of a tool in a kind of calls that has ids, which may be names.
func (k *kinds) nameBeside(call, id string, accepts func(p string, v []string) bool) string {
	name := bestOf(k.events[call], accepts, isToolName, func(p string, v []string) int {
		return -strings.Count(p, "/")<<20 + boolToInt(isNamed(p, toolWords))<<19 - distinct(v)
	})
	if !isIDName(id) && (name == "" || strings.Count(name, "/") > strings.Count(id, "/")) {
		return id
	}
	return name
}

// link is the place in calls of which results after them in the run repeat the value, and that in these. isID: the value tells a call from
// the others of its run, and is no name.
func (k *kinds) link(call, result string, own func(p string, values []string) bool) (id, ref string, isID bool) {
	top := 0
	for _, p := range slices.Sorted(maps.Keys(k.events[call][0])) {
		values := column(k.events[call], p)
		if p == k.who || !own(p, values) || 5*len(values) < 4*len(k.events[call]) || slices.ContainsFunc(values, isNoToken) {
			continue
		}
		for _, q := range slices.Sorted(maps.Keys(k.events[result][0])) {
			if !own(q, nil) || lastName(p) != lastName(q) && (!isIDName(p) || !isIDName(q)) {
				continue
			}
			if score, is := k.rate(call, p, result, q, values); score > top {
				top, id, ref, isID = score, p, q, is
			}
		}
	}
	return id, ref, isID
}

func isNoToken(v string) bool { return !token.MatchString(v) || isJSON(v) }

// rate rates a pair of places that link calls and results; 0 for others.
func (k *kinds) rate(call, p, result, q string, values []string) (score int, isID bool) {
	repeats, unique := k.repeats(call, p, result, q)
	isID = unique && tellsApart(p, values)
	if !repeats || !isID && !isToolName(values[0]) {
		return 0, isID
	}
	depth := strings.Count(p, "/") + strings.Count(q, "/")
	return 1<<30 - depth<<22 + boolToInt(isID)<<21 + boolToInt(isIDName(p) || !isID && isNamed(p, toolWords))<<20 + distinct(values), isID
}

// tellsApart reports the place of ids by its name or its values.
func tellsApart(p string, values []string) bool {
	return isIDName(p) || !isNamed(p, toolWords) && 10*distinct(values) >= 9*len(values) ||
		!slices.ContainsFunc(values, func(v string) bool { return !idText.MatchString(v) })
}

func lastName(p string) string { return p[strings.LastIndex(p, "/")+1:] }

func isIDName(p string) bool { return isNamed(p, idWords+" call cid") }

// isNamed reports whether the last name of a pointer has one of the words.
func isNamed(p, words string) bool {
	return slices.ContainsFunc(nameWords(lastName(p)), func(w string) bool { return hasWord(words, w) })
}

func distinct(values []string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(values))))
}

// unknownKind is what a map says of a word that is to be filled in, which no input takes.
const unknownKind = `"?"`

func isData(v string) bool { return !isTime(v) }

// repeats reports places of which the values in results are those of a call before them, and unique that calls of a run share none.
func (k *kinds) repeats(call, p, result, q string) (repeats, unique bool) {
	n, same, calls, twice := 0, 0, 0, 0
	for _, run := range k.runs {
		before := map[string]bool{}
		for _, e := range run {
			switch e[k.who] {
			case call:
				calls, twice = calls+1, twice+boolToInt(before[e[p]])
				before[e[p]] = true
			case result:
				n, same = n+1, same+boolToInt(e[q] != "" && before[e[q]])
			}
		}
	}
	return n > 0 && 10*same >= 9*n, 10*twice <= calls
}

// column are the values of a place.
func column(events []event, p string) (values []string) {
	for _, e := range events {
		if e[p] != "" {
			values = append(values, e[p])
		}
	}
	return values
}

// mostText is the place, in most events, with the most text that is accepted; objects and lists come first.
func mostText(events []event, accepts func(p string, values []string) bool, is func(v string) bool) string {
	return bestOf(events, accepts, is, func(_ string, values []string) int {
		text := strings.Join(values, "")
		return len(text) + boolToInt(isJSON(values[0]))<<30
	})
}

// bestOf is the place, in most events, of which the accepted values are rated best.
func bestOf(events []event, accepts func(p string, values []string) bool, is func(v string) bool, rate func(p string, values []string) int) (best string) {
	top := 0
	for _, p := range slices.Sorted(maps.Keys(events[0])) {
		values := column(events, p)
		n := len(values)
		values = slices.DeleteFunc(values, func(v string) bool { return !is(v) })
		if 5*n < 4*len(events) || 5*len(values) < 4*n || !accepts(p, values) {
			continue
		}
		if score := rate(p, values); best == "" || score > top {
			best, top = p, score
		}
	}
	return best
}

// beside are the questions that stand beside a list of steps which has none. A step that begins it, and is not named as the user's, is
// a thought where a member beside the list is named as the question.
func (k *kinds) beside(questions []*candidate) []*candidate {
	if k.list == nil {
		return nil
	}
	const leastNamed = 1.5
	list := pointer(k.list.steps) + "/"
	questions = slices.DeleteFunc(slices.Clone(questions), func(c *candidate) bool { return strings.HasPrefix(pointer(c.steps), list) })
	isAsked := slices.ContainsFunc(questions, func(c *candidate) bool { return named(c.steps, question) >= leastNamed && c.facts().present > 0.8 })
	for word, is := range k.is {
		switch {
		case !strings.HasPrefix(is, "user "):
		case !isAsked || llmapi.EventKind(word) == "user":
			return nil
		default:
			k.is[word] = "none"
		}
	}
	return questions
}

// describe is a table of the kinds.
func (k *kinds) describe() string {
	var b strings.Builder
	b.WriteString("kinds, each taken for what the map says; edit there what is wrong:\n")
	for _, word := range slices.Sorted(maps.Keys(k.is)) {
		first := maps.Clone(k.events[word][0])
		maps.DeleteFunc(first, func(p, _ string) bool { return strings.Count(p, "/") > 1 && !strings.Contains(k.is[word], p) })
		raw, _ := json.Marshal(first)
		places := append(strings.Fields(k.is[word]), "")
		what := strings.NewReplacer("none", "not known, left out (none)", unknownKind, "not known: say it in the map").Replace(k.is[word])
		fmt.Fprintf(&b, "  %s → %s, %d records, such as %s\n", word, what, len(k.events[word]), excerpt(cmp.Or(first[places[1]], string(raw))))
	}
	return b.String()
}

// place is where the words are.
func (k *kinds) place() string {
	if k.list == nil {
		return k.who
	}
	return pointer(k.list.steps) + k.who
}

// take is what the kinds say of the answers: texts of the records of a talk, or of a step in a log.
func (k *kinds) take(s *survey, texts []*candidate) (answers []*candidate, t *talk, log *place) {
	if k == nil {
		return nil, nil, nil
	}
	if k.list == nil {
		texts = slices.DeleteFunc(slices.Clone(texts), func(c *candidate) bool { return c.entry != k.said })
		who := slices.IndexFunc(s.order, func(p *place) bool { return pointer(p.steps) == k.who })
		return ranked(texts, answer), &talk{k.by, s.order[max(0, who)], []string{k.answer}, true}, nil
	}
	steps := append(slices.Clone(k.list.steps), step{item: true, is: k.who[1:] + "=" + k.answer}, step{name: k.said[1:]})
	c := &candidate{entry: pointer(k.list.steps) + "/last:" + k.who[1:] + "=" + escape(k.answer) + k.said, steps: steps, texts: make([]string, len(s.records))}
	for i, run := range k.runs {
		for _, e := range run {
			if e[k.who] == k.answer {
				c.texts[i] = e[k.said]
			}
		}
	}
	return ranked([]*candidate{c}, answer), nil, k.list
}
