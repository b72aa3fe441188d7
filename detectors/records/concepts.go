package records

import (
	"strings"

	"confab/detectors"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
)

// Costs of reading records, in units of [detectors.Work].
const (
	recordBytes  = 4  // bytes per unit
	fieldCost    = 20 // per field of a record
	polarityCost = 8  // per word whose polarity is read
)

// concept is a property that records name by a key and answers by one of several phrases.
type concept struct {
	key     string
	phrases [][]uint64
}

//nolint:gochecknoglobals // read-only tables
var (
	concepts = readConcepts(`takeout:takeout|take out|takeaway|take away|carryout|carry out
delivery:delivery|deliver|delivers|home delivery
wifi:wifi|wi fi|wireless internet|internet access
reservation:reservation|reservations|book a table|reserve a table
outdoorseating:outdoor seating|outdoor dining|outdoor patio|outdoor space|outdoor area|outdoor tables|seating outdoors|dine outdoors|outdoors|outdoor
goodforgroups:groups|group|large parties|big parties|group dining
goodforkids:kids|children|kid friendly|family friendly
parking:parking|park
music:music
ambience:ambience|ambiance|atmosphere|vibe|setting|environment|feel|decor|mood
creditcards:credit cards|credit card
wheelchair:wheelchair
alcohol:alcohol|full bar
catering:catering|caters
hastv:tv|tvs|televisions
vegetarian:vegetarian|vegan
glutenfree:gluten free`)
	conceptAmbience = conceptNamed("ambience")
	unknownCost     = readUnknownCost()
)

func readConcepts(list string) []concept {
	var out []concept
	for line := range strings.Lines(list) {
		key, phrases, _ := strings.Cut(strings.TrimSpace(line), ":")
		out = append(out, concept{key: key, phrases: text.HashPhrases(phrases)})
	}
	return out
}

// readUnknownCost returns the cost of a search for every concept in a claim, by the number of its tokens.
func readUnknownCost() (costs [maxClauseTokens + 1]int) {
	for n := range costs {
		for i := range concepts {
			costs[n] += conceptCost(n, int32(i))
		}
	}
	return costs
}

// conceptCost is the cost of a search for the concept in a claim with that many tokens.
func conceptCost(tokens int, concept int32) int {
	return 1 + tokens*len(concepts[concept].phrases)/detectors.ScanRows
}

func conceptNamed(key string) int32 {
	for i := range concepts {
		if concepts[i].key == key {
			return int32(i)
		}
	}
	return -1
}

// conceptOf is the index of the concept of a key, -1 if it has none.
func conceptOf(key string) int32 {
	var buf [40]byte
	joined := string(lowerLetters(buf[:0], key))
	if strings.Contains(joined, "ambiance") || strings.Contains(joined, "atmosphere") {
		return conceptAmbience
	}
	for i := range concepts {
		if strings.Contains(joined, concepts[i].key) {
			return int32(i)
		}
	}
	return -1
}

// conceptAt finds any phrase of the concept in the claim that was read.
func (r *Index) conceptAt(d *detectors.Document, c *textclaims.Claim, concept int32) (at, length int32) {
	r.work.Spend(conceptCost(int(c.Last-c.First), concept))
	return r.phraseAt(d.Tokens(), c, concept)
}

func (r *Index) phraseAt(tokens []text.Token, c *textclaims.Claim, concept int32) (at, length int32) {
	if !r.said.topics.has(concept) {
		return -1, 0
	}
	for _, w := range r.said.topical {
		if !w.topics.has(concept) {
			continue
		}
		for _, p := range concepts[concept].phrases {
			if w.token+int32(len(p)) <= c.Last && isPhrase(tokens[w.token:], p) {
				return w.token, int32(len(p))
			}
		}
	}
	return -1, 0
}

func isPhrase(tokens []text.Token, phrase []uint64) bool {
	for i := range phrase {
		if tokens[i].Hash != phrase[i] {
			return false
		}
	}
	return true
}
