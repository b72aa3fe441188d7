package serve

import (
	"cmp"
	stdjson "encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"confab/detectors/rewrite"
	"confab/internal/redact"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

// newBriefMapping says where POST /check has the fields of an interaction.
func newBriefMapping(maxBytes int) (*json.Mapping, error) {
	m, err := json.NewMapping(map[string]string{
		"answer": "/response_text", "sources": "text=text,page_content,content title=title uri=url,uri /source_documents", "messages": "/prompt", "tenant": "/tenant",
	})
	if err != nil {
		return nil, err
	}
	return m.WithLimits(json.Options{MaxBytes: maxBytes}), nil
}

// checkBrief answers POST /check: a text and its documents in, the risk and what was found in words out.
func (s *Server) checkBrief(q *webRequest) error {
	o, err := s.optionsOf(q)
	if err != nil {
		return err
	}
	raw, err := q.readAll()
	if err != nil {
		return err
	}
	o.brief, o.rewrite, o.ignored = true, rewrite.ModeNone, otherMembers(raw)
	err = s.checkOne(q, raw, s.brief.Decode, o)
	if bad, ok := errors.AsType[*scan.Error](err); ok && bad.Reason == scan.ReasonUnmapped {
		p := *errNoText
		if len(o.ignored) > 0 {
			p.message += "; it has " + strings.Join(o.ignored, ", ")
		}
		return &p
	}
	return err
}

// otherMembers are the names in a body that POST /check does not know: the first ones, in order.
func otherMembers(raw []byte) []string {
	const most = 8
	var body map[string]stdjson.RawMessage
	if stdjson.Unmarshal(raw, &body) != nil {
		return nil
	}
	for _, known := range []string{"response_text", "source_documents", "prompt", "tenant"} {
		delete(body, known)
	}
	names := slices.Sorted(maps.Keys(body))
	for i, name := range names {
		names[i] = redact.Excerpt(name, 64)
	}
	return names[:min(most, len(names))]
}

// briefResult is a flag in short.
type briefResult struct {
	RiskScore      *float64               `json:"risk_score"` // null: unknown
	Recommendation schemas.Recommendation `json:"recommendation"`
	Flags          []string               `json:"flags"`
	IncidentID     string                 `json:"incident_id"`
	Checked        schemas.Checked        `json:"checked"`
	Unchecked      []string               `json:"unchecked"`
	Ignored        []string               `json:"ignored,omitempty"` // members of the request
}

// shorten replaces the flag by the brief result. Refusals stay as they are.
func (r *checkResult) shorten(f *schemas.Flag, ignored []string) {
	if r.status != http.StatusOK {
		return
	}
	short := briefResult{f.Risk, f.Recommendation, []string{}, f.IncidentID, r.checked, append([]string{}, r.reasons...), ignored}
	for i := range f.Signals {
		if f.Signals[i].Outcome == schemas.Fired {
			short.Flags = append(short.Flags, inWords(&f.Signals[i])...)
		}
	}
	r.body = encodeJSON(short)
}

// inWords are the findings of a detector that fired, a line for each place.
func inWords(s *schemas.Signal) (lines []string) {
	for i := range s.Evidence {
		e, line := &s.Evidence[i], s.Detector
		if e.Excerpt != "" {
			line += ": \"" + e.Excerpt + "\""
		}
		if e.Note != "" && e.Note != e.Excerpt && e.Note != e.Says() {
			line += ": " + e.Note
		}
		switch says := e.Says(); {
		case e.CallID != "":
			line += "; " + e.Speaker() + ": " + cmp.Or(says, e.SourceExcerpt)
		case says != "":
			line += "; the source says " + says
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{s.Detector + ": " + s.Reason}
	}
	return lines
}
