package records

import (
	"math/bits"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/detectors/support"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figures"
)

// Weights of doubtful fields.
const (
	weightContradicted = 0.7
	weightMissingField = 0.55
	weightUnknownField = 0.4  // neither a field nor a word of the sources
	weightAtmosphere   = 0.25 // an adjective such as "casual", without a word for the atmosphere
	weightRepeated     = 0.2  // the word also occurs elsewhere in the sources
)

// maxClauseTokens is the longest claim that is read clause by clause.
const maxClauseTokens = 300

// Of reads the records of the document. Check adds its findings to list.
func Of(d *detectors.Document, list *figureindex.Findings) *Index {
	r, _ := detectors.Scratch[Index](d)
	r.list, r.work, r.tokenizer = list, d.Work(), d.Tokenizer()
	r.read(d)
	return r
}

// leastKnown is how many fields with a concept a record of a known kind has.
const leastKnown = 3

// Known reports whether the records are of the kind that the concepts describe.
func (r *Index) Known() bool { return r.named >= leastKnown }

// HasFields reports whether a source is a record.
func (r *Index) HasFields() bool { return len(r.fields) > 0 }

// Check compares the claim with the opening hours and the fields that it names.
func (r *Index) Check(d *detectors.Document, c *textclaims.Claim, found []figures.Figure) {
	if len(r.fields) == 0 || !r.work.Spend(polarityCost*int(c.Last-c.First)) || c.Last-c.First > maxClauseTokens {
		return
	}
	if r.said.read(d.Tokens(), c); r.said.deniesMention() {
		return
	}
	r.checkHours(d, c, found)
	if !r.Known() || !r.work.Spend(len(r.fields)) {
		return
	}
	r.polarity = r.polarity[:0]
	for _, i := range r.compared {
		f := &r.fields[i]
		at, length, mood := r.findMention(d, c, f)
		if at < 0 || f.value == fieldObject && r.partNamed(d, c, i) {
			continue
		}
		r.list.Checked++
		r.compareField(d, f, factMention{at, length, mood, r.polarityAt(d, c, at)})
	}
	r.checkUnknown(d, c)
}

// polarityAt is the polarity of a token of the claim. Most claims name no field, so it is read on first use.
func (r *Index) polarityAt(d *detectors.Document, c *textclaims.Claim, token int32) int8 {
	if len(r.polarity) == 0 {
		r.Polarity(d, c)
	}
	return r.polarity[token-c.First]
}

// checkUnknown finds claims about concepts for which the records have no field.
func (r *Index) checkUnknown(d *detectors.Document, c *textclaims.Claim) {
	r.work.Spend(unknownCost[c.Last-c.First])
	for left := r.said.topics & anyConcept; left != 0; left &= left - 1 {
		i := int32(bits.TrailingZeros32(uint32(left)))
		at, length := r.phraseAt(d.Tokens(), c, i)
		if at < 0 || r.polarityAt(d, c, at) == denied || i == conceptAmbience || !support.Of(d).IsMissing(at) || r.hasConcept(i) {
			continue
		}
		r.list.Add(figureindex.Finding{
			Kind: figureindex.Missing, Weight: weightUnknownField, Source: -1,
			Start: d.Tokens()[at].Start, End: d.Tokens()[at+length-1].End,
		})
	}
}

func (r *Index) hasConcept(concept int32) bool {
	for i := range r.fields {
		if r.fields[i].concept == concept {
			return true
		}
	}
	return false
}

// factMention is the place where a claim names a field.
type factMention struct {
	at, length int32 // tokens
	loose      bool  // the words may mean something else
	polarity   int8
}

// partNamed reports whether the claim names a field of the object: "no valet parking" does not deny parking.
func (r *Index) partNamed(d *detectors.Document, c *textclaims.Claim, object int32) bool {
	for i := object + 1; int(i) < len(r.fields) && r.work.Spend(1); i++ {
		f := &r.fields[i]
		if f.parent != object {
			break
		}
		if at, _ := r.wordsAt(d, c, f); at >= 0 {
			return true
		}
	}
	return false
}

// isComparable reports a field with a value to compare: true, false or null, or an object of such fields.
func (f *field) isComparable() bool {
	if f.schedule {
		return false
	}
	switch f.value {
	case fieldNull, fieldFalse, fieldTrue:
		return !f.textual && !f.numeric
	case fieldObject:
		return f.allBool
	default:
		return false
	}
}

