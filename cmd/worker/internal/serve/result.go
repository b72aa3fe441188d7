package serve

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/config/serving"
	"confab/schemas"
	"confab/schemas/json"
)

// checkResult is the answer to one check.
type checkResult struct {
	status  int
	body    []byte // JSON, without a line break
	headers map[string]string
	action  string // for the audit log
}

// checkedResult acts on a flag as its tenant's action says. Only BLOCK refuses the answer, and only if the recommendation is
// to block it.
func checkedResult(f *schemas.Flag) (res checkResult, err error) {
	flag, err := json.AppendFlag(nil, f)
	if err != nil {
		return res, err
	}
	res = checkResult{status: http.StatusOK, body: flag, action: "passed", headers: map[string]string{}}
	if f.Action == schemas.ActionLog || f.Action == "" {
		return res, nil
	}
	res.headers["X-Confab-Incident-Id"] = f.IncidentID
	res.headers["X-Confab-Recommendation"] = string(f.Recommendation)
	res.headers["X-Confab-Fired"] = strings.Join(f.Fired, ",")
	if f.Risk != nil {
		res.headers["X-Confab-Risk"] = strconv.FormatFloat(*f.Risk, 'f', 3, 64)
	}
	if f.Recommendation != schemas.Allow {
		res.action = "flagged"
	}
	if f.Action == schemas.ActionBlock && f.Recommendation == schemas.Block {
		res.status, res.action, res.body = http.StatusForbidden, "blocked", blockedBody(f, flag)
	}
	return res, nil
}

// blockedError is the error of an answer that is blocked: OpenAI's shape, with what was found.
type blockedError struct {
	errorBody

	IncidentID string          `json:"incident_id"`
	Risk       *float64        `json:"risk"`
	Fired      []string        `json:"fired"`
	Claims     []schemas.Claim `json:"ungrounded_claims"`
}

func blockedBody(f *schemas.Flag, flag []byte) []byte {
	e := blockedError{
		errorBody: errorBody{
			Message: "the answer was blocked: " + strings.Join(f.Fired, ", ") + " found statements that its sources do not support",
			Type:    typeHallucination, Code: "blocked_by_policy",
		},
		IncidentID: f.IncidentID, Risk: f.Risk, Fired: f.Fired, Claims: []schemas.Claim{},
	}
	if f.Grounding != nil && len(f.Grounding.UngroundedClaimList) > 0 {
		e.Claims = f.Grounding.UngroundedClaimList
	}
	body := append([]byte(`{"error":`), encodeJSON(e)...)
	return append(append(append(body, `,"flag":`...), flag...), '}')
}

// unchecked is the answer to a check that failed, as the tenant's on_failure says: a result, or the refusal.
func (s *Server) unchecked(in *schemas.Interaction, p *apiProblem) (res checkResult, err error) {
	if onFailure(s.Config, in.Tenant) == serving.FailClosed {
		return checkResult{status: p.status, action: "failed_closed"}, p
	}
	return checkResult{
		status: http.StatusOK, action: "failed_open", headers: map[string]string{"X-Confab-Checked": "false"},
		body: encodeJSON(map[string]any{"checked": false, "reason": p.code, "message": p.message, "interaction_id": in.ID, "tenant": in.Tenant}),
	}, nil
}

func onFailure(c *config.Config, tenant string) string {
	if own := c.Tenants[tenant].Serve.OnFailure; own != "" {
		return own
	}
	return c.Serve.OnFailure
}

func (r *checkResult) writeHeaders(h http.Header) {
	for name, value := range r.headers {
		h.Set(name, value)
	}
}

// audit logs the decision, without any text.
func (s *Server) audit(q *webRequest, f *schemas.Flag, r *checkResult, took time.Duration) {
	s.metrics.countDecision(r.action)
	s.Logger.InfoContext(q.Context(), "answer checked",
		"principal", q.principal.Name, "tenant", f.Tenant, "incident_id", f.IncidentID, "recommendation", f.Recommendation,
		"action", f.Action, "decision", r.action, "status", r.status, "duration", took.Round(time.Microsecond))
}
