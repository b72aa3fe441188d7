package mapping

import (
	"regexp"
	"slices"
	"strings"

	"confab/internal/text"
	"confab/schemas/json/mapspec"
)

// candidate is one way to read a field.
type candidate struct {
	entry string            // of the map
	steps []step            // of its text, or of its list
	texts []string          // by record; "" for none
	words []map[uint64]bool // stems of texts, when they were asked for
	score float64
	brief bool   // its texts are as short as titles
	list  bool   // of sources: with names of their own; of a request or response: it is a list
	api   string // the form of the response, or request; "" for a text
	from  []*place

	sourced bool // the response or request has sources of its own
}

// pointer writes a path in the language of maps; false where it has no words for it.
func pointer(path []step) string {
	var b strings.Builder
	words := ""
	for i, st := range path {
		switch {
		case st.text && i+1 == len(path):
			words = "json "
		case st.text: // a pointer enters it
		case st.item:
			which := "last"
			if i > 0 && slices.Contains(firstOf, strings.ToLower(path[i-1].name)) {
				which = "first"
			}
			if st.is != "" {
				which += ":" + escape(st.is)
			}
			b.WriteString("/" + which)
		default:
			b.WriteString("/" + escape(st.name))
		}
	}
	if b.Len() == 0 {
		b.WriteString("whole")
	}
	return words + b.String()
}

func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", " ", "~2").Replace(name)
}

// chosen is the text of each record that the pointer of the place reads.
func (p *place) chosen(records int) []string {
	texts := make([]string, records)
	first := strings.Contains(pointer(p.steps), "/first")
	for i := range texts {
		if all := p.texts[i]; len(all) > 0 && first {
			texts[i] = all[0]
		} else if len(all) > 0 {
			texts[i] = all[len(all)-1]
		}
	}
	return texts
}

// joined is all texts of the place by record.
func joined(records int, places ...*place) []string {
	texts := make([]string, records)
	for i := range texts {
		var all []string
		for _, p := range places {
			all = append(all, p.texts[i]...)
		}
		texts[i] = strings.Join(all, "\n")
	}
	return texts
}

// sourceCandidates are the places that may hold passages: texts, and lists of texts and of objects.
func (s *survey) sourceCandidates() (found []*candidate) {
	for _, p := range s.order {
		if len(p.texts) == 0 {
			continue
		}
		lists := 0
		for i, st := range p.steps {
			if entry, ok := listEntry(p.steps, i); st.item && st.is == "" && ok {
				lists++
				found = append(found, &candidate{entry: entry, steps: p.steps, texts: joined(len(s.records), p), list: true, from: []*place{p}})
			}
		}
		if lists == 0 {
			found = append(found, &candidate{entry: pointer(p.steps), steps: p.steps, texts: p.chosen(len(s.records)), from: []*place{p}})
		}
	}
	byID := s.byID()
	found = slices.DeleteFunc(found, func(c *candidate) bool { return slices.ContainsFunc(byID, c.lies) })
	return slices.Concat(slices.DeleteFunc(slices.Clone(found), func(c *candidate) bool { return slices.ContainsFunc(found, c.isTitle) }), s.numbered(found), byID)
}

// byID are the objects of which each record has other members: ids of passages, or of objects with these.
func (s *survey) byID() (found []*candidate) {
	const leastIDs = 3
	for _, p := range s.order {
		if p.objects < leastIDs || len(p.steps) == 0 || inner(p.steps) > 0 {
			continue
		}
		ids, rare, from := s.members(p)
		if ids >= leastIDs && 10*rare >= 9*ids && len(from) == ids {
			found = append(found, &candidate{entry: pointer(p.steps), steps: p.steps, texts: joined(len(s.records), from...), list: true, from: from})
		}
	}
	return found
}

// members counts the members of an object, and those that at most half of the records have. from are the texts in them.
func (s *survey) members(p *place) (ids, rare int, from []*place) {
	for _, q := range s.order {
		if len(q.steps) <= len(p.steps) || !slices.Equal(q.steps[:len(p.steps)], p.steps) {
			continue
		}
		within := q.steps[len(p.steps):]
		if len(within) == 1 {
			ids, rare = ids+1, rare+boolToInt(2*max(q.objects, len(q.texts)) <= p.objects)
		}
		if len(q.texts) > 0 && (len(within) == 1 || len(within) == 2 && hasWord("text content page_content", within[1].name)) {
			from = append(from, q)
		}
	}
	return ids, rare, from
}

