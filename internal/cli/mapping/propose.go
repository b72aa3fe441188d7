package mapping

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"confab/internal/recordformat"
	"confab/internal/worker/config"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	schemasjson "confab/schemas/json"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/mapspec"
)

// Proposal is a map for the records of a sample.
type Proposal struct {
	Entries []Entry
	Where   map[string][]string
	Kinds   map[string]map[string]string

	TimeZone string   // of the times, which have none
	Notes    []string // what it cannot read
	Unused   []string // places with values that it does not read

	Records, Read int // of the sample, and those whose answer the map reads
	API           string
}

// Entry is one entry of a map. Instead is another place that is nearly as likely, "" for none.
type Entry struct{ Field, Text, Instead string }

// Propose proposes a map for records, each a JSON object; nil where nothing in them looks like an answer. Kinds that their words say are
// part of it where more is read by their places.
func Propose(records [][]byte) *Proposal {
	p, known := proposeWith(records, false)
	asked, gave := p.counts(records)
	if known {
		with, _ := proposeWith(records, true)
		if a, g := with.counts(records); a > asked || g > gave {
			p, asked = with, a
		}
	}
	if p != nil && p.API == "" && asked == 0 && p.has(mapspec.Request) {
		p.Notes = append(p.Notes, "no record has a question: say in kinds of the map which records, or steps, are the user's, and where their text lies, such as WORD: user /text")
	}
	return p
}

// counts are the numbers of answers that have a question, and of results of calls.
func (p *Proposal) counts(records [][]byte) (asked, gave int) {
	if p == nil {
		return 0, 0
	}
	if p.Where != nil {
		records = p.joined(records)
	}
	decoder, err := p.Decoder()
	if err != nil {
		return 0, 0
	}
	return countsBy(decoder, records)
}

func countsBy(decoder recordshape.Decoder, records [][]byte) (asked, gave int) {
	for _, record := range records {
		var in schemas.Interaction
		if decoder.Decode(record, &in) == nil {
			asked += boolToInt(slices.ContainsFunc(in.Messages, func(m schemas.Message) bool { return m.Role == "user" && m.Content != "" }))
			gave += len(slices.DeleteFunc(slices.Clone(in.Calls), func(c schemas.ToolCall) bool { return c.Result+c.Error == "" }))
		}
	}
	return asked, gave
}

// proposeWith proposes a map, with kinds that their words say only if they are wanted. known reports these.
func proposeWith(records [][]byte, wanted bool) (p *Proposal, known bool) {
	s := newSurvey(records)
	if len(s.records) == 0 {
		return nil, false
	}
	c := s.choices(wanted)
	best, ok := choose(c.answers, c.questions, c.passages)
	if !ok {
		return nil, c.known
	}
	best.sources = best.sources.ofTurn(best.answer, c.passages)
	p = &Proposal{Records: len(s.records), API: best.answer.api}
	for r, chosen := range []*candidate{best.answer, best.question, best.sources} {
		if chosen != nil {
			others := [][]*candidate{c.answers, c.questions, c.passages}[r]
			p.Entries = append(p.Entries, Entry{Field: chosen.field(role(r)), Text: chosen.withMembers(s), Instead: best.rival(role(r), others)})
		}
	}
	own := s.of(c.talk, best.answer)
	p.addCalls(own.calls(), &c)
	p.addTalk(s, c.talk, c.kinds)
	p.addFields(s, own, c.talk, p.given(records))
	p.check(records)
	p.listUnused(own)
	return p, c.known
}

// choices are the candidates of a map, and how records are joined.
type choices struct {
	answers, questions, passages []*candidate
	talk                         *talk
	log, steps                   *place
	kinds                        *kinds
	known                        bool   // kinds are known by their words
	list                         *place // of steps that hold a call and what came of it, with their names
	names                        string
}

func (s *survey) choices(wanted bool) (c choices) {
	texts := s.textCandidates()
	responses, requests := s.apiCandidates(answer), s.apiCandidates(question)
	c.answers = ranked(slices.Concat(responses, outside(texts, requests, responses)), answer)
	c.questions = ranked(slices.Concat(requests, texts), question)
	c.passages, c.log = ranked(s.sourceCandidates(), sources), s.log()
	if c.log == nil {
		c.questions, c.passages = s.withTurns(texts, c.questions, c.passages)
	}
	talk := s.findTalk(len(s.records))
	if said := ranked(slices.DeleteFunc(slices.Clone(texts), talk.isNotSaid), answer); len(said) > 0 {
		c.answers, c.questions, c.passages, c.talk, c.log = said, nil, slices.DeleteFunc(c.passages, talk.names), talk, nil
	}
	kinds := s.findKinds(c.talk != nil || c.log != nil)
	c.known = kinds != nil && kinds.known
	if !c.known || wanted {
		if said, told, steps := kinds.take(s, texts); len(said) > 0 {
			c.answers, c.questions, c.passages, c.talk, c.log, c.kinds, c.steps = said, kinds.beside(c.questions), nil, told, nil, kinds, steps
		}
	}
	c.leaveOut(s)
	return c
}

