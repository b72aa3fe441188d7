package doctor

import (
	"context"
	"fmt"
	"time"

	"confab/calibration/quality"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/schemas"
	"confab/schemas/json"
)

// JudgeCheck says which judge is in use, and where people's labels are.
type JudgeCheck struct {
	Asked schemas.Asked // empty: there is no judge
	Topic string        // of labels
	Now   time.Time
}

const (
	judgedLabels   = 30 * 24 * time.Hour // how old the labels may be
	fewestLabels   = 20                  // for a finding
	leastAgreement = 0.7                 // share of labels that the judge agrees with
)

// agreement reports whether the judge in use agrees with people's labels. An incident counts once, with its last label.
func (d *clusterCheck) agreement(ctx context.Context) {
	if d.Agreement.Asked.Prompt == "" {
		return
	}
	d.report(checkJudge, d.Agreement.Asked.Model, func(r *console.Report) {
		last := map[string]schemas.Feedback{}
		err := kafka.Read(ctx, kafka.ReaderOptions{
			Config: d.Kafka, Topics: []string{d.Agreement.Topic}, StopAtEnd: true,
			Start: kafka.Position{Kind: kafka.PositionTime, Time: d.Agreement.Now.Add(-judgedLabels)},
		}, func(rec *kafka.FetchedRecord) error {
			var f schemas.Feedback
			if json.DecodeFeedback(rec.Value, &f) == nil && f.Judge != nil && !f.At.Before(last[f.IncidentID].At) {
				last[f.IncidentID] = f
			}
			return nil
		})
		if err != nil {
			r.Skip("labels cannot be read: "+err.Error(), "grant READ on "+d.Agreement.Topic)
			return
		}
		examineJudge(r, d.Agreement.Asked, last)
	})
}

func examineJudge(r *console.Report, asked schemas.Asked, last map[string]schemas.Feedback) {
	var a quality.Agreement
	for _, f := range last {
		if f.Verdict != schemas.Forgotten && f.Judge.Model == asked.Model && f.Judge.Prompt == asked.Prompt {
			a.Add("", f.Verdict == schemas.Wrong, f.Judge.Wrong)
		}
	}
	switch {
	case a.N() < fewestLabels:
		r.OK(fmt.Sprintf("%d labels of answers that it judged by prompt %s: too few to compare", a.N(), asked.Prompt))
	case a.Share() < leastAgreement:
		r.Warn(fmt.Sprintf("it agrees with %s of %d labels of the last 30 days (prompt %s)", quality.Percent(a.Share()), a.N(), asked.Prompt),
			"compare models with `confab evaluate --deep --labels FILE`; set llm.judge.instructions for what it gets wrong, or another llm.judge.model")
	default:
		r.OK(fmt.Sprintf("it agrees with %s of %d labels of the last 30 days (prompt %s)", quality.Percent(a.Share()), a.N(), asked.Prompt))
	}
}
