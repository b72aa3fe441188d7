package confab_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"confab/internal/datatest"
	"confab/internal/promptsources"
	"confab/internal/promptsources/promptshapes"
	"confab/schemas"
	"confab/schemas/json"
)

func TestDbg2(t *testing.T) {
	sq := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, shape := range promptshapes.Shapes() {
		if os.Getenv("DBG") != "" && !strings.Contains(shape.Name, os.Getenv("DBG")) {
			continue
		}
		bad, n := 0, 0
		for _, line := range datatest.Rows(t, "ragtruth") {
			var row schemas.Labelled
			_ = json.DecodeLabelled(line, &row)
			if shape.Summary && row.Task != "summary" {
				continue
			}
			in := shape.Move(&row.Interaction)
			new(promptsources.Finder).Fill(&in)
			want, got := 0, 0
			for _, s := range row.Interaction.Sources {
				want += len(sq(s.Text))
			}
			for _, s := range in.Sources {
				got += len(sq(s.Text))
			}
			n++
if os.Getenv("ALL")!=""{fmt.Println(want,got,row.Task)}
			if got < want*9/10 || got > want*11/10+100 {
				bad++
				if bad < 20 && os.Getenv("DBG") != "" {
					fmt.Printf("want %d got %d\n%.9000s\n=> %.9000q\n", want, got, in.Messages[0].Content, in.Sources)
				}
			}
		}
		fmt.Println(shape.Name, bad, n)
	}
}
