package ui

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"confab/alerting/card"
	"confab/internal/kafka"
	"confab/internal/rowview"
	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/json"
)

// find returns an incident that the person may see. What belongs to other tenants does not exist for them.
func (s *Server) find(q *pageRequest) (*found, error) {
	in, ok := s.store.get(q.PathValue("id"))
	if !ok || slices.ContainsFunc(in.Rows, func(r row) bool { return !q.person.Sees(r.Tenant) }) {
		return nil, errNotFound()
	}
	return &in, nil
}

func (s *Server) showIncident(q *pageRequest) error {
	in, err := s.find(q)
	if err != nil {
		return err
	}
	row := in.Rows[len(in.Rows)-1] // the deep flag outranks the fast one
	p := &incidentPage{
		Frame: s.frame(q, "Incident "+row.Incident[:12], "/incidents"), Row: row, Labels: in.Labels,
		Next:  ownPath(q.URL.Query().Get("next")),
		Saved: q.URL.Query().Has("saved"),
	}
	for i := range in.Rows {
		p.Passes = append(p.Passes, in.Rows[i].Pass)
	}
	var flag schemas.Flag
	if err := json.DecodeFlag(in.Flags[len(in.Flags)-1], &flag); err != nil {
		p.Texts = "The stored flag cannot be read: it may be of a newer version of confab."
		return s.write(q, p)
	}
	p.Flag, p.Trace = &flag, card.TraceLink(s.Config.Alerting.TraceURL, &flag)
	switch text, err := s.texts.Find(q.Context(), &flag); {
	case err == nil:
		p.View = &rowview.HTML{Row: rowview.New(text, &flag, s.redactor)}
	case errors.Is(err, records.ErrGone):
		p.Texts = "The text is no longer retained in " + flag.Origin.Topic + ". The excerpts of the flag remain."
	default:
		s.Logger.WarnContext(q.Context(), "look up interaction failed", "error", err)
		p.Texts = "The text cannot be read now: no broker answers, or reading " + flag.Origin.Topic + " is not allowed. The excerpts of the flag remain."
	}
	return s.write(q, p)
}

// ownPath is a path of this page to go to, or "".
func ownPath(path string) string {
	if slices.Contains([]string{"/review", "/incidents"}, path) {
		return path
	}
	return ""
}

// Bounds of a label.
const (
	maxComment = 1000 // characters
	maxPerson  = 128
)

// checkForm refuses forms that another site has sent.
func (s *Server) checkForm(q *pageRequest) error {
	if err := http.NewCrossOriginProtection().Check(q.Request); err != nil {
		return &pageError{http.StatusForbidden, "Refused", "The form was sent from another site."}
	}
	q.Body = http.MaxBytesReader(q.w, q.Body, maxForm)
	if err := q.ParseForm(); err != nil {
		return &pageError{http.StatusBadRequest, "Not valid", "The form cannot be read, or is too large."}
	}
	return nil
}

// saveLabel writes a label as the buttons in Slack do.
func (s *Server) saveLabel(q *pageRequest) error {
	in, err := s.find(q)
	if err != nil {
		return err
	}
	if err := s.checkForm(q); err != nil {
		return err
	}
	row := in.Rows[len(in.Rows)-1]
	verdict, known := schemas.ParseVerdict(q.PostForm.Get("verdict"))
	label := schemas.Feedback{
		IncidentID: row.Incident, Verdict: verdict, User: cutRunes(q.person.Name, maxPerson),
		Detectors: slices.Sorted(slices.Values(row.Fired)), Judge: row.Judge, Source: schemas.FromUI, At: s.Now().UTC(), Comment: strings.TrimSpace(q.PostForm.Get("comment")),
	}
	if !known || utf8.RuneCountInString(label.Comment) > maxComment || !utf8.ValidString(label.Comment) {
		return &pageError{http.StatusBadRequest, "Not valid", "Choose wrong or fine, and write at most 1,000 characters."}
	}
	value, err := json.AppendFeedback(nil, &label)
	if err != nil {
		return err
	}
	err = s.producer.ProduceSync(q.Context(), kafka.Message{
		Topic: s.Config.Kafka.Topics.Feedback, Partition: kafka.AnyPartition, Key: []byte(label.IncidentID), Value: value,
	})
	if err != nil {
		s.Logger.WarnContext(q.Context(), "write label failed", "error", err)
		return &pageError{http.StatusServiceUnavailable, "Not saved", "The label may not be saved: no broker has acknowledged it. Try again."}
	}
	s.Logger.InfoContext(q.Context(), "label written", "incident", label.IncidentID, "verdict", string(label.Verdict), "user", label.User, "tenant", row.Tenant)
	s.store.addLabel(&label)
	if next := ownPath(q.PostForm.Get("next")); next != "" {
		return s.redirect(q, next)
	}
	return s.redirect(q, "/incidents/"+label.IncidentID+"?saved=1")
}

func cutRunes(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit])
}
