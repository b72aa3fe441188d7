package promptsources

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"confab/internal/promptsources/promptshapes"
	"confab/schemas"
)

func TestEval(t *testing.T) {
	path := os.Getenv("SET")
	if path == "" {
		t.Skip()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	variants, bares := promptshapes.FromTable(data)
	var n tally
	kinds := map[string]*tally{}
	seen := map[string]bool{}
	for _, v := range variants {
		in := schemas.Interaction{Messages: v.Messages}
		new(Finder).Fill(&in)
		texts := ""
		for _, s := range in.Sources {
			texts += s.Text + "\n"
		}
		before := len(n.missed)
		n.count(&v, squeeze(texts))
		k := strings.SplitN(v.Name, ":", 2)[0]
		if kinds[k] == nil {
			kinds[k] = &tally{}
		}
		kinds[k].count(&v, squeeze(texts))
		if len(n.missed) > before && !seen[v.Name] && os.Getenv("DBG") != "" {
			seen[v.Name] = true
			fmt.Println("== ", n.missed[before])
			debugMessage(&in)
		}
	}
	fmt.Printf("%d prompts, found %.1f whole %.1f leaked %.1f\n", n.prompts, n.percent(n.found), n.percent(n.whole), n.percent(n.leaked))
	for k, n := range kinds {
		fmt.Printf("   %s: %d prompts, found %.1f whole %.1f leaked %.1f\n", k, n.prompts, n.percent(n.found), n.percent(n.whole), n.percent(n.leaked))
	}
	counts := map[string]int{}
	for _, m := range n.missed {
		counts[m]++
	}
	if os.Getenv("DBG") != "" {
		fmt.Println(counts)
	}
	taken := 0
	for _, b := range bares {
		in := schemas.Interaction{Messages: b.Messages}
		new(Finder).Fill(&in)
		if len(in.Sources) > 0 {
			taken++
			if os.Getenv("DBG") != "" {
				fmt.Println("== ", b.Name)
				debugMessage(&in)
			}
		}
	}
	fmt.Printf("bare %d taken %d = %.1f %%\n", len(bares), taken, 100*float64(taken)/float64(len(bares)))
}
