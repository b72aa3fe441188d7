package mapping

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/internal/worker/recordshape"
	schemasjson "confab/schemas/json"
	"confab/schemas/json/llmapi"
)

// talk is how messages belong together that are logged one a record.
type talk struct {
	by, who *place   // the conversation, and who speaks
	models  []string // the values of who that are a model's
	events  bool     // the values say who speaks, so that texts may lie in different places
}

// speakers are the names of members that say who speaks, or what an event is.
func speakers() rule {
	return rule{words: "role speaker sender from author actor rolle rol absender sprecher autor type kind event typ tipo step name who wer participant side evt direction", tells: func(v string) bool { return token.MatchString(v) && speakerKind(v) != "" }} //nolint:misspell // words of other languages
}

// isEvent reports a record, the only one, that says who speaks or what it is in the words of agents' logs, and in which conversation.
func (s *survey) isEvent() bool {
	who, by := speakers(), rule{words: sessionWords + " trace run task", accepts: isToken}
	return slices.ContainsFunc(s.order, func(p *place) bool {
		return who.rate(p, 1) > 0 && slices.ContainsFunc(p.values(), func(v string) bool { return speakerKind(v) != "" })
	}) &&
		slices.ContainsFunc(s.order, func(p *place) bool { return by.rate(p, 1) > 0 })
}

// findTalk finds the places whose values tell it: in most conversations someone speaks after someone else, and one of them speaks in
// others, too. nil where records are no messages. Nine in ten of so many records have both.
func (s *survey) findTalk(records int) (best *talk) {
	speakers := speakers()
	ids := rule{words: sessionWords + " " + idWords + " ticket case room channel call order", not: "user customer", accepts: isToken}
	top := 0.0
	for _, who := range s.order {
		if len(s.records) < 4 || speakers.rate(who, records) <= 0 {
			continue
		}
		for _, by := range s.order {
			if by == who || !ids.fits(by, records) {
				continue
			}
			groups := s.group(by, who)
			score := float64(len(groups))/float64(len(s.records)) + ids.named(by.steps)
			models, events := modelsIn(groups)
			if score += float64(boolToInt(events)); len(models) > 0 && 3*len(groups) <= 2*len(s.records) && score > top {
				best, top = &talk{by, who, models, events}, score
			}
		}
	}
	return best
}

// notJoined says why messages are not joined though half of them could be; nil for others.
func (s *survey) notJoined(joined *talk) []string {
	half := s.findTalk(len(s.records) / 2)
	if joined != nil || half == nil || 10*len(half.who.texts) >= 9*len(s.records) {
		return nil
	}
	return []string{"more than a tenth of the messages name no speaker at " + pointer(half.who.steps) + ", so that each is read as an answer of its own: name it in all, and run this again"}
}

// isModel reports a record of a model.
func (t *talk) isModel(record int) bool {
	return len(t.who.texts[record]) > 0 && slices.Contains(t.models, t.who.texts[record][0])
}

// of is the survey of the records that hold answers in a talk; without one that of all.
func (s *survey) of(t *talk, said *candidate) *survey {
	own := &survey{places: map[string]*place{}}
	for i, v := range s.records {
		if t == nil || t.isModel(i) && said.texts[i] != "" {
			own.records = append(own.records, v)
			own.visit(v, nil, 0)
		}
	}
	return own
}

// names reports a candidate that holds who speaks, or the conversation, or that no model's record has.
func (t *talk) names(c *candidate) bool {
	said := func(p *place) bool { return slices.ContainsFunc(slices.Collect(maps.Keys(p.texts)), t.isModel) }
	return slices.Contains(c.from, t.who) || slices.Contains(c.from, t.by) || !slices.ContainsFunc(c.from, said)
}

