package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab"
	"confab/internal/worker/access"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/json"
)

// originTopic is the topic of the origin of interactions that arrive over HTTP.
const originTopic = "http"

// decodeFunc decodes a record into an interaction that points into it.
type decodeFunc func(raw []byte, in *schemas.Interaction) error

// check answers POST /v1/check: one interaction, or JSON Lines.
func (s *Server) check(q *webRequest) error {
	decode := s.plain.Decode
	if name := q.URL.Query().Get("preset"); name != "" {
		input := s.presets[name]
		if input == nil {
			return errPreset
		}
		decode = input.Decode
	}
	o, err := s.optionsOf(q)
	if err != nil {
		return err
	}
	raw, err := q.readAll()
	if err != nil {
		return err
	}
	if q.lines {
		return s.checkLines(q, raw, decode, o)
	}
	return s.checkOne(q, raw, decode, o)
}

// checkOptions are what a request asks for.
type checkOptions struct {
	evaluator *confab.Evaluator
	deadline  time.Duration
	brief     bool     // the answer of POST /check
	ignored   []string // members of its body that mean nothing
	rewrite   string   // the mode that the request asks for, none for no rewritten answer, "" for the tenant's setting
}

func (s *Server) optionsOf(q *webRequest) (o checkOptions, err error) {
	if o.deadline, err = q.deadline(s.settings.Deadline); err != nil {
		return o, err
	}
	values := q.URL.Query()
	o.rewrite = values.Get(rewriteField)
	if err := checkMode(o.rewrite); err != nil {
		return o, err
	}
	switch pass := values.Get("pass"); {
	case pass == string(schemas.PassDeep):
		o.evaluator, err = s.deep.get()
	case pass != "" && pass != string(schemas.PassFast):
		err = errPass
	default:
		o.evaluator = s.Evaluator.Load()
	}
	return o, err
}

// checkOne answers with one result.
func (s *Server) checkOne(q *webRequest, raw []byte, decode decodeFunc, o checkOptions) error {
	res, err := s.checkRecord(q, raw, decode, o)
	if err != nil {
		return err
	}
	s.reply(q, &res)
	return nil
}

// reply writes one result as the response.
func (s *Server) reply(q *webRequest, res *checkResult) {
	res.writeHeaders(q.reply.header())
	q.reply.write(res.status, "application/json", append(res.body, '\n'))
}

// linesHeader has the number of lines that follow, so that a client knows whether it has all.
const linesHeader = "X-Confab-Lines"

// maxLines bounds the lines of a request that are not blank.
const maxLines = 10_000

// checkLines answers with a line per line that is not blank, in order. A line that cannot be checked has an error with its
// number. The body is read before the first line is answered: a client may send all of it before it reads.
func (s *Server) checkLines(q *webRequest, body []byte, decode decodeFunc, o checkOptions) error {
	count := 0
	for line := range bytes.Lines(body) {
		if len(bytes.TrimSpace(line)) > 0 {
			count++
		}
	}
	if count > maxLines {
		return errManyLines
	}
	refused := map[string]int{}
	defer func() { s.auditLines(q, refused) }()
	q.reply.header().Set(linesHeader, strconv.Itoa(count))
	q.reply.begin(http.StatusOK, "application/x-ndjson")
	number := 0
	for line := range bytes.Lines(body) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		q.began = s.Now()
		res, err := s.checkRecord(q, line, decode, o)
		out := res.body
		if err != nil {
			p := s.problem(err)
			refused[p.code]++
			out = encodeJSON(map[string]any{"line": number, "error": p.body()})
		} else if res.refusal != nil {
			out = append(fmt.Appendf(nil, `{"line":%d,`, number), res.body[1:]...)
		}
		if err := q.reply.writeLine(out); err != nil {
			return nil // the client has gone
		}
	}
	return nil
}

