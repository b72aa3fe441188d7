package doctor

import (
	"context"
	"fmt"
	"time"

	"confab/alerting"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/incidents"
	"confab/sampling"
	"confab/schemas"
)

// JudgeOptions say when a judge is asked, beside the random sample.
type JudgeOptions struct {
	Policy   *alerting.Policy  // knows which alerts wait for the judge
	Sampler  *sampling.Sampler // picks answers by their value
	Share    float64           // sampling.judge_share
	Tokens   int64             // of the budget, for a day
	Flags    incidents.FindOptions
	Now      time.Time
	Confirms bool // alerts wait
}

// forecastRecords is how many of the latest records of an input stand for its last day.
const forecastRecords = 400

// forecast is what the judge would do in a day.
type forecast struct {
	traffic                   float64 // answers
	read                      int     // answers that stand for them
	calls, tokens, found, any float64 // of those read: picked, their tokens, the risk of the picked ones and of all
}

// judge reports how many texts would be sent to the judge in a day like the last one, and what that would find.
func (d *clusterCheck) judge(ctx context.Context) {
	o := d.Judge
	if o == nil || d.Suite == nil {
		return
	}
	if o.Confirms {
		waited, err := o.countWaiting(ctx)
		d.report(checkJudge, "alerting.confirm", func(r *console.Report) {
			if err != nil {
				r.Skip(err.Error(), "grant READ if access rules are on")
				return
			}
			r.OK(fmt.Sprintf("%d alerts of the last day would wait for the judge: that many answers a day are sent, redacted, with their questions and sources", waited))
		})
	}
	if o.Share == 0 {
		return
	}
	var all forecast
	var err error
	for _, topic := range d.Inputs {
		if err = d.addForecast(ctx, topic, &all); err != nil {
			break
		}
	}
	d.report(checkJudge, "sampling.judge_share", func(r *console.Report) { o.examineForecast(r, &all, err) })
}

// countWaiting counts the alerts of the last day that the policy would make wait.
func (o *JudgeOptions) countWaiting(ctx context.Context) (n int, err error) {
	_, err = incidents.EachFlag(ctx, &o.Flags, kafka.Position{Kind: kafka.PositionTime, Time: o.Now.Add(-24 * time.Hour)}, func(f *schemas.Flag) error {
		if f.Alert && o.Policy.NeedsConfirm(f) {
			n++
		}
		return nil
	})
	return n, err
}

// addForecast adds what an input had in the last day, by its latest records.
func (d *clusterCheck) addForecast(ctx context.Context, topic string, all *forecast) error {
	ranges, err := d.admin.Ranges(ctx, topic, kafka.Position{Kind: kafka.PositionTime, Time: d.Judge.Now.Add(-24 * time.Hour)}, kafka.Position{Kind: kafka.PositionEnd})
	if err != nil {
		return err
	}
	records := 0.0
	for _, r := range ranges {
		records += float64(r.End - r.First)
	}
	read, before := 0, all.read
	err = kafka.Read(ctx, kafka.ReaderOptions{
		Config: d.Kafka, Topics: []string{topic}, StopAtEnd: true,
		Start: kafka.Position{Kind: kafka.PositionLast, Offset: int64(forecastRecords/max(1, len(ranges)) + 1)},
	}, func(rec *kafka.FetchedRecord) error {
		list, err := d.Sample(ctx, rec)
		if read++; err != nil {
			return nil //nolint:nilerr // the check of samples reports it
		}
		for _, in := range list {
			d.addAnswer(ctx, in, all)
		}
		return nil
	})
	if read > 0 {
		all.traffic += records * float64(all.read-before) / float64(read)
	}
	return err
}

func (d *clusterCheck) addAnswer(ctx context.Context, in *schemas.Interaction, all *forecast) {
	e := d.Suite.Evaluate(ctx, in)
	defer e.Release()
	risk, _ := e.Risk()
	all.read++
	all.any += risk
	if picked := evaluation.Picked(d.Judge.Sampler, e, in, false); picked.Reason == sampling.ReasonValue {
		all.calls++
		all.tokens += sampling.JudgeTokens(in)
		all.found += risk
	}
}

func (o *JudgeOptions) examineForecast(r *console.Report, f *forecast, err error) {
	switch {
	case err != nil:
		r.Skip(err.Error(), "grant READ if access rules are on")
		return
	case f.read == 0 || f.traffic == 0:
		r.Skip("no answers in the last day", "`confab produce` writes some")
		return
	}
	day := f.traffic / float64(f.read)
	detail := fmt.Sprintf("of %.0f answers a day the judge would be asked about %.0f, with some %.0f tokens, and find about %.0f wrong ones, %.0f if asked by chance (by the risk of the latest %d)",
		f.traffic, day*f.calls, day*f.tokens, day*f.found, day*f.any*f.calls/float64(f.read), f.read)
	if day*f.tokens > float64(o.Tokens) {
		r.Warn(fmt.Sprintf("%s; the budget is %d tokens a day", detail, o.Tokens), "lower sampling.judge_share, or raise llm.budget.tokens_per_window: what exceeds it gets no verdict")
		return
	}
	r.OK(detail)
}
