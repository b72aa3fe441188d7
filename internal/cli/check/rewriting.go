package check

import (
	"context"
	stdjson "encoding/json"
	"log/slog"
	"strings"

	"confab/detectors/rewrite"
	"confab/schemas"
)

// Rewriting configures the rewritten answers that are added to flags.
type Rewriting struct {
	Mode        rewrite.Mode
	EmptyAnswer func(tenant string) string // the sentence for an answer of which nothing is left
	HideTexts   bool                       // show neither answer
	Logger      *slog.Logger               // receives panics of rewriting; may be nil
}

// rewrite returns the rewritten answer of an evaluated interaction, redacted as excerpts are; nil if none is wanted.
func (o *Options) rewrite(ctx context.Context, in *schemas.Interaction, flag *schemas.Flag) *rewrite.Result {
	if o.Rewriting == nil {
		return nil
	}
	evaluate := func(ctx context.Context, in *schemas.Interaction) (schemas.Flag, error) {
		f := o.Evaluate(ctx, in, flag.Origin, o.Now())
		return f, ctx.Err()
	}
	r := rewrite.ReviseAnswer(ctx, in, flag, rewrite.Options{
		Mode: o.Rewriting.Mode, EmptyAnswer: o.Rewriting.EmptyAnswer(in.Tenant), Evaluate: evaluate, Logger: o.Rewriting.Logger,
	})
	if o.Rewriting.HideTexts {
		r = r.Redacted(nil)
	} else {
		r = r.Redacted(o.Redactor.Redact)
	}
	return &r
}

// appendRewrite adds the rewritten answer to the flag's JSON object.
func appendRewrite(flag []byte, r *rewrite.Result) ([]byte, error) {
	if r == nil {
		return flag, nil
	}
	b, err := stdjson.Marshal(r)
	if err != nil {
		return nil, err
	}
	flag = append(flag[:len(flag)-1], `,"rewrite":`...)
	return append(append(flag, b...), '}'), nil
}

// rewriteOutcome is the name under which the summary counts a rewriting.
func rewriteOutcome(r *rewrite.Result) string {
	return strings.TrimSpace(string(r.Status) + " " + r.Reason)
}