// leaveOut drops the candidates that lie in steps, but for the model's answers.
func (c *choices) leaveOut(s *survey) {
	c.answers = slices.DeleteFunc(c.answers, func(a *candidate) bool {
		kind, inside := c.log.kind(a)
		return inside && kind != "" && kind != "assistant"
	})
	c.passages = slices.DeleteFunc(c.passages, func(a *candidate) bool {
		kind, inside := c.log.kind(a)
		return inside && (kind != "" || !c.log.gives(a))
	})
	c.leaveOutCalls(s)
}

// leaveOutCalls finds steps that hold a call, drops the candidates that lie in them, and takes no other text as passages.
func (c *choices) leaveOutCalls(s *survey) {
	if c.log == nil && c.steps == nil && c.talk == nil && s.calls() == nil {
		c.list, c.names = s.steps(c)
		inside := func(a *candidate) bool { return c.list != nil && a.lies(&candidate{steps: c.list.steps}) }
		isOther := func(a *candidate) bool { return c.list != nil && !a.list && named(a.steps, sources) < 1 || inside(a) } // the results are passages
		c.questions, c.passages = slices.DeleteFunc(c.questions, inside), slices.DeleteFunc(c.passages, isOther)
	}
}

// addTalk adds how records are joined, and what the kinds of these, or of steps, are.
func (p *Proposal) addTalk(s *survey, talk *talk, kinds *kinds) {
	if talk != nil {
		p.Entries = append(p.Entries, Entry{Field: mapspec.Request, Text: "/" + mapspec.Joined}, Entry{Field: "conversation_id", Text: pointer(talk.by.steps)})
		p.Where = map[string][]string{pointer(talk.who.steps): talk.models}
	}
	if kinds == nil {
		p.Notes = s.notJoined(talk)
		return
	}
	p.Kinds = map[string]map[string]string{kinds.place(): kinds.is}
	p.Notes = []string{strings.TrimSuffix(kinds.describe(), "\n")}
}

// addCalls adds the place of calls alone, or of the steps of an agent beside the question, which may lie in them.
func (p *Proposal) addCalls(calls *place, c *choices) {
	log, names := cmp.Or(c.steps, c.log), c.names
	calls = cmp.Or(calls, c.list)
	at, isLog := cmp.Or(calls, log), calls == nil
	if at == nil || p.API != "" && (p.has(mapspec.Request) || p.reads(pointer(at.steps))) {
		return
	}
	p.addList(pointer(at.steps), names, isLog)
}

// addList adds the list instead of what is read in it. Steps of a log follow the question.
func (p *Proposal) addList(list, names string, isLog bool) {
	added := Entry{Field: map[bool]string{true: mapspec.Request, false: schemas.FieldToolCalls}[isLog], Text: names + list}
	p.Entries = slices.DeleteFunc(p.Entries, func(e Entry) bool {
		inside := strings.Contains(" "+e.Text+"/", " "+list+"/")
		asks := isLog && (e.Field == schemas.FieldMessages || e.Field == mapspec.Request)
		if asks && !inside && !strings.HasPrefix(list, e.Text+"/") {
			added.Text, added.Instead = e.Text+" + "+list, e.Instead
		}
		return asks || inside && !isLog && e.Field == schemas.FieldSources
	})
	p.Entries = append(p.Entries, added)
}

