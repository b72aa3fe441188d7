package promptsources

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"confab/schemas"
)

// tally counts the prompts of one half.
type tally struct {
	prompts, found, whole, leaked int
	missed                        []string
}

// TestGuides measures the guides, whose passages have every word that instructions have, too.
func TestGuides(t *testing.T) {
	var n tally
	for _, v := range Variants() {
		in := schemas.Interaction{Messages: v.Messages}
		new(Finder).Fill(&in)
		texts := ""
		for _, s := range in.Sources {
			texts += s.Text + "\n"
		}
		n.count(&v, squeeze(texts))
	}
	t.Logf("%d prompts, found %.1f %%, whole %.1f %%, with instructions %.1f %%", n.prompts, n.percent(n.found), n.percent(n.whole), n.percent(n.leaked))
	t.Log(strings.Join(n.missed, "\n"))
	assert.Greater(t, n.prompts, 2400)
	assert.GreaterOrEqual(t, n.percent(n.whole), 95.0)
	assert.LessOrEqual(t, n.percent(n.leaked), 2.0)
}

func (n *tally) percent(part int) float64 { return 100 * float64(part) / float64(n.prompts) }

func (n *tally) count(v *Variant, texts string) {
	n.prompts++
	if texts != "" {
		n.found++
	}
	whole := true
	for _, p := range v.Passages {
		whole = whole && strings.Contains(texts, squeeze(p))
	}
	leak := ""
	for _, s := range v.Instructions {
		if strings.Contains(texts, squeeze(s)) {
			leak = s
		}
	}
	if whole {
		n.whole++
	}
	if leak != "" {
		n.leaked++
	}
	if !whole || leak != "" {
		n.missed = append(n.missed, v.Name+" "+leak)
	}
}

// squeeze joins the words of a text with single spaces.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// TestBarePrompts: instructions, examples and questions are no sources.
func TestBarePrompts(t *testing.T) {
	var n tally
	for _, b := range Bares() {
		in := schemas.Interaction{Messages: b.Messages}
		new(Finder).Fill(&in)
		if n.prompts++; len(in.Sources) > 0 {
			n.found++
			n.missed = append(n.missed, b.Name)
		}
	}
	t.Logf("%d prompts, taken %.1f %%\n%s", n.prompts, n.percent(n.found), strings.Join(n.missed, "\n"))
	assert.Greater(t, n.prompts, 250)
	assert.LessOrEqual(t, n.percent(n.found), 2.0)
}