// ofTurn is the one of the candidates for the same passages that has those of the turn of the answer alone.
func (c *candidate) ofTurn(answer *candidate, all []*candidate) *candidate {
	if turn := 1 + slices.IndexFunc(answer.steps, func(st step) bool { return st.item }); turn > 0 && c != nil {
		of := pointer(answer.steps[:turn]) + "/"
		isOther := func(o *candidate) bool { return !slices.Equal(o.steps, c.steps) || !strings.Contains(o.entry, of) }
		return append(slices.DeleteFunc(slices.Clone(all), isOther), c)[0]
	}
	return c
}

// isTitle reports a candidate beside another one of the same list that is a running text more than twice as long.
func (c *candidate) isTitle(text *candidate) bool {
	words, list, _ := strings.Cut(text.entry, " ")
	return c.list && strings.HasPrefix(words, "text=") && strings.HasSuffix(c.entry, " "+list) && named(text.steps, sources) > 0 && text.facts().words > 2*c.facts().words
}

// number is what distinguishes names such as context_1 and context_2, or Passage A and Passage B.
var number = regexp.MustCompile(`\d+|[ _.-]\pL$`)

// numbered are the candidates that several make together, whose names differ in a number alone.
func (s *survey) numbered(each []*candidate) (found []*candidate) {
	groups := map[string]*candidate{}
	for _, c := range slices.SortedStableFunc(slices.Values(each), func(a, b *candidate) int { return len(a.entry) - len(b.entry) }) { // 9 before 10
		var path strings.Builder
		own := *c
		own.steps = slices.Clone(c.steps)
		for i, st := range c.steps {
			path.WriteString(number.ReplaceAllString(st.key(), "\x00") + "/")
			own.steps[i].name = number.ReplaceAllString(st.name, "")
		}
		key := path.String()
		switch all := groups[key]; {
		case inner(c.steps) > 0 || !strings.Contains(key, "\x00") || c.facts().sentences < leastSentences:
		case all == nil:
			groups[key] = &own
		case len(all.from) < mapspec.MaxCandidates:
			if all.from = append(all.from, c.from...); len(all.from) == 2 {
				found = append(found, all)
			}
			all.entry += " + " + c.entry
			all.texts = joined(len(s.records), all.from...)
		}
	}
	return found
}

// listEntry writes the sources of a list whose items, at an index of the path, hold the text; false where a map cannot.
func listEntry(path []step, at int) (entry string, ok bool) {
	inner := path[at+1:]
	if len(inner) > 1 && inner[len(inner)-1].item { // a list of texts is one text
		inner = inner[:len(inner)-1]
	}
	if slices.ContainsFunc(inner, func(st step) bool { return st.name == "" || strings.Contains(st.name, ",") }) {
		return "", false
	}
	list := pointer(path[:at])
	if len(inner) == 0 {
		return list, true
	}
	return "text=" + pointer(inner) + " " + list, true
}

// textCandidates are the places that may hold one text of a record. A list of texts, unless it is one of alternatives, is one text.
func (s *survey) textCandidates() (found []*candidate) {
	for _, p := range s.order {
		if len(p.texts) == 0 {
			continue
		}
		c := &candidate{entry: pointer(p.steps), steps: p.steps, texts: p.chosen(len(s.records)), from: []*place{p}}
		if last := len(p.steps) - 1; last > 0 && p.steps[last].item && p.steps[last].is == "" && strings.HasSuffix(c.entry, "/last") {
			c.entry, c.texts = pointer(p.steps[:last]), joined(len(s.records), p)
		}
		found = append(found, c)
	}
	return found
}

// wordsOf are the stems of the words that carry meaning in the candidate's text of a record.
func (c *candidate) wordsOf(i int) map[uint64]bool {
	if c.words == nil {
		c.words = make([]map[uint64]bool, len(c.texts))
	}
	if c.words[i] == nil {
		c.words[i] = map[uint64]bool{}
		for _, word := range text.AppendTokens(nil, c.texts[i]) {
			if !word.Stop() {
				c.words[i][word.Stem] = true
			}
		}
	}
	return c.words[i]
}