// withTurns adds a list of objects that say who spoke and what was said, if there is one, to the questions, and takes its texts from them
// and from the passages.
func (s *survey) withTurns(texts, questions, passages []*candidate) (asked, given []*candidate) {
	says := speakers()
	inLists := slices.DeleteFunc(slices.Clone(texts), func(c *candidate) bool { return inner(c.steps) != 1 || c.facts().sentences <= leastSentences })
	slices.SortStableFunc(inLists, func(a, b *candidate) int { return cmp.Compare(b.facts().words, a.facts().words) })
	for _, said := range inLists {
		at := len(said.steps) - 1
		for _, who := range s.order {
			if len(who.steps) != at+1 || !slices.Equal(who.steps[:at], said.steps[:at]) || who.steps[at-1] != (step{item: true}) ||
				says.named(who.steps) <= 0 || !areSpeakers(slices.Concat(slices.Collect(maps.Values(who.texts))...)) {
				continue
			}
			turns := &candidate{steps: who.steps[:at-1], texts: make([]string, len(s.records)), score: leastQuestion}
			turns.entry = "role=" + pointer(who.steps[at:]) + " content=" + pointer(said.steps[at:]) + " " + pointer(turns.steps)
			inside := func(c *candidate) bool { return c.lies(turns) }
			questions = slices.DeleteFunc(questions, inside)
			for _, q := range questions {
				q.entry = map[bool]string{true: turns.entry + " + "}[q.api == ""] + q.entry
			}
			return append(questions, turns), slices.DeleteFunc(passages, inside)
		}
	}
	return questions, passages
}

// areSpeakers reports who speaks in turns: the user, and the model under any name.
func areSpeakers(values []string) bool {
	slices.Sort(values)
	values = slices.Compact(values)
	others := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return slices.Contains([]string{"user", "assistant", "system"}, speakerKind(v)) })
	return len(values) > 0 && (len(others) == 0 || len(others) == 1 && slices.ContainsFunc(values, func(v string) bool { return speakerKind(v) == "user" }) &&
		!slices.ContainsFunc(values, func(v string) bool { return speakerKind(v) == "assistant" }))
}

// listUnused lists the places that the map does not read, of messages those of the model's: the others are joined as a whole.
func (p *Proposal) listUnused(s *survey) {
	for _, at := range s.order {
		name := picks.ReplaceAllString(strings.TrimPrefix(pointer(at.steps), "json "), "$1")
		if len(at.texts) > 0 && !p.reads(name) && !slices.Contains(p.Unused, name) {
			p.Unused = append(p.Unused, name)
		}
	}
}

// picks are the steps of a pointer into lists.
var picks = regexp.MustCompile(`/(?:first|last)(?::[^/ ]*)?(/| |$)`)

// reads reports whether the map reads the values of a place, which is a pointer without steps into lists.
func (p *Proposal) reads(name string) bool {
	for _, e := range p.Entries {
		for place := range strings.SplitSeq(picks.ReplaceAllString(e.Text, "$1"), " + ") {
			words := strings.Split(place, " ")
			rest, inside := strings.CutPrefix(name+"/", words[len(words)-1]+"/")
			members := mapspec.MemberNames(e.Field)
			if (e.Field == schemas.FieldToolCalls || e.Field == schemas.FieldSources) && len(words) == 1 {
				members = nil // of names that are known, or ids
			}
			named := func(word string) bool { return strings.HasPrefix("/"+rest, word[strings.Index(word, "=")+1:]+"/") }
			if inside && (rest == "" || members == nil || slices.Contains(members, strings.TrimSuffix(rest, "/")) || slices.ContainsFunc(words, named)) {
				return true
			}
		}
	}
	return p.Where[name] != nil
}

// calls is the place of a list of calls of tools, each with arguments; nil for none.
func (s *survey) calls() *place {
	return s.list(func(raw []byte, n int) bool {
		var in schemas.Interaction
		llmapi.ReadCalls(raw, &in)
		return len(in.Calls) == n && !slices.ContainsFunc(in.Calls, func(c schemas.ToolCall) bool { return c.Arguments == "" })
	})
}

// list is the first place of a list of which a function is true in most records; nil for none.
func (s *survey) list(is func(raw []byte, n int) bool) *place {
	at := slices.IndexFunc(s.order, func(p *place) bool {
		lists, good := 0, 0
		for _, record := range s.records {
			if list, ok := find(record, p.steps).([]any); ok && p.lists > 0 && inner(p.steps) == 0 && len(list) > 0 {
				raw, _ := json.Marshal(list)
				lists++
				good += boolToInt(is(raw, len(list)))
			}
		}
		return 2*good > lists
	})
	if at < 0 {
		return nil
	}
	return s.order[at]
}

// log is the place of a list with the steps of an agent: calls and results, and what is said; nil for none, and for calls alone.
func (s *survey) log() *place {
	if s.calls() != nil {
		return nil
	}
	return s.list(func(raw []byte, _ int) bool { return llmapi.IsLog(raw) })
}

