package mapping

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"confab/internal/files"
	"confab/internal/worker/recordshape"
	schemasjson "confab/schemas/json"
)

// Bounds of a sample.
const (
	maxRecords     = 200
	maxSampleBytes = 32 << 20
)

// readSample reads the first records of a file that are objects. lines counts those that it looked at; hint says what the first of the
// others is.
func readSample(r io.Reader, name string) (records [][]byte, lines int, hint string, err error) {
	in, err := files.NewRecords(r, schemasjson.MaxLabelledBytes)
	if err != nil {
		return nil, 0, "", err
	}
	if what := recordshape.File(in.Head(), name); what != "" {
		return nil, 0, "", fmt.Errorf("%s: %s", name, what)
	}
	size := 0
	for len(records) < maxRecords && lines < 10*maxRecords && size < maxSampleBytes {
		line, err := in.Next()
		if errors.Is(err, io.EOF) || err != nil && len(records) > 0 {
			break
		}
		if err != nil {
			return nil, 0, "", fmt.Errorf("%s: %w", name, err)
		}
		lines, size = lines+1, size+len(line)
		parts, _ := schemasjson.Values(slices.Clone(line))
		if records = append(records, parts...); len(parts) == 0 {
			hint = cmp.Or(hint, strings.ReplaceAll(recordshape.Line(line), "FILE", name))
		}
	}
	return records[:min(len(records), maxRecords)], lines, hint, nil
}

// within are the objects of a list in the records, and the list's pointer, where they look more like records than the records
// themselves.
func within(records [][]byte, whole *Proposal) (items [][]byte, list string, p *Proposal) {
	s := newSurvey(records)
	items, p = records, whole
	for _, at := range s.order {
		if at.lists == 0 || inner(at.steps) > 0 || slices.ContainsFunc(at.steps, func(st step) bool { return st.text }) {
			continue
		}
		raws := s.objects(at.steps)
		if len(raws) < 2*len(records) {
			continue
		}
		if of := Propose(raws); of != nil && of.Read > 1 && len(of.Entries) > 1 && (p == nil || of.score > p.score) {
			items, list, p = raws, pointer(at.steps), of
		}
	}
	return items, list, p
}

// objects are the objects in the lists of a path.
func (s *survey) objects(path []step) (raws [][]byte) {
	for _, record := range s.records {
		list, _ := find(record, path).([]any)
		for _, v := range list {
			if raw, err := json.Marshal(v); err == nil && raw[0] == '{' && len(raws) < maxRecords {
				raws = append(raws, raw)
			}
		}
	}
	return raws
}
