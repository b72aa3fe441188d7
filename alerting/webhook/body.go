package webhook

import (
	"encoding/json"
	"time"

	"confab/alerting/card"
	"confab/internal/redact"
	"confab/schemas"
	records "confab/schemas/json"
)

// The types of a message.
const (
	typeFired   = "confab.alert.fired"
	typeUpdated = "confab.alert.updated"
)

// message is the body of a request. Type, timestamp and data are those of Standard Webhooks.
type message struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when the last incident was detected
	Data      data      `json:"data"`
}

// data are the facts of an alert. Names are those of records in llm.alerts and llm.incidents.
type data struct {
	Message            string            `json:"message"`
	Group              string            `json:"group,omitempty"`
	Kind               string            `json:"kind"`
	Severity           string            `json:"severity"`
	Cause              string            `json:"cause,omitempty"`
	Tenant             string            `json:"tenant"`
	Title              string            `json:"title"`
	Count              int64             `json:"count"`
	EarlierCount       int64             `json:"earlier_count,omitempty"`
	First              time.Time         `json:"first,omitzero"`
	Last               time.Time         `json:"last,omitzero"`
	Models             []string          `json:"models,omitempty"`
	Groups             []groupCount      `json:"groups,omitempty"`
	MoreGroups         int               `json:"more_groups,omitempty"`
	Labels             []label           `json:"labels,omitempty"`
	Links              map[string]string `json:"links,omitempty"`
	Notice             []string          `json:"notice,omitempty"`
	PossiblyDuplicated bool              `json:"possibly_duplicated,omitempty"`
	Flag               json.RawMessage   `json:"flag,omitempty"`
	Riskiest           []json.RawMessage `json:"riskiest,omitempty"`
}

type groupCount struct {
	schemas.AlertGroupLabels
	Count    int64  `json:"count"`
	Incident string `json:"incident_id,omitempty"` // one of them
}

type label struct {
	Verdict string    `json:"verdict"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
	Comment string    `json:"comment,omitempty"`
}

// newMessage returns the body for an alert. Texts are redacted again, in case the writer of the flag did not.
func newMessage(kind string, alert *schemas.Alert, opts card.RenderOptions) (message, error) {
	opts.Buttons = false
	c := card.NewCard(alert, opts)
	d := data{
		Message: alert.Message, Group: alert.Group, Kind: string(alert.Kind), Severity: string(alert.Severity), Cause: string(alert.Cause),
		Tenant: alert.Tenant, Title: c.Title, Count: max(alert.Count, 1), EarlierCount: alert.EarlierCount,
		First: alert.First.UTC(), Last: alert.Last.UTC(), Models: alert.Models, MoreGroups: alert.MoreGroups,
		PossiblyDuplicated: alert.PossiblyDuplicated, Links: links(&c),
	}
	if alert.Kind == schemas.AlertNotice {
		d.Count, d.Notice = 0, append(c.Groups, c.Advice)
		return message{Type: kind, Timestamp: d.Last, Data: d}, nil
	}
	if d.Kind == "" {
		d.Kind = string(schemas.AlertGroup)
	}
	for _, g := range alert.Groups {
		d.Groups = append(d.Groups, groupCount{g.Group, g.Count, g.Incident})
	}
	for i := range alert.Feedback {
		l := &alert.Feedback[i]
		entry := label{Verdict: string(l.Verdict), By: l.User, At: l.At.UTC()}
		if !opts.HideExcerpts {
			entry.Comment = redact.Redact(l.Comment)
		}
		d.Labels = append(d.Labels, entry)
	}
	var err error
	if d.Flag, err = flagJSON(&alert.Flag, opts.HideExcerpts); err != nil {
		return message{}, err
	}
	for i := range alert.Riskiest {
		raw, err := flagJSON(&alert.Riskiest[i], opts.HideExcerpts)
		if err != nil {
			return message{}, err
		}
		d.Riskiest = append(d.Riskiest, raw)
	}
	return message{Type: kind, Timestamp: d.Last, Data: d}, nil
}

// minimal is the form to send when the receiver rejects the full one.
func (m message) minimal() message {
	m.Data.Flag, m.Data.Riskiest, m.Data.Groups, m.Data.Labels, m.Data.Models, m.Data.Links = nil, nil, nil, nil, nil, nil
	return m
}

func links(c *card.Card) map[string]string {
	out := make(map[string]string, len(c.Links))
	for _, l := range c.Links {
		switch l.Action {
		case card.ActionTrace:
			out["trace"] = l.URL
		case card.ActionPage:
			out["incident"] = l.URL
		case card.ActionRunbook:
			out["runbook"] = l.URL
		}
	}
	return out
}

// flagJSON is a flag in the form of llm.incidents. Without excerpts it holds nothing that is derived from the answer, its
// sources or the question.
func flagJSON(f *schemas.Flag, hide bool) (json.RawMessage, error) {
	text := redact.Redact
	if hide {
		text = func(string) string { return "" }
	}
	out := *f
	out.Question, out.Attributes = text(f.Question), nil
	out.Signals = make([]schemas.Signal, len(f.Signals))
	for i := range f.Signals {
		s := f.Signals[i]
		s.Reason = redact.Redact(s.Reason)
		s.Evidence = make([]schemas.Evidence, len(f.Signals[i].Evidence))
		for j, e := range f.Signals[i].Evidence {
			e.Excerpt, e.Note, e.Citation = text(e.Excerpt), text(e.Note), text(e.Citation)
			e.SourceExcerpt, e.SourceSays = text(e.SourceExcerpt), text(e.SourceSays)
			s.Evidence[j] = e
		}
		s.Statements = nil
		out.Signals[i] = s
	}
	if f.Grounding != nil {
		g := *f.Grounding
		g.UngroundedClaimList = make([]schemas.Claim, len(f.Grounding.UngroundedClaimList))
		for i, claim := range f.Grounding.UngroundedClaimList {
			claim.Excerpt = text(claim.Excerpt)
			g.UngroundedClaimList[i] = claim
		}
		out.Grounding = &g
	}
	return records.AppendFlag(nil, &out)
}