// isNotSaid reports a candidate that is not what both the models and the others say.
func (t *talk) isNotSaid(c *candidate) bool {
	if t == nil || t.names(c) {
		return true
	}
	said, all := [2]int{}, [2]int{}
	for i, text := range c.texts {
		if who := t.who.texts[i]; len(who) > 0 {
			model := boolToInt(t.isModel(i))
			all[model], said[model] = all[model]+1, said[model]+boolToInt(text != "")
		}
	}
	if t.events {
		return 10*said[1] < all[1] // others are calls of tools
	}
	return min(said[0], said[1]) < len(c.texts)/10+1
}

// group lists who speaks in each conversation, in the order of the records.
func (s *survey) group(by, who *place) map[string][]string {
	groups := map[string][]string{}
	for i := range s.records {
		if id, speaker := by.texts[i], who.texts[i]; len(id) > 0 && len(speaker) > 0 {
			groups[id[0]] = append(groups[id[0]], speaker[0])
		}
	}
	return groups
}

// modelsIn are the speakers that are a model: by their words, else those who answer others of whom one is called a user, else those who
// speak in most conversations and begin few of them. None where speakers do not alternate. events reports words that say a model and a user.
func modelsIn(groups map[string][]string) (models []string, events bool) {
	in, first, records, turns := map[string]int{}, map[string]int{}, 0, 0
	for _, speakers := range groups {
		first[speakers[0]]++
		records += len(speakers)
		turns += len(slices.Compact(slices.Clone(speakers))) - 1
		for _, speaker := range slices.Compact(slices.Sorted(slices.Values(speakers))) {
			in[speaker]++
		}
	}
	kinds := map[string][]string{}
	for _, speaker := range slices.Sorted(maps.Keys(in)) {
		kind := speakerKind(speaker)
		kinds[kind] = append(kinds[kind], speaker)
		if kind == "" && 2*in[speaker] >= len(groups) && 2*first[speaker] < in[speaker] {
			models = append(models, speaker)
		}
	}
	events = len(kinds["assistant"]) > 0 && len(kinds["user"]) > 0
	switch {
	case !alternate(len(groups), len(in), records, turns, boolToInt(events)):
		return nil, false
	case len(kinds["assistant"]) > 0 && len(in) > len(kinds["assistant"]):
		return kinds["assistant"], events
	case len(kinds["user"]) > 0:
		return answering(kinds[""], first, in), false
	}
	return models, false
}

// answering are the speakers who begin few conversations, unlike "run.start"; all where there are none.
func answering(speakers []string, first, in map[string]int) []string {
	others := slices.DeleteFunc(slices.Clone(speakers), func(s string) bool { return 2*first[s] >= in[s] })
	if len(others) == 0 {
		return speakers
	}
	return others
}

// alternate reports whether several speakers take turns in most conversations, less often where their words say it, and speak more than once.
func alternate(groups, speakers, records, turns, said int) bool {
	pairs := records - groups
	return speakers > 1 && (3-said)*speakers <= 2*records && 3*pairs >= 2*groups && 10*turns >= (7-4*said)*pairs
}

// speakerKind is the role that a speaker's name says, "" for none.
func speakerKind(name string) string {
	kind := llmapi.EventKind(name)
	for _, w := range nameWords(name) {
		kind = cmp.Or(kind, llmapi.Role(w), []string{"", "", "assistant"}[int(says(w, answer))], []string{"", "", "user"}[int(says(w, question))])
	}
	return kind
}

// joined are the records of a sample with what the map joins to them.
func (p *Proposal) joined(sample [][]byte) (all [][]byte) {
	c := config.Default()
	c.Kafka.Inputs = []config.Input{p.input()}
	input, err := records.NewFileInput(c, "")
	if err != nil {
		return sample
	}
	lines, err := recordshape.NewRecords(bytes.NewReader(bytes.Join(sample, []byte("\n"))), schemasjson.MaxLabelledBytes, "", input.Parts())
	for err == nil {
		var line []byte
		if line, err = lines.Next(); err == nil {
			all = append(all, slices.Clone(line))
		}
	}
	return all
}