// findMention returns the token at which the claim names the field (-1 for none) and the number of tokens. loose is true if
// the words may mean something else.
func (r *Index) findMention(d *detectors.Document, c *textclaims.Claim, f *field) (at, length int32, loose bool) {
	if f.concept >= 0 {
		at, length = r.conceptAt(d, c, f.concept)
		return at, length, false
	}
	at, length = r.wordsAt(d, c, f)
	if at < 0 || f.parent < 0 || !r.fields[f.parent].allBool {
		return at, length, false
	}
	group := &r.fields[f.parent]
	if group.concept < 0 {
		return at, length, false
	}
	near, _ := r.conceptAt(d, c, group.concept)
	if near < 0 && group.concept != conceptAmbience { // "street" is about parking only next to a word for parking
		return -1, 0, false
	}
	return at, length, near < 0 && !r.siblingNamed(d, c, f)
}

// siblingNamed reports whether the claim names another field of the same object.
func (r *Index) siblingNamed(d *detectors.Document, c *textclaims.Claim, f *field) bool {
	for i := f.parent + 1; int(i) < len(r.fields) && r.work.Spend(1); i++ {
		other := &r.fields[i]
		if other.parent != f.parent {
			break
		}
		if at, _ := r.wordsAt(d, c, other); at >= 0 && other != f {
			return true
		}
	}
	return false
}

// wordsAt finds the words of the field's key close together in the claim, in any order; -1 if they are not there.
func (r *Index) wordsAt(d *detectors.Document, c *textclaims.Claim, f *field) (at, length int32) {
	content := f.content
	if content == 0 {
		return -1, 0
	}
	r.work.Spend(1 + int(c.Last-c.First)*int(f.last-f.first)*int(content+2)/detectors.ScanRows)
	if !r.said.stems.mayHoldAll(&f.stems) {
		return -1, 0
	}
	words := r.keyWords[f.first:f.last]
	tokens := d.Tokens()
	for t := c.First; t < c.Last; t++ {
		if !isKeyWord(words, tokens[t].Stem) {
			continue
		}
		held, last := int32(0), t
		for i := range words {
			if words[i].Stop() {
				continue
			}
			if k := stemWithin(tokens, words[i].Stem, t, min(t+content+2, c.Last)); k >= 0 {
				held++
				last = max(last, k)
			}
		}
		if held == content {
			return t, last - t + 1
		}
	}
	return -1, 0
}

// isKeyWord reports whether the stem is a content word of the key.
func isKeyWord(words []text.Token, stem uint64) bool {
	for i := range words {
		if words[i].Stem == stem && !words[i].Stop() {
			return true
		}
	}
	return false
}

func stemWithin(tokens []text.Token, stem uint64, from, to int32) int32 {
	for k := from; k < to; k++ {
		if tokens[k].Stem == stem {
			return k
		}
	}
	return -1
}

// compareField adds a finding if the claim disagrees with the field's value.
func (r *Index) compareField(d *detectors.Document, f *field, m factMention) {
	value := f.boolValue()
	agrees := value != fieldNull && (value == fieldTrue) == (m.polarity == asserted)
	if agrees || f.concept == conceptAmbience && f.value != fieldFalse && f.value != fieldTrue {
		return // every place has an atmosphere
	}
	finding := figureindex.Finding{
		Kind: figureindex.Contradicted, Weight: weightContradicted,
		Start: d.Tokens()[m.at].Start, End: d.Tokens()[m.at+m.length-1].End,
		Source: f.source, SourceStart: f.keyStart, SourceEnd: f.end,
	}
	if value == fieldNull {
		finding.Kind, finding.Weight = figureindex.Missing, weightMissingField
	}
	switch {
	case m.length == 1 && (f.concept < 0 || value == fieldNull) && r.occursElsewhere(d, m.at):
		finding.Weight = weightRepeated
	case m.loose:
		finding.Weight = weightAtmosphere
	}
	r.list.Add(finding)
}

// boolValue is the value as true, false or null; an object is true if one of its fields is.
func (f *field) boolValue() fieldValue {
	switch {
	case f.value != fieldObject:
		return f.value
	case f.anyTrue:
		return fieldTrue
	}
	return fieldFalse
}

// occursElsewhere reports a word that occurs more than once in the sources.
func (r *Index) occursElsewhere(d *detectors.Document, at int32) bool {
	x := support.Of(d)
	id := x.Stem(at)
	return id >= 0 && x.Count(id) > 1
}

// Counts reports whether the figure is the length of a list in a record. Such a figure is weak evidence, because the list
// may be incomplete.
func (r *Index) Counts(f *figures.Figure) bool {
	for i := range r.fields {
		if g := &r.fields[i]; g.value == fieldArray && g.elements > 1 && f.Kind == figures.Count && f.Value == float64(g.elements) {
			return true
		}
	}
	return false
}