// kind says what a candidate's step in a log is, or else its member, as EventKind does; idle for any. inside is false for one that lies elsewhere.
func (p *place) kind(c *candidate) (kind string, inside bool) {
	if p == nil || !c.lies(&candidate{steps: p.steps}) {
		return "", false
	}
	by, word, known := strings.Cut(c.steps[len(p.steps)].is, "=")
	if kind = llmapi.EventKind(word); !known && len(c.steps) == len(p.steps)+2 {
		kind = llmapi.Role(c.steps[len(c.steps)-1].name)
	}
	if kind == "" && (!known || by == "action" || by == "name") { // which may name the tool
		kind = llmapi.EventIdle
	}
	return kind, true
}

// gives reports a candidate in a log of which no word says what its step is, or one that names a source.
func (p *place) gives(c *candidate) bool {
	_, word, is := strings.Cut(c.steps[len(p.steps)].is, "=")
	return !is || slices.ContainsFunc(nameWords(word), func(w string) bool { return says(w, sources) > 0 })
}

// outside are the texts that do not lie in a request.
func outside(texts, requests, responses []*candidate) (left []*candidate) {
	for _, t := range texts {
		if !slices.ContainsFunc(requests, func(r *candidate) bool {
			return len(r.steps) > 0 && !r.list && t.lies(r) && !slices.ContainsFunc(responses, func(a *candidate) bool { return a.entry == r.entry })
		}) {
			left = append(left, t)
		}
	}
	return left
}

// lies reports whether a candidate lies in the value of another.
func (c *candidate) lies(in *candidate) bool {
	return len(in.steps) < len(c.steps) && slices.Equal(c.steps[:len(in.steps)], in.steps)
}

// field is the entry's key.
func (c *candidate) field(r role) string {
	switch {
	case c.api != "" && r == answer:
		return "response"
	case c.api != "":
		return "request"
	}
	return []string{"answer", "messages", "sources"}[r]
}

// rival is the entry of another place for a role that is nearly as likely; "" for none.
func (c choice) rival(r role, others []*candidate) (entry string) {
	top := c.score() - unsure
	own := []*candidate{c.answer, c.question, c.sources}[r]
	for _, o := range others {
		with := c
		*[]**candidate{&with.answer, &with.question, &with.sources}[r] = o
		if score := with.score(); score > top && !same(o, own) {
			top, entry = score, o.entry
		}
	}
	return entry
}

// apiCandidates are the places that hold responses, or requests, of the API of a language model.
func (s *survey) apiCandidates(r role) (found []*candidate) {
	for _, p := range s.order {
		if p.objects+p.lists == 0 || inner(p.steps) > 0 || len(p.steps) > 6 {
			continue
		}
		c := &candidate{entry: pointer(p.steps), steps: p.steps, texts: make([]string, len(s.records)), list: p.lists > 0}
		for i, record := range s.records {
			if v := find(record, p.steps); v != nil {
				c.readAPI(v, i, r)
			}
		}
		if c.api != "" {
			found = append(found, c)
		}
	}
	return found
}

// readAPI reads a value of a record as a response or a request.
func (c *candidate) readAPI(v any, record int, r role) {
	raw, err := json.Marshal(v)
	if err != nil {
		return
	}
	var in schemas.Interaction
	form := readAPI(raw, r, &in)
	if form == "" || r == answer && len(in.Calls) == 0 && llmapi.IsLog(raw) { // of steps with calls only the texts were read
		return
	}
	c.api, c.texts[record], c.sourced = form, in.Answer, c.sourced || len(in.Sources) > 0
}

// isRequest reports a value that has a list of messages, or is one.
func isRequest(raw []byte) bool {
	names := []string{`"messages":`, `"contents":`, `"input":`, `"inputs":`, `"system":`}
	if raw[0] == '[' {
		names = append(names, `"role":`, `"type":`, `"_type":`, `"lc":`)
	}
	return slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(raw, []byte(name)) })
}

// readAPI reads a response, or a request whose last message of the user becomes the answer. form is "" for another value.
func readAPI(raw []byte, r role, in *schemas.Interaction) (form string) {
	in.Temperature = schemas.UnknownTemperature
	if r == answer {
		read, err := llmapi.Response(raw, in)
		if err != nil || !read.Answered || read.Form == llmapi.FormText || read.Form == llmapi.FormError {
			return ""
		}
		return read.Form
	}
	if !isRequest(raw) || llmapi.Request(raw, in) != nil || len(in.Messages) == 0 {
		return ""
	}
	for _, m := range in.Messages {
		if m.Role == "user" || m.Role == "human" {
			in.Answer = m.Content
		}
	}
	return "request"
}

