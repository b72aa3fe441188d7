package figures

import (
	"strings"

	"confab/internal/text"
)

// numberWord is what one word says of a figure.
type numberWord = Word

//nolint:gochecknoglobals // read-only tables
var (
	numberWords = New()
	units       = buildUnits()
	senses      = buildSenses()
	labels      = text.HashSet(`passage passages source sources document documents figure fig table step chapter section page item
paragraph excerpt article option`)
	countedWords = text.HashSet("words word sentences")
	monthIntros  = text.HashSet("in since until by of during last next this early late mid from through to between")
)

func buildSenses() map[uint64]Sense {
	table := map[uint64]Sense{}
	for sense, list := range map[Sense]string{
		About: `about around approximately roughly nearly almost some circa approx estimated close zirka rund etwa ungefahr knapp fast
beinahe nahezu unas unos casi cerca alrededor aproximadamente environ presque quelque pres autour`,
		AtLeast: "over above exceeding least plus exceeds exceeded surpassing topped exceed minimum uber mehr mindestens mas",
		AtMost:  "under below most maximum within max unter weniger hochstens menos moins",
	} {
		for w := range strings.FieldsSeq(list) {
			table[text.Hash(w)] = sense
		}
	}
	return table
}
