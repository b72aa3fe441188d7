package tools

import (
	"bytes"
	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
	schemasjson "confab/schemas/json"
	"fmt"
	"os"
	"testing"
)

func TestDbg(t *testing.T) {
	content, _ := os.ReadFile("testdata/turns.train.jsonl")
	d, _ := New(Options{})
	for line := range bytes.Lines(content) {
		var row schemas.Labelled
		schemasjson.DecodeLabelled(line, &row)
		if row.Interaction.ID != os.Getenv("ID") {
			continue
		}
		_, doc := detectortest.Detect(t, d, &row.Interaction)
		tt, _ := detectors.Scratch[turn](doc)
		tt.readFigures()
		for _, f := range doc.Texts().Answer.Figures {
			fmt.Printf("A %q kind=%d v=%v unit=%d d=%d-%d wd=%d counts=%v stated=%v comp=%v val=%v\n", doc.Answer()[f.Start:f.End], f.Kind, f.Value, f.Unit.Dimension, f.Month, f.Day, f.Weekday, f.Counts, tt.isStated(&f), tt.competes(&f), isValue(&f))
		}
		fmt.Println("ops", len(tt.operands), "lists", tt.lists)
		for _, f := range tt.operands {
			fmt.Printf(" %v/%d/%d-%d u%d;", f.Value, f.Kind, f.Month, f.Day, f.Unit.Dimension)
		}
		fmt.Println()
		fmt.Println(row.Interaction.Answer)
	}
}