// rule finds the place of a field by its name and values.
type rule struct {
	field, words, not string
	accepts           func(value string) bool // nil: any
	tells             func(value string) bool // the values say the field where no name does; nil: never
	unique, few       bool                    // no value twice; some values often
}

var token = regexp.MustCompile(`^\S{1,128}$`)

const (
	idWords      = "id rid msgid reqid uuid uid guid ref req request run job case key nr nummer vorgangsnummer number 编号"
	timeWords    = "time timestamp ts date datetime day created at when zeit zeitpunkt uhrzeit datum fecha hora horodatage heure ora started ended finished logged 时间"
	sessionWords = "session sess conversation thread chat dialog sitzung sesion sessao sessione gesprach sid"
)

// isToken reports a text that may be an id, or name a conversation: a date or a time of day, but for a number, is none.
func isToken(v string) bool {
	isDate := len(v) < 36 && strings.Trim(v, "0123456789") != "" && (otherTime.MatchString(v) || clockText.MatchString(v) || isTime(v))
	return token.MatchString(v) && !isDate
}

func rules() []rule {
	isID := func(v string) bool { return len(v) < 64 && idText.MatchString(v) && !isTime(v) }
	isModel := func(v string) bool {
		return modelText.MatchString(v) && strings.ContainsAny(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz")
	}
	isName := func(v string) bool { return shortName.MatchString(v) && strings.ContainsFunc(v, unicode.IsLetter) }
	return []rule{
		{"model", "model moteur motor modell modelo modele modello modellstand engine deployment llm summarizer 模型", "prompt id provider", isModel, modelName.MatchString, false, true},
		{"trace_id", "trace", "", regexp.MustCompile(`^[\da-f]{32}$`).MatchString, nil, false, false},
		{"interaction_id", idWords + " ticket", sessionWords + " user usuario customer tenant doc document chunk account parent model prompt agent span article", isToken, isID, true, false},
		{"interaction_id", "seq seqno sequence", "", isToken, nil, true, false},
		{"conversation_id", sessionWords, "user url", isToken, nil, false, false},
		{"occurred_at", timeWords, "", isTime, func(v string) bool { return len(v) > 8 && isTime(v) }, false, false}, // 2.11.26 may be a version
		{"tenant", "tenant mandant", "count plan tier type url kind", isToken, nil, false, true},
		{"service", "service svc app application bot product", "version ver build release id time at key", isName, nil, false, true},
		{"attributes", "version ver release revision build", "event schema spec specversion", regexp.MustCompile(`^v?\d[\w.+-]{0,30}$`).MatchString, nil, false, true},
	}
}

// withMembers is the entry with the other members that the items of its list have. An id that is a number is none: a citation of that
// number is one of the place.
func (c *candidate) withMembers(s *survey) (entry string) {
	at, items := 1+slices.IndexFunc(c.steps, func(st step) bool { return st.item }), &survey{records: s.records}
	for _, p := range s.order {
		if inner(c.steps) == 1 && len(p.steps) > at && slices.Equal(p.steps[:at], c.steps[:at]) {
			items.order = append(items.order, &place{steps: p.steps[at:], texts: p.texts})
		}
	}
	entry, read := c.entry, &Proposal{Entries: []Entry{{Text: pointer(c.steps[at:])}}}
	for _, r := range []rule{
		{"id", "id key ref no nr nummer number", "parent", regexp.MustCompile(`^\S*[A-Za-z]\S*$`).MatchString, regexp.MustCompile(`^[A-Z]{1,6}[-_]?\d{1,8}$`).MatchString, false, false},
		{"title", "title headline heading name file filename document doc titel titre titolo dokument", "id type", shortName.MatchString, nil, false, false},
		{"uri", "uri url link href", "", token.MatchString, nil, false, false},
		{"score", "score sim similarity relevance", "", func(v string) bool { return strings.Trim(v, "0123456789.-e") == "" }, nil, false, false},
	} {
		if found := r.best(items, read); found != nil && strings.HasPrefix(c.entry, "text=") && !strings.Contains(pointer(found.steps), ",") {
			read.Entries = append(read.Entries, Entry{Text: pointer(found.steps)})
			entry = strings.TrimPrefix(r.field+"="+pointer(found.steps)+" "+entry, r.field+"=/"+r.field+" ") // which needs no name
		}
	}
	return entry
}

// Values that say what they are: names of models, ids that no name says, times that need no time_zone, and those that no map reads.
var (
	zoned     = regexp.MustCompile(`^(?i)\d+(\.\d+)?$|Z$|[+-]\d\d:\d\d$`)
	otherTime = regexp.MustCompile(`^\d{1,4}[./-]\d{1,2}[./-]\d{2,4}([ T,].*)?$`)
	clockText = regexp.MustCompile(`^(?i)\d{1,2}:\d\d(:\d\d)?( ?[ap]m)?$`)
	numbers   = regexp.MustCompile(`\d.*[^\d.].*\d`)
	modelName = regexp.MustCompile(`^(?i)([a-z]+[/.])*(gpt|chatgpt|claude|gemini|gemma|llama|mi[sx]tral|qwen|deepseek|command|phi|grok|nova|titan|o\d)([-.:/]\S+|\d\S*)$`)
	modelText = regexp.MustCompile(`^\S{1,128}( [\w.()-]{1,24}){0,2}$`)
	shortName = regexp.MustCompile(`^[\pL\d][\pL\d .,_@/()-]{0,80}$`)
	idText    = regexp.MustCompile(`^[A-Za-z]+[-_:]?\d|^[A-Za-z]+[-_:][\da-f]{5,}$|^[\da-f]+-[\da-fA-F-]+$|^\d+[-_]?[A-Za-z][\w-]{4,}$`)
)

// isTime reports a time that a map reads, with time_zone where it has no zone.
func isTime(v string) bool {
	if n, err := json.Number(v).Float64(); err == nil {
		ms, ok := recordformat.MillisOf(n)
		return ok && ms > 9e11 && ms < 5e12
	}
	return !schemasjson.ParseTime(v, "").IsZero()
}

// addFields adds the fields that names and values tell, of all records or else of the model's own.
func (p *Proposal) addFields(s, own *survey, talk *talk, given []string) {
	for _, r := range rules() {
		if p.has(r.field) || slices.Contains(given, r.field) {
			continue
		}
		best := cmp.Or(r.best(s, p), r.best(own, p), r.ofRuns(s, talk))
		if best == nil {
			continue
		}
		if r.field == "attributes" {
			r.field += "." + strings.Join(nameWords(pointer(best.steps)), "_")
		}
		text := pointer(best.steps)
		if r.field == "occurred_at" {
			text = withClock(s, best)
		}
		p.Entries = append(p.Entries, Entry{Field: r.field, Text: text})
		if r.field == "occurred_at" && !zoned.MatchString(best.values()[0]) {
			p.TimeZone = "UTC"
		}
	}
	if !slices.Contains(given, "occurred_at") {
		p.addTime(s)
	}
	if !slices.Contains(given, "interaction_id") {
		p.addJoinedID(own)
	}
	p.addRunID(own, talk)
}

// given are fields that the response has in most records.
func (p *Proposal) given(records [][]byte) (fields []string) {
	has := map[string]int{}
	decoder, err := p.Decoder()
	for i := 0; err == nil && p.API != "" && i < len(records); i++ {
		var in schemas.Interaction
		if decoder.Decode(records[i], &in) == nil {
			has[schemas.FieldModel] += boolToInt(in.Model != "")
			has["interaction_id"] += boolToInt(in.ID != "")
			has["occurred_at"] += boolToInt(!in.OccurredAt.IsZero())
		}
	}
	for field, n := range has {
		if 2*n > len(records) {
			fields = append(fields, field)
		}
	}
	return fields
}

// ofRuns is the place of the model in a record of each run: the one that opens it.
func (r *rule) ofRuns(s *survey, talk *talk) (best *place) {
	if talk == nil || r.field != schemas.FieldModel {
		return nil
	}
	runs := distinct(talk.by.values())
	top := 0.0
	for _, at := range s.order {
		if score := r.rate(at, len(at.texts)); score > top && 10*len(at.texts) >= 9*runs {
			best, top = at, score
		}
	}
	return best
}

// addRunID adds the id of runs of one answer each, where no other is.
func (p *Proposal) addRunID(own *survey, talk *talk) {
	if talk != nil && p.Kinds != nil && !p.has("interaction_id") && (&rule{unique: true}).fits(own.at(talk.by.steps), len(own.records)) {
		p.Entries = append(p.Entries, Entry{Field: "interaction_id", Text: pointer(talk.by.steps)})
	}
}

// addJoinedID adds an id of two places where no single one is without repetition: what the record is of, and its number there.
func (p *Proposal) addJoinedID(s *survey) {
	isNumber := regexp.MustCompile(`^\d+$`).MatchString
	number := (&rule{words: "seq seqno sequence turn step index idx position pos n nr no number message", accepts: isNumber}).best(s, &Proposal{})
	if number == nil || p.has("interaction_id") {
		return
	}
	of := (&rule{words: sessionWords + " " + idWords + " ticket", accepts: isToken}).best(s, &Proposal{Entries: []Entry{{Text: pointer(number.steps)}}})
	seen := map[string]bool{}
	for i := 0; of != nil && i < len(s.records); i++ {
		seen[strings.Join(slices.Concat(of.texts[i], number.texts[i]), " ")] = true
	}
	if len(seen) == len(s.records) {
		p.Entries = append(p.Entries, Entry{Field: "interaction_id", Text: pointer(of.steps) + " + " + pointer(number.steps)})
	}
}

// addTime adds a place of times whose order of day and month one of them tells, by a number above 12; else it says what is not read.
func (p *Proposal) addTime(s *survey) {
	mayBe := func(v string) bool {
		return isTime(v) || len(v) < 64 && numbers.MatchString(v) && !clockText.MatchString(v)
	}
	at := (&rule{words: timeWords, accepts: mayBe, tells: otherTime.MatchString}).best(s, p)
	if at == nil || p.has("occurred_at") {
		return
	}
	where, values := withClock(s, at), at.values()
	orders := slices.DeleteFunc([]string{"mdy", "dmy"}, func(order string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return schemasjson.ParseTime(v, order).IsZero() })
	})
	why := "has a form that is not read; write it as 2026-11-21T10:00:00Z"
	switch len(orders) {
	case 1:
		p.Entries = append(p.Entries, Entry{Field: "occurred_at", Text: orders[0] + " " + where})
		p.TimeZone = "UTC"
		return
	case 2:
		why = "may have the month or the day first; add to the map occurred_at: mdy " + where + " or occurred_at: dmy " + where + ", and beside it time_zone: UTC"
	}
	unread := values[max(0, slices.IndexFunc(values, func(v string) bool { return !isTime(v) }))]
	p.Notes = append(p.Notes, fmt.Sprintf("no time: %s (%q) %s", where, excerpt(unread), why))
}

