package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"confab"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/tuning"
)

// Versions says which version of the calibration is in force, whether one is proposed, and what the last refit did.
func Versions(ctx context.Context, c *config.Config, k kafka.Config, now time.Time) []console.Finding {
	if !c.Tuning.Learns() {
		return nil
	}
	topic := c.Kafka.Topics.Calibrations
	r := console.Report{Check: "tuning", Subject: topic}
	state, err := tuning.ReadState(ctx, k, topic)
	if err != nil {
		r.Fail(err.Error(), "create the topic with `confab topics apply`, or grant READ on it")
		return r.Findings
	}
	files, err := confab.ReadTuning(c.CalibrationFile, c.ModelFile)
	var version *tuning.Version
	if err == nil {
		_, version, err = state.Over(files)
	}
	if err != nil { // another check reports it
		r.Skip("the calibration does not load", "")
		return r.Findings
	}
	examineVersion(&r, state, version)
	examineRefit(&r, &state.Refit, now.Sub(state.Refit.Until) > 3*c.Tuning.Every)
	return r.Findings
}

// examineVersion reports the version that workers with these files have, nil for none, and a proposed one.
func examineVersion(r *console.Report, state *tuning.State, version *tuning.Version) {
	chosen := state.InForce.Version
	switch {
	case version != nil:
		r.OK(fmt.Sprintf("version %s is in force since %s", version.ID, state.InForce.At.UTC().Format(time.DateOnly)))
	case chosen == "":
		r.OK("the calibration file is in force")
	case state.Current() == nil:
		r.Warn("version "+chosen+", which was put in force, is damaged or gone: the calibration file is in force", "choose another of `confab tune --versions` with --accept, and check who may write to the topic")
	default:
		r.Warn("version "+chosen+" was made from another calibration file or model: the file is in force", "wait for the next refit, or put the old file back")
	}
	if p := state.Pending(); p != nil {
		r.Warn("version "+p.ID+" is proposed: "+strings.Join(p.Words, " "), "read it, then `confab tune --accept "+p.ID+"`, or leave it")
	}
}

// examineRefit reports the last refit.
func examineRefit(r *console.Report, last *tuning.Refit, late bool) {
	switch {
	case last.Outcome == "":
		r.OK("no refit yet")
	case late:
		r.Warn("the last refit was on "+last.At.UTC().Format(time.DateOnly), "look at the log of the role sample, and at confab_tuning_refits_total{outcome=\"failed\"}")
	case last.Outcome == tuning.TooFew || last.Outcome == tuning.Failed:
		r.Warn("the last refit learned nothing: "+strings.Join(last.Words, " "), "do what it says, or set tuning.auto: off")
	default:
		r.OK(fmt.Sprintf("last refit on %s, of %d judged answers: %s", last.At.UTC().Format(time.DateOnly), last.Judged, last.Outcome))
	}
}
