package promptshapes

import "encoding/json"

func FromTable(data []byte) ([]Variant, []Bare) {
	var t table
	if err := json.Unmarshal(data, &t); err != nil {
		panic(err)
	}
	t.Passages = append(t.Passages, load().Passages...)
	return t.variants(), t.bares()
}