// withClock is a place of times, and where these are dates alone, that of the times of day.
func withClock(s *survey, date *place) string {
	where := pointer(date.steps)
	clock := (&rule{words: timeWords + " clock hour hora", accepts: clockText.MatchString}).best(s, &Proposal{})
	if clock == nil || strings.Contains(date.values()[0], ":") || strings.Trim(date.values()[0], "0123456789") == "" {
		return where
	}
	return where + " + " + pointer(clock.steps)
}

// best is the place that most likely holds the field, of those that the map does not read yet; nil for none.
func (r *rule) best(s *survey, p *Proposal) (best *place) {
	top := 0.0
	for _, at := range s.order {
		taken := slices.ContainsFunc(p.Entries, func(e Entry) bool { return e.Text == pointer(at.steps) })
		if score := r.rate(at, len(s.records)); score > top && !taken {
			best, top = at, score
		}
	}
	return best
}

// values are the first texts of a place, by record.
func (p *place) values() (values []string) {
	for _, record := range slices.Sorted(maps.Keys(p.texts)) {
		values = append(values, p.texts[record][0])
	}
	return values
}

// rate is how likely a place holds the field; 0 for not at all.
func (r *rule) rate(at *place, records int) float64 {
	if !r.fits(at, records) {
		return 0
	}
	score := r.named(at.steps)
	if score == 0 && len(at.texts) > 2 && r.tells != nil && !slices.ContainsFunc(at.values(), func(v string) bool { return !r.tells(v) }) {
		return 0.1 / float64(len(at.steps))
	}
	if score > 0 && r.field == "conversation_id" { // rather than what many are about
		score += 0.01 * float64(distinct(at.values())) / float64(len(at.texts))
	}
	return score
}

