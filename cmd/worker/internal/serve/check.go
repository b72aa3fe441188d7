package serve

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"confab"
	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/records"
	"confab/schemas"
	"confab/schemas/json"
)

// originTopic is the topic of the origin of interactions that arrive over HTTP.
const originTopic = "http"

// decodeFunc decodes a record into an interaction that points into it.
type decodeFunc func(raw []byte, in *schemas.Interaction) error

// check answers POST /v1/check: one interaction, or JSON Lines.
func (s *Server) check(q *request) error {
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
func (s *Server) checkChat(q *request) error {
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
	var body struct {
		Tenant   string `json:"tenant"`
		Response struct {
			Choices []stdjson.RawMessage `json:"choices"`
		} `json:"response"`
	}
	if stdjson.Unmarshal(raw, &body) == nil && len(body.Response.Choices) > 1 { // else the preset says what is wrong
		return errManyChoices
	}
	preset := s.presets["openai"].Decode
	return s.checkOne(q, raw, func(raw []byte, in *schemas.Interaction) error {
		err := preset(raw, in)
		in.Tenant = body.Tenant
		return err
	}, o)
}

// checkOptions are what a request asks for.
type checkOptions struct {
	evaluator *confab.Evaluator
	deadline  time.Duration
	single    bool // not one of many lines
}

func (s *Server) optionsOf(q *request) (o checkOptions, err error) {
	if o.deadline, err = q.deadline(s.settings.Deadline); err != nil {
		return o, err
	}
	values := q.URL.Query()
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
func (s *Server) checkOne(q *request, raw []byte, decode decodeFunc, o checkOptions) error {
	o.single = true
	res, err := s.checkRecord(q, raw, decode, o)
	if err != nil {
		return err
	}
	res.writeHeaders(q.reply.header())
	q.reply.write(res.status, "application/json", append(res.body, '\n'))
	return nil
}

// checkLines answers with a line per line, in order. A line that cannot be checked has an error with its number.
func (s *Server) checkLines(q *request, decode decodeFunc, o checkOptions) error {
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

func lineError(number int, p *problem) []byte {
	return encodeJSON(map[string]any{"line": number, "error": p.body()})
}

// readLine reads a line. One that is longer than limit is cut there, so that its decoder refuses it as too large.
func readLine(in interface {
	ReadSlice(delim byte) ([]byte, error)
}, limit int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if left := limit + 1 - len(line); len(part) > left {
			part = part[:max(left, 0)]
		}
		line = append(line, part...)
		if !isLong(err) {
			return line, err
		}
	}
}

// checkRecord checks one interaction. The error is a refusal.
func (s *Server) checkRecord(q *request, raw []byte, decode decodeFunc, o checkOptions) (res result, err error) {
	began := s.Now()
	in := new(schemas.Interaction)
	if err := decode(raw, in); err != nil {
		if errors.Is(err, json.ErrSkipped) {
			err = errManyPresets
		}
		return res, err
	}
	if err := s.admit(q, in); err != nil {
		return res, err
	}
	if wait := s.limits.reserve(in.Tenant, began); wait > 0 {
		return res, &problem{http.StatusTooManyRequests, "rate_limit", "the tenant has more checks a second than serve.rate_limit", wait}
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
	} else {
		res, err = checkedResult(&flag)
	}
	s.audit(q, &flag, &res, s.Now().Sub(began))
	return res, err
}

// admit sets the tenant that the sender may ask for, and an id.
func (s *Server) admit(q *request, in *schemas.Interaction) error {
	asked := q.Header.Get(tenantHeader)
	if asked == "" {
		asked = strings.TrimSpace(in.Tenant)
	}
	otherwise := schemas.DefaultTenant
	if first := &s.Config.Kafka.Inputs[0]; first.TenantFrom == config.TenantFixed {
		otherwise = first.Tenant
	}
	tenant, err := q.principal.Choose(asked, otherwise)
	if err != nil {
		return err
	}
	records.SetTenant(in, tenant)
	if in.ID == "" {
		in.ID, in.IDSource = confab.ContentID(in), confab.IDSourceContent
	}
	return nil
}
