package serve

import (
	"context"
	"net/http"

	"confab/detectors/rewrite"
	"confab/schemas"
)

// rewriteField is the parameter that names a mode of rewriting, and the field of the rewritten answer.
const rewriteField = "rewrite"

var errRewrite = &apiProblem{http.StatusBadRequest, "rewrite", "rewrite is remove, hedge, annotate or none", 0}

// checkMode refuses a name that is no mode of rewriting. An empty one leaves the choice to the tenant's setting.
func checkMode(name string) error {
	if _, err := rewrite.ParseMode(name); err != nil && name != "" && name != rewrite.ModeNone {
		return errRewrite
	}
	return nil
}

// addRewritten adds the rewritten answer to a result, if the request or the tenant's settings want one.
func (s *Server) addRewritten(ctx context.Context, in *schemas.Interaction, flag *schemas.Flag, o *checkOptions, res *checkResult) {
	settings := s.Config.RewriteSettings(in.Tenant)
	if o.rewrite != "" {
		settings.Mode = o.rewrite
	}
	mode, wanted := settings.Default()
	if !wanted || len(res.body) == 0 {
		return
	}
	revised := rewrite.ReviseAnswer(ctx, in, flag, rewrite.Options{
		Mode: mode, EmptyAnswer: settings.EmptyAnswer, Logger: s.Logger,
		Evaluate: func(ctx context.Context, in *schemas.Interaction) (schemas.Flag, error) {
			f := o.evaluator.Evaluate(ctx, in, flag.Origin, s.Now())
			return f, ctx.Err()
		},
	})
	if res.decision == "blocked" && !s.settings.RefusalExcerpts {
		revised.Original, revised.Edits = "", []rewrite.Edit{}
	}
	body := append(res.body[:len(res.body)-1:len(res.body)-1], `,"`+rewriteField+`":`...)
	res.body = append(append(body, encodeJSON(revised)...), '}')
}
