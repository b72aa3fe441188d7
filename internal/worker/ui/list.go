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

// readQuery reads the form of a list.
func readQuery(v url.Values) Query {
	return Query{
		Service: v.Get("service"), Model: v.Get("model"), Tenant: v.Get("tenant"), Detector: v.Get("detector"), Recommendation: v.Get("recommendation"),
		Verdict: v.Get("verdict"), Pass: v.Get("pass"), Text: v.Get("q"), From: v.Get("from"), Until: v.Get("until"), Kind: v.Get("kind"),
	}
}

// filterOf is the filter of a form, for what the person may see.
func filterOf(q *pageRequest, form *Query) (*filter, error) {
	f := &filter{
		Tenants: q.person.Sees, Tenant: form.Tenant, Service: form.Service, Model: form.Model, Detector: form.Detector,
		Recommendation: form.Recommendation, Verdict: form.Verdict, Pass: schemas.Pass(form.Pass), Text: form.Text,
		Alert: form.Kind == "alerts", Fired: form.Kind == "flagged", Unflagged: form.Kind == "unflagged", Sampled: form.Kind == "sampled",
	}
	for _, field := range []struct {
		text string
		to   *time.Time
	}{{form.From, &f.From}, {form.Until, &f.Until}} {
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
	form := readQuery(values)
	filter, err := filterOf(q, &form)
	if err != nil {
		return err
	}
	rows, next, err := s.store.list(filter, values.Get("after"), pageRows)
	if err != nil {
		return err
	}
	choices, total := s.choices(q)
	p := &listPage{Frame: s.frame(q, "Incidents", "/incidents"), Query: form, Choices: choices, Rows: rows, Total: total}
	if next != "" {
		following := maps.Clone(values)
		following.Set("after", next)
		p.Next = following.Encode()
	}
	return s.write(q, p)
}

// choices are the values of the forms that the person may see, and the number of their flags.
func (s *Server) choices(q *pageRequest) (c Choices, total int) {
	type names struct{ service, model, tenant string }
	all := map[names]bool{}
	s.store.scan(&filter{Tenants: q.person.Sees}, nil, func(r *row) bool {
		all[names{r.Service, r.Model, r.Tenant}] = true
		total++
		return true
	})
	services, models, tenants := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for n := range all {
		services[n.service], models[n.model], tenants[n.tenant] = true, true, true
	}
	known := standard.Names()
	slices.Sort(known)
	return Choices{Services: sortedNames(services), Models: sortedNames(models), Tenants: sortedNames(tenants), Detectors: known}, total
}

func sortedNames(set map[string]bool) []string {
	delete(set, "")
	all := slices.Sorted(maps.Keys(set))
	return all[:min(len(all), maxChoices)]
}