// checkRecord checks one interaction. The error is a refusal.
func (s *Server) checkRecord(q *webRequest, raw []byte, decode decodeFunc, o checkOptions) (res checkResult, err error) {
	in := new(schemas.Interaction)
	if err := decode(raw, in); err != nil {
		if errors.Is(err, json.ErrSkipped) {
			err = errLeftOut
		}
		return res, err
	}
	if isMalformed(in) {
		return res, errMalformed
	}
	if err := s.admit(q, strings.TrimSpace(in.Tenant)); err != nil {
		return res, err
	}
	records.SetTenant(in, q.tenant)
	ctx, cancel := context.WithTimeout(q.Context(), o.deadline)
	defer cancel()
	return s.measure(ctx, q, in, &o, nil), nil
}

// isMalformed reports an interaction whose answer cannot be compared as its sender wants.
func isMalformed(in *schemas.Interaction) bool {
	return slices.Contains(in.Malformed, "messages") || slices.Contains(in.Malformed, "sources")
}

// identify gives an interaction without an id or a trace those of its content and its request.
func identify(q *webRequest, in *schemas.Interaction) {
	if in.ID == "" {
		in.ID, in.IDSource = confab.ContentID(in), confab.IDSourceContent
	}
	if in.TraceID == "" {
		in.TraceID, _ = schemas.ReadTraceparent(q.Header.Get("Traceparent"))
	}
}

// measure evaluates an interaction of q.tenant, publishes its flag and logs the decision.
func (s *Server) measure(ctx context.Context, q *webRequest, in *schemas.Interaction, o *checkOptions, unread []string) checkResult {
	identify(q, in)
	record, err := recordOf(s.Config, in)
	if err != nil {
		return s.unchecked(ctx, q, o, in.ID, s.problem(err))
	}
	s.input.Complete(in)
	flag := o.evaluator.Evaluate(ctx, in, schemas.Origin{Topic: originTopic}, s.Now())
	if s.Publish != nil && ctx.Err() == nil {
		if err = s.Publish(ctx, &flag, in, record); err != nil {
			s.Logger.WarnContext(ctx, "publish failed", "error", err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return s.unchecked(ctx, q, o, in.ID, errDeadline)
	case err != nil:
		return s.unchecked(ctx, q, o, in.ID, errPublish)
	}
	if g := flag.Grounding; g != nil && s.settings.Publish != config.PublishAll { // else detect counts it
		s.Checks.Count(in.Service, in.Model, g.Grounded, flag.Action)
	}
	res := s.flagResult(&flag, unread)
	res.event = records.EventType(&flag, in)
	if res.refusal == nil {
		s.addRewritten(ctx, in, &flag, o, &res)
	}
	if o.brief {
		res.shorten(&flag, o.ignored)
	}
	s.audit(ctx, q, &flag, &res)
	return res
}

// defaultTenant is the tenant of a request that names none, from a sender of all tenants.
func (q *webRequest) defaultTenant() string {
	if q.input.TenantFrom == config.TenantFixed {
		return q.input.Tenant
	}
	return schemas.DefaultTenant
}

// maxTenantName bounds the names of tenants, in bytes.
const maxTenantName = 256

// admit sets q.tenant to the tenant that the sender may ask for, and takes one of its checks. The error is a refusal.
func (s *Server) admit(q *webRequest, asked string) error {
	asked = cmp.Or(q.Header.Get(tenantHeader), asked)
	if len(asked) > maxTenantName {
		return errTenantName
	}
	tenant, err := q.principal.Choose(asked, q.defaultTenant())
	if err == nil && q.published && q.input.TenantFrom == config.TenantFixed && tenant != q.input.Tenant {
		err = access.ErrTenant // the stream would give the interaction its own tenant, so another incident id
	}
	if err != nil {
		return err
	}
	q.tenant = tenant
	if wait := s.limits.reserve(tenant, s.Now()); wait > 0 {
		return &apiProblem{http.StatusTooManyRequests, "rate_limit", "the tenant has more checks a second than serve.rate_limit", wait}
	}
	return nil
}
