package pages

import "slices"

// Choice is a select element.
type Choice struct {
	Value  string
	Values []string
}

// Choose returns the select element of a field.
func (l *List) Choose(field string) Choice { return l.Query.choose(field, &l.Choices) }

// Choose returns the select element of a field.
func (t *Trends) Choose(field string) Choice { return t.Query.choose(field, &t.Choices) }

// choose keeps the value of the form, also one that the store does not know any more.
func (q *Query) choose(field string, c *Choices) Choice {
	all := map[string]Choice{
		"service": {q.Service, c.Services}, "model": {q.Model, c.Models}, "tenant": {q.Tenant, c.Tenants}, "detector": {q.Detector, c.Detectors},
		"recommendation": {q.Recommendation, []string{"block", "flag", "allow"}}, "verdict": {q.Verdict, []string{"none", "confirmed", "false_positive"}},
		"kind": {q.Kind, []string{"alerts", "flagged", "unflagged", "sampled"}}, "pass": {q.Pass, []string{"fast", "deep"}},
	}
	chosen := all[field]
	if chosen.Value != "" && !slices.Contains(chosen.Values, chosen.Value) {
		chosen.Values = append(slices.Clip(chosen.Values), chosen.Value)
	}
	return chosen
}
