package mapping

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confab/schemas"
)

func TestReviewers(t *testing.T) {
	files, _ := filepath.Glob("/tmp/shapes/in/*.jsonl")
	var man map[string]struct{ Hand map[string]string }
	raw, _ := os.ReadFile("/tmp/shapes/manifest.json")
	_ = json.Unmarshal(raw, &man)
	good, all := 0, 0
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".jsonl")
		if strings.HasPrefix(name, "otlp") {
			continue
		}
		in, _ := os.Open(f)
		recs, _, _, err := readSample(in, f)
		in.Close()
		all++
		if err != nil || len(recs) == 0 {
			fmt.Println(name, "NO RECORDS", err)
			continue
		}
		recs, _, p := within(recs, Propose(recs))
		if p == nil {
			fmt.Println(name, "NO PROPOSAL")
			continue
		}
		d, err := p.Decoder()
		if err != nil {
			fmt.Println(name, "BAD", err, p.YAML())
			continue
		}
		var it schemas.Interaction
		ok := false
		var derr error
		for _, r := range recs {
			it = schemas.Interaction{}
			if derr = d.Decode(r, &it); derr == nil && strings.Contains(it.Answer, "days") {
				ok = true
				break
			}
		}
		var src, msg strings.Builder
		for _, s := range it.Sources {
			src.WriteString(s.Text)
		}
		for _, s := range it.Messages {
			msg.WriteString(s.Content)
		}
		has30 := strings.Contains(string(recs[0]), "within 30 days")
		passage := strings.Contains(src.String(), "30 days") || strings.Contains(msg.String(), "30 days")
		if strings.Contains(it.Answer, "You can return goods within 90 days") && (passage || !has30) && strings.Contains(src.String(), "90 days") == false {
			good++
			continue
		}
		rk, known := recordKnown(recs[0])
		fmt.Println("==", name, ok, derr, "answer:", it.Answer, "| src:", src.Len(), passage, "known:", rk, known)
		fmt.Print(p.YAML())
	}
	fmt.Println(good, "of", all)
}