// fits reports whether the values may be those of the field.
func (r *rule) fits(at *place, records int) bool {
	n, distinct := len(at.texts), map[string]bool{}
	if n == 0 || inner(at.steps) > 0 || n*10 < records*9 {
		return false
	}
	for _, v := range at.values() {
		if r.accepts != nil && !r.accepts(v) {
			return false
		}
		distinct[v] = true
	}
	return (!r.unique || len(distinct) == n) && (!r.few || n <= 3 || 2*len(distinct) <= n)
}

// named is how clearly the last two names of a path say the field.
func (r *rule) named(path []step) (score float64) {
	weight := 1.0
	for i := len(path) - 1; i >= max(0, len(path)-2); i-- {
		for _, w := range nameWords(path[i].name) {
			if hasWord(r.not, w) {
				score--
			} else if hasWord(r.words, w) {
				score += weight
			}
		}
		weight = 0.4
	}
	if score > 0 {
		score -= 0.05 * float64(len(path))
	}
	return score
}

// hasWord reports whether a word is in a list, or holds a long one of it.
func hasWord(list, word string) bool {
	for known := range strings.FieldsSeq(list) {
		if word == known || len(known) >= 5 && strings.Contains(word, known) {
			return true
		}
	}
	return false
}

// check tries the map on the records: what does not read, and passages that no record has, are left out.
func (p *Proposal) check(records [][]byte) {
	for {
		read, lost, err := p.try(records)
		p.Read = read
		i := slices.IndexFunc(p.Entries, func(e Entry) bool { return lost[e.Field]*2 > max(1, read) })
		if err != nil || i < 0 || i == 0 {
			break
		}
		p.Entries = slices.Delete(p.Entries, i, i+1)
	}
}

