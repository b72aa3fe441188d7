package serve

import (
	"bufio"
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"confab"
	"confab/cmd/worker/internal/access"
	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/config/serving"
	"confab/cmd/worker/internal/records"
	"confab/schemas"
	"confab/schemas/chatstream"
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
	if q.lines {
		return s.checkLines(q, decode, o)
	}
	raw, err := q.readAll()
	if err != nil {
		return err
	}
	return s.checkOne(q, raw, decode, o)
}

// checkChat answers POST /v1/check/chat: a request of OpenAI's chat completions with its response.
func (s *Server) checkChat(q *webRequest) error {
	if q.lines {
		return errNoLines
	}
	o, err := s.optionsOf(q)
	if err != nil {
		return err
	}
	raw, err := q.readAll()
	if err != nil {
		return err
	}
	body, tenant, err := readChat(raw)
	if err != nil {
		return err
	}
	preset := s.presets["openai"].Decode
	return s.checkOne(q, body, func(raw []byte, in *schemas.Interaction) error {
		err := preset(raw, in)
		in.Tenant = tenant
		return err
	}, o)
}

// readChat returns the body with a complete response, and its tenant: a response that was streamed is assembled. What else
// is wrong with it the preset says.
func readChat(raw []byte) (body []byte, tenant string, err error) {
	var members map[string]stdjson.RawMessage
	if err := stdjson.Unmarshal(raw, &members); err != nil {
		return raw, "", nil //nolint:nilerr // the preset says it better
	}
	_ = stdjson.Unmarshal(members["tenant"], &tenant) // no text is no tenant
	response := []byte(members["response"])
	var text string
	isText := stdjson.Unmarshal(response, &text) == nil && len(response) > 0 && response[0] == '"'
	if isText {
		response = []byte(text)
	}
	if isText || chatstream.IsTranscript(response) {
		stream, err := chatstream.Assemble(response)
		if err != nil {
			return nil, "", errStream
		}
		if response, err = stream.Completion(); err != nil {
			return nil, "", err
		}
		members["response"] = response
		if raw, err = stdjson.Marshal(members); err != nil {
			return nil, "", err
		}
	}
	var choices struct {
		Choices []stdjson.RawMessage `json:"choices"`
	}
	if stdjson.Unmarshal(response, &choices) == nil && len(choices.Choices) > 1 {
		return nil, "", errManyChoices
	}
	return raw, tenant, nil
}

// checkOptions are what a request asks for.
type checkOptions struct {
	evaluator *confab.Evaluator
	deadline  time.Duration
	rewrite   string // the mode that the request asks for, none for no rewritten answer, "" for the tenant's setting
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
	case isSet(values.Get("explain")):
		o.evaluator, err = s.explain.get(s.Evaluator.Load())
	default:
		o.evaluator = s.Evaluator.Load()
	}
	return o, err
}

func isSet(value string) bool { return value != "" && value != "0" && value != "false" }

// checkOne answers with one result.
func (s *Server) checkOne(q *webRequest, raw []byte, decode decodeFunc, o checkOptions) error {
	res, err := s.checkRecord(q, raw, decode, o)
	if err != nil {
		return err
	}
	res.writeHeaders(q.reply.header())
	q.reply.write(res.status, "application/json", append(res.body, '\n'))
	return nil
}

// checkLines answers with a line per line, in order. A line that cannot be checked has an error with its number.
func (s *Server) checkLines(q *webRequest, decode decodeFunc, o checkOptions) error {
	in := q.lineReader()
	for number := 1; ; number++ {
		line, err := readLine(in, int(s.Config.Kafka.MaxRecordBytes))
		q.extendRead()
		if len(bytes.TrimSpace(line)) > 0 {
			if q.reply.status == 0 {
				q.reply.begin(http.StatusOK, "application/x-ndjson")
			}
			out, lineErr := s.checkRecord(q, line, decode, o)
			if lineErr != nil {
				out.body = lineError(number, s.problem(lineErr))
			}
			if writeErr := q.reply.writeLine(out.body); writeErr != nil {
				return nil //nolint:nilerr // the client has gone
			}
		}
		switch {
		case errors.Is(err, io.EOF) && q.reply.status == 0:
			return errEmptyBody
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && q.reply.status != 0: // too late for a status
			_ = q.reply.writeLine(lineError(number, s.problem(err))) // the client may have gone
			return nil
		case err != nil:
			return err
		}
	}
}

