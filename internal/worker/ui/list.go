package ui

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"confab/detectors/standard"
	"confab/schemas"
)

const (
	pageRows    = 50
	maxChoices  = 200
	timeOfForms = "2006-01-02T15:04"
)

// filterOf is the filter of a form, for what the person may see.
func filterOf(q *pageRequest, form url.Values) (*filter, error) {
	f := &filter{
		Tenants: q.person.Sees, Tenant: form.Get("tenant"), Service: form.Get("service"), Model: form.Get("model"), Detector: form.Get("detector"),
		Recommendation: form.Get("recommendation"), Verdict: form.Get("verdict"), Pass: schemas.Pass(form.Get("pass")), Text: form.Get("q"),
		Alert: form.Get("kind") == "alerts", Fired: form.Get("kind") == "flagged", Unflagged: form.Get("kind") == "unflagged", Sampled: form.Get("kind") == "sampled",
	}
	for _, field := range []struct {
		text string
		to   *time.Time
	}{{form.Get("from"), &f.From}, {form.Get("until"), &f.Until}} {
		if field.text == "" {
			continue
		}
		at, err := time.Parse(timeOfForms, field.text)
		if err != nil {
			return nil, &pageError{http.StatusBadRequest, "Not valid", "A time is not valid: write it as in 2026-01-31T12:00."}
		}
		*field.to = at
	}
	return f, nil
}

func (s *Server) showList(q *pageRequest) error {
	values := q.URL.Query()
	filter, err := filterOf(q, values)
	if err != nil {
		return err
	}
	rows, next, err := s.store.list(filter, values.Get("after"), pageRows)
	if err != nil {
		return err
	}
	form, total := s.form(q)
	p := &listPage{Frame: s.frame(q, "Incidents", "/incidents"), form: form, Rows: rows, Total: total}
	if next != "" {
		following := maps.Clone(values)
		following.Set("after", next)
		p.Next = following.Encode()
	}
	return s.write(q, p)
}

// form is the form with the values that the person may see, and the number of their flags.
func (s *Server) form(q *pageRequest) (f form, total int) {
	services, models, tenants := map[string]bool{}, map[string]bool{}, map[string]bool{}
	s.store.scan(&filter{Tenants: q.person.Sees}, nil, func(r *row) bool {
		services[r.Service], models[r.Model], tenants[r.Tenant] = true, true, true
		total++
		return true
	})
	known := standard.Names()
	slices.Sort(known)
	return form{q.URL.Query(), map[string][]string{
		"service": sortedNames(services), "model": sortedNames(models), "tenant": sortedNames(tenants), "detector": known,
		"recommendation": {"block", "flag", "allow"}, "verdict": {noVerdict, string(schemas.Wrong), string(schemas.Fine)},
		"kind": {"alerts", "flagged", "unflagged", "sampled"}, "pass": {string(schemas.PassFast), string(schemas.PassDeep)},
	}}, total
}

func sortedNames(set map[string]bool) []string {
	delete(set, "")
	all := slices.Sorted(maps.Keys(set))
	return all[:min(len(all), maxChoices)]
}
