package serve

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/llmapi"
)

// checkResult is the outcome of one check.
type checkResult struct {
	status   int
	body     []byte // JSON, without a line break
	headers  map[string]string
	decision string // for the audit log, one of decisions
	event    string // for the audit log, of records.EventType
	checked  schemas.Checked
	reasons  []string    // why not all was measured
	unread   []string    // what a choice holds besides its text, of llmapi
	refusal  *apiProblem // that an answer got which was not measured; the body has it, too
}

// flagResult acts on a flag as its tenant's action and on_failure say. Only BLOCK refuses an answer for what was found, and
// only if the recommendation is to block it.
func (s *Server) flagResult(f *schemas.Flag, unread []string) checkResult {
	if f.Checked = cmp.Or(f.Checked, schemas.CheckedFull); slices.Contains(unread, llmapi.UnreadParts) {
		f.Unchecked = append(slices.Clone(f.Unchecked), llmapi.UnreadParts)
		if f.Checked == schemas.CheckedFull {
			f.Checked = schemas.CheckedPartial
		}
	}
	flag, err := json.AppendFlag(nil, f)
	if err != nil {
		return s.failedResult(f.Tenant, f.Action, f.InteractionID, s.problem(err))
	}
	res := checkResult{
		status: http.StatusOK, body: flag, decision: "passed", headers: map[string]string{},
		checked: f.Checked, reasons: f.Unchecked, unread: unread,
	}
	if f.Action == schemas.ActionFlag || f.Action == schemas.ActionBlock {
		res.addVerdict(f)
	}
	switch {
	case f.Action == schemas.ActionBlock && f.Recommendation == schemas.Block:
		res.status, res.decision, res.body = http.StatusForbidden, "blocked", s.blockedBody(f, flag)
	case res.checked != schemas.CheckedFull && onFailure(s.Config, f.Tenant, f.Action) == config.FailClosed:
		res.refuse(errNotMeasured)
		res.decision = "unmeasured_closed"
	case res.checked != schemas.CheckedFull:
		res.decision = "unmeasured_open"
	}
	return res
}

// addVerdict adds what was found to the headers.
func (r *checkResult) addVerdict(f *schemas.Flag) {
	r.headers["X-Confab-Incident-Id"] = f.IncidentID
	r.headers["X-Confab-Recommendation"] = string(f.Recommendation)
	r.headers["X-Confab-Fired"] = strings.Join(f.Fired, ",")
	if f.Risk != nil {
		r.headers["X-Confab-Risk"] = strconv.FormatFloat(*f.Risk, 'f', 3, 64)
	}
	if f.Recommendation != schemas.Allow {
		r.decision = "flagged"
	}
}

// refuse makes the result a refusal of an answer that was not measured.
func (r *checkResult) refuse(p *apiProblem) {
	r.status, r.decision, r.refusal = p.status, "failed_closed", p
	r.body = encodeJSON(map[string]any{"error": p.body(), "checked": r.checked, "unchecked": r.reasons})
}

// blockedError is the error of an answer that is blocked: OpenAI's shape, with what was found.
type blockedError struct {
	errorBody

	TraceID    string          `json:"trace_id"` // "" for an answer without one
	IncidentID string          `json:"incident_id"`
	Risk       *float64        `json:"risk"`
	Fired      []string        `json:"fired"`
	Claims     []schemas.Claim `json:"ungrounded_claims"`
}

// blockedBody is the refusal of a blocked answer. Without serve.refusal_excerpts it holds no text of the answer.
func (s *Server) blockedBody(f *schemas.Flag, flag []byte) []byte {
	e := blockedError{
		errorBody: errorBody{
			Message: "the answer was blocked: " + strings.Join(f.Fired, ", ") + " found statements that its sources do not support",
			Type:    typeHallucination, Code: "blocked_by_policy",
		},
		TraceID: f.TraceID, IncidentID: f.IncidentID, Risk: f.Risk, Fired: f.Fired, Claims: []schemas.Claim{},
	}
	if !s.settings.RefusalExcerpts {
		return encodeJSON(map[string]any{"error": e})
	}
	if f.Grounding != nil && len(f.Grounding.UngroundedClaimList) > 0 {
		e.Claims = f.Grounding.UngroundedClaimList
	}
	body := append([]byte(`{"error":`), encodeJSON(e)...)
	return append(append(append(body, `,"flag":`...), flag...), '}')
}

// failedResult is the outcome of a check that has no flag, as the tenant's on_failure says.
func (s *Server) failedResult(tenant string, action schemas.Action, id string, p *apiProblem) checkResult {
	res := checkResult{status: http.StatusOK, decision: "failed_open", checked: schemas.CheckedNone, reasons: []string{p.code}}
	if onFailure(s.Config, tenant, action) == config.FailClosed {
		res.refuse(p)
	} else {
		res.body = uncheckedBody(tenant, id, &res, p.message)
	}
	return res
}

// unchecked is the audited outcome of a check that has no flag.
func (s *Server) unchecked(ctx context.Context, q *webRequest, o *checkOptions, id string, p *apiProblem) checkResult {
	f := &schemas.Flag{Tenant: q.tenant, Action: o.evaluator.Policy.Action(q.tenant), Recommendation: schemas.Allow}
	res := s.failedResult(f.Tenant, f.Action, id, p)
	if o.brief {
		res.shorten(f, o.ignored)
	}
	s.audit(ctx, q, f, &res)
	return res
}

func uncheckedBody(tenant, id string, r *checkResult, message string) []byte {
	return encodeJSON(map[string]any{"checked": r.checked, "unchecked": r.reasons, "message": message, "interaction_id": id, "tenant": tenant})
}

// onFailure says what becomes of a tenant's answers that were not measured.
func onFailure(c *config.Config, tenant string, action schemas.Action) string {
	otherwise := config.FailOpen
	if action == schemas.ActionBlock {
		otherwise = config.FailClosed
	}
	return cmp.Or(c.Tenants[tenant].Serve.OnFailure, c.Serve.OnFailure, otherwise)
}

// rank orders results by the strictness of their decisions.
func (r *checkResult) rank() int { return slices.Index(decisions(), r.decision) }

// writeHeaders writes the headers of the result.
func (r *checkResult) writeHeaders(h http.Header) {
	for name, value := range r.headers {
		h.Set(name, value)
	}
	h.Set("X-Confab-Checked", string(r.checked))
	if len(r.reasons) > 0 {
		h.Set("X-Confab-Unchecked", strings.Join(r.reasons, ","))
	}
	if len(r.unread) > 0 {
		h.Set("X-Confab-Unread", strings.Join(r.unread, ","))
	}
	if r.refusal != nil && r.refusal.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(r.refusal.retryAfter/time.Second)))
	}
}

// audit logs the decision, without any text.
func (s *Server) audit(ctx context.Context, q *webRequest, f *schemas.Flag, r *checkResult) {
	s.metrics.decisions.WithLabelValues(r.decision).Inc()
	s.Logger.InfoContext(ctx, "answer checked",
		"event", r.event, "principal", q.principal.Name, "tenant", f.Tenant, "incident_id", f.IncidentID, "recommendation", f.Recommendation,
		"action", f.Action, "decision", r.decision, "checked", r.checked, "unchecked", r.reasons, "unread", r.unread,
		"status", r.status, "duration", s.Now().Sub(q.began).Round(time.Microsecond))
}