func lineError(number int, p *apiProblem) []byte {
	return encodeJSON(map[string]any{"line": number, "error": p.body()})
}

// readLine reads a line. One that is longer than limit is cut there, so that its decoder refuses it as too large.
func readLine(in *bufio.Reader, limit int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if left := limit + 1 - len(line); len(part) > left {
			part = part[:max(left, 0)]
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// checkRecord checks one interaction. The error is a refusal.
func (s *Server) checkRecord(q *webRequest, raw []byte, decode decodeFunc, o checkOptions) (res checkResult, err error) {
	began := s.Now()
	in := new(schemas.Interaction)
	if err := decode(raw, in); err != nil {
		if errors.Is(err, json.ErrSkipped) {
			err = errLeftOut
		}
		return res, err
	}
	if err := errors.Join(o.takeMode(raw, in), s.admit(q, in)); err != nil {
		return res, err
	}
	if wait := s.limits.reserve(in.Tenant, began); wait > 0 {
		return res, &apiProblem{http.StatusTooManyRequests, "rate_limit", "the tenant has more checks a second than serve.rate_limit", wait}
	}
	record, err := recordOf(s.Config, in)
	if err != nil {
		return res, err
	}
	s.input.Complete(in)
	ctx, cancel := context.WithTimeout(q.Context(), o.deadline)
	defer cancel()
	flag := o.evaluator.Evaluate(ctx, in, schemas.Origin{Topic: originTopic}, s.Now())
	if err = ctx.Err(); err != nil {
		err = errDeadline
	} else if s.Publish != nil {
		if err = s.Publish(ctx, &flag, in, record); err != nil {
			s.Logger.WarnContext(ctx, "publish failed", "error", err)
			err = errPublish
		}
	}
	if err != nil {
		res, err = s.unchecked(in, s.problem(err))
	} else if res, err = checkedResult(&flag); err == nil {
		s.addRewritten(ctx, in, &flag, &o, &res)
	}
	s.audit(q, &flag, &res, s.Now().Sub(began))
	return res, err
}

// publishesAs reports whether interactions are published to an input whose tenants come from there.
func (s *Server) publishesAs(tenantFrom string) bool {
	return s.settings.Publish == serving.PublishAll && s.Config.Kafka.Inputs[0].TenantFrom == tenantFrom
}

// defaultTenant is the tenant of requests that name none, from senders of all tenants.
func (s *Server) defaultTenant() string {
	if first := &s.Config.Kafka.Inputs[0]; first.TenantFrom == config.TenantFixed {
		return first.Tenant
	}
	return schemas.DefaultTenant
}

// admit sets the tenant that the sender may ask for, and an id.
func (s *Server) admit(q *webRequest, in *schemas.Interaction) error {
	asked := q.Header.Get(tenantHeader)
	if asked == "" {
		asked = strings.TrimSpace(in.Tenant)
	}
	tenant, err := q.principal.Choose(asked, s.defaultTenant())
	if err == nil && tenant != s.defaultTenant() && s.publishesAs(config.TenantFixed) {
		err = access.ErrTenant // the stream would give the interaction its own tenant, so another incident id
	}
	if err != nil {
		return err
	}
	records.SetTenant(in, tenant)
	if in.ID == "" {
		in.ID, in.IDSource = confab.ContentID(in), confab.IDSourceContent
	}
	return nil
}