// Map is the entries of the map.
func (p *Proposal) Map() map[string]string {
	m := map[string]string{}
	for _, e := range p.Entries {
		m[e.Field] = e.Text
	}
	return m
}

func (p *Proposal) input() config.Input {
	in := config.DefaultInput("file")
	in.Map, in.Where, in.TimeZone, in.Kinds = p.Map(), p.Where, p.TimeZone, map[string]map[string]string{}
	for place, words := range p.Kinds {
		in.Kinds[place] = maps.Clone(words)
		maps.DeleteFunc(in.Kinds[place], func(_, is string) bool { return is == unknownKind })
	}
	return in
}

// Decoder returns the decoder that the map describes.
func (p *Proposal) Decoder() (recordshape.Decoder, error) {
	in := p.input()
	return in.Values(schemasjson.Options{MaxBytes: schemasjson.MaxLabelledBytes})
}

// try counts the records that the map reads, and the fields that it cannot read in them.
func (p *Proposal) try(records [][]byte) (read int, lost map[string]int, err error) {
	decoder, err := p.Decoder()
	if err != nil {
		return 0, nil, err
	}
	lost = map[string]int{}
	passages := 0
	for _, raw := range records {
		var in schemas.Interaction
		if decoder.Decode(raw, &in) != nil {
			continue
		}
		read++
		passages += len(in.Sources)
		for _, field := range in.Malformed {
			lost[field]++
		}
	}
	if passages == 0 {
		lost[schemas.FieldSources] = 2 * len(records)
	}
	return read, lost, nil
}

// YAML writes the map as a file that an input or --map can name.
func (p *Proposal) YAML() string {
	var b strings.Builder
	b.WriteString("map:\n")
	for _, e := range p.Entries {
		note := ""
		if e.Instead != "" {
			note = "  # unsure: or " + e.Instead
		}
		fmt.Fprintf(&b, "  %s: %s%s\n", e.Field, quote(e.Text), note)
	}
	for place, words := range p.Kinds {
		fmt.Fprintf(&b, "kinds:  # each is user, answer, system, call, result, error, tool or none\n  %s:\n", quote(place))
		for _, word := range slices.Sorted(maps.Keys(words)) {
			fmt.Fprintf(&b, "    %s: %s\n", quote(word), words[word])
		}
	}
	for place, values := range p.Where {
		if p.Kinds != nil {
			break // it follows from these
		}
		list, _ := json.Marshal(values) // a list of YAML, too
		fmt.Fprintf(&b, "where:\n  %s: %s  # who is the model\n", quote(place), list)
	}
	if p.TimeZone != "" && p.has("occurred_at") {
		fmt.Fprintf(&b, "time_zone: %s  # of times without one\n", p.TimeZone)
	}
	return b.String()
}

var plainScalar = regexp.MustCompile(`^[\pL/][\pL\pN/=.,~ |+:_*!-]*$`)

// quote writes a text as a scalar of YAML.
func quote(text string) string {
	if plainScalar.MatchString(text) && !strings.Contains(text, ": ") && !strings.HasSuffix(text, ":") {
		return text
	}
	raw, _ := json.Marshal(text)
	return string(raw)
}
