package conversation

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"confab/detectors"
	"confab/schemas"
)

func TestDebug(t *testing.T) {
	for _, line := range strings.Split(os.Getenv("DBG"), "@@") {
		parts := strings.Split(line, "|")
		if len(parts) < 2 {
			continue
		}
		in := &schemas.Interaction{Answer: parts[len(parts)-1]}
		for i, p := range parts[:len(parts)-1] {
			role := "user"
			if i%2 == 1 {
				role = "assistant"
			}
			in.Messages = append(in.Messages, schemas.Message{Role: role, Content: p})
		}
		doc := &detectors.Document{}
		doc.Reset(in)
		s := read(doc)
		s.readMessages(in.Messages)
		show := func(n string, fs []schemas.EarlierFact) {
			for _, f := range fs {
				fmt.Printf("%s form %x val %x subj %x text %q\n", n, f.Form, uint32(f.Value), f.Subject, f.Text)
			}
		}
		for i := range s.earlier {
			show(fmt.Sprint("E", i+1), s.earlier[i].Facts)
			fmt.Printf("   asked %x shifts %v\n", s.earlier[i].Asked, s.earlier[i].Shifts)
		}
		fmt.Printf("asked %+v\n", s.asked)
		for i := range s.answer.facts {
			p := &s.answer.facts[i]
			show("P", []schemas.EarlierFact{p.EarlierFact})
			fmt.Printf("  lead %x named %x\n", p.lead, p.named)
			for k := range s.earlier {
				for m := range s.earlier[k].Facts {
					e := &s.earlier[k].Facts[m]
					if e.Form == p.Form {
						fmt.Println("   same", s.isSameSubject(p, e, &s.earlier[k]), "agrees", s.agrees(p, e), "other", s.isOtherSubject(p, e, &s.earlier[k]), "explained", s.isExplained(p, e))
					}
				}
			}
		}
		fmt.Println("corrects", s.corrects())
	}
}
