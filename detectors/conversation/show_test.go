package conversation_test

import (
	"os"
	"testing"
)

func TestShow(t *testing.T) {
	for _, row := range readCorpus(t, os.Getenv("PART")) {
		list := row.findings(t, true)
		for n, f := range list {
			hit := f.Score > .5
			if row.Label == 0 || n < len(list)-1 {
				if hit {
					t.Logf("FALSE %s %q / %q %s", row.ID, row.Turns[n].Answer, f.Evidence[0].TurnText, f.Evidence[0].Note)
				}
			} else if !hit {
				t.Logf("missed %s %s %q", row.ID, row.Fault, row.Turns[n].Answer)
			}
		}
	}
	t.Log(figuresOf(t, os.Getenv("PART"), true))
}
