package mapping

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/recordshape"
)

func rename(v any, names map[string]string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = rename(v[i], names)
		}
		return v
	case map[string]any:
		out := map[string]any{}
		for _, n := range sortedNames(v) {
			if names[n] == "" {
				names[n] = fmt.Sprintf("z%c%c", 'k'+rune(len(names)/10), 'b'+rune(len(names)%10))
			}
			out[names[n]] = rename(v[n], names)
		}
		return out
	case string:
		if in, ok := innerJSON(v); ok {
			raw, _ := json.Marshal(rename(in, names))
			return string(raw)
		}
	}
	return v
}

func TestRobust(t *testing.T) {
	for _, mode := range []string{"plain", "one", "anon", "anon one"} {
		good := 0
		for i := range shapes {
			sh := shapes[i]
			if *held != (i >= 20) {
				continue
			}
			recs, _, _, err := readSample(bytes.NewReader(sh.file(t)), "f")
			require.NoError(t, err)
			recs, _, _ = within(recs, Propose(recs))
			if mode == "anon" || mode == "anon one" {
				names := map[string]string{}
				for i := range recs {
					v, _ := parse(recs[i])
					recs[i], _ = json.Marshal(rename(v, names))
				}
			}
			test := recs
			if mode == "one" || mode == "anon one" {
				test = recs[:1]
				if sh.name == "events of several kinds" {
					test = recs[:2]
				}
			}
			p := Propose(test)
			miss := sh.missed(t, recs, p)
			if miss == "" {
				good++
			} else if !*held {
				fmt.Println(mode, "==", sh.name, "MISS", miss)
				if p != nil {
					fmt.Print(p.YAML())
				}
			}
		}
		fmt.Println(mode, good)
	}
}

func recordKnown(raw []byte) (string, bool) {
	row, ok := recordshape.Recognise(raw)
	if !ok {
		return "", false
	}
	return row.Name, true
}
