package promptsources

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"confab/internal/promptsources/promptshapes"
	"confab/schemas"
)

func debugMessage(in *schemas.Interaction) {
	for i, m := range in.Messages {
		if m.Content == "" {
			continue
		}
		j := judge{reader: &reader{text: m.Content, system: isSystem(m.Role), follows: i+1 < len(in.Messages)}}
		t := scanTags(m.Content)
		j.runs = t.runs(true)
		j.read()
		fmt.Printf("  [%s] ", m.Role)
		for _, s := range j.list {
			fmt.Printf("{%d %.30q lvl%d %v: %.50q}\n    ", s.kind, s.header, s.level, []bool{s.inline, s.weak, s.delimited, s.numbered, s.pairs, s.json}, m.Content[s.start:s.end])
		}
		fmt.Printf("\n")
	}
	fmt.Printf("  => %.300q\n", passages(in))
}

func TestDebug(t *testing.T) {
	if os.Getenv("DBG") == "" {
		t.Skip()
	}
	seen := map[string]bool{}
	for _, v := range promptshapes.Variants() {
		if !strings.Contains(v.Name, os.Getenv("DBG")) {
			continue
		}
		var n tally
		in := schemas.Interaction{Messages: v.Messages}
		new(Finder).Fill(&in)
		texts := ""
		for _, s := range in.Sources {
			texts += s.Text + "\n"
		}
		n.count(&v, squeeze(texts))
		if len(n.missed) > 0 && !seen[v.Name] {
			seen[v.Name] = true
			fmt.Println("== ", v.Name, n.missed)
			debugMessage(&in)
		}
	}
	for _, b := range promptshapes.Bares() {
		in := schemas.Interaction{Messages: b.Messages}
		new(Finder).Fill(&in)
		if len(in.Sources) > 0 && strings.Contains(b.Name, os.Getenv("DBG")) {
			fmt.Println("== ", b.Name)
			debugMessage(&in)
		}
	}
	for name, messages := range negatives() {
		in := schemas.Interaction{Messages: messages}
		new(Finder).Fill(&in)
		if len(in.Sources) > 0 {
			fmt.Println("== NEG ", name)
			debugMessage(&in)
		}
	}
}

func TestDebugShapes(t *testing.T) {
	if os.Getenv("DBG") == "" {
		t.Skip()
	}
	for _, s := range promptshapes.Shapes() {
		in := schemas.Interaction{Messages: prompt("When does the ferry leave?"), Sources: []schemas.Source{{Text: paris}, {Text: prices}, {Text: "A third passage is about the island, which has 40 inhabitants and a church."}}}
		m := s.Move(&in)
		new(Finder).Fill(&m)
		texts := ""
		for _, s := range m.Sources {
			texts += s.Text + "\n"
		}
		if strings.Contains(s.Name, os.Getenv("DBG")) && (!strings.Contains(texts, paris) || !strings.Contains(texts, prices)) {
			fmt.Println("== ", s.Name)
			debugMessage(&m)
		}
	}
}
