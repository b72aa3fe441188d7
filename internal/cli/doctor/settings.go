package doctor

import (
	"fmt"
	"strings"
	"time"

	"confab"
	"confab/calibration"
	"confab/detectors/confidence"
	"confab/internal/console"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
)

// staleCalibration is the age at which a calibration gets a warning, since models and prompts have changed meanwhile.
const staleCalibration = 180 * 24 * time.Hour

// Settings checks a configuration without a network: its warnings, and whether the files that it names load. file is the
// name to print.
func Settings(c *config.Config, file string, now time.Time) []console.Finding {
	all := examineSettings(c, file)
	cal, findings := examineCalibration(c, now)
	all = append(all, findings...)
	all = append(all, examineModel(c, cal)...)
	all = append(all, examineDetectors(c, cal)...)
	return append(all, examineSchemas(c)...)
}

func examineSettings(c *config.Config, file string) []console.Finding {
	r := console.Report{Check: "configuration", Subject: file}
	for _, w := range c.Warnings() {
		r.Warn(w, "change the setting, or accept it; `confab config print` shows the effective configuration")
	}
	if len(r.Findings) == 0 {
		r.OK(fmt.Sprintf("roles %v", c.ActiveRoles()))
	}
	return r.Findings
}

func examineCalibration(c *config.Config, now time.Time) (*calibration.Calibration, []console.Finding) {
	r := console.Report{Check: "calibration", Subject: c.CalibrationFile}
	cal, err := evaluation.LoadCalibration(c)
	if err != nil {
		r.Fail(err.Error(), "correct the file, or remove calibration_file from the configuration to use the embedded thresholds")
		return nil, r.Findings
	}
	detail := "id " + cal.ID()
	if c.CalibrationFile == "" {
		r.OK(detail + ", the embedded thresholds: tune them on your traffic")
		return cal, r.Findings
	}
	made, err := time.Parse(time.DateOnly, cal.ID()[:min(len(time.DateOnly), len(cal.ID()))])
	if err != nil {
		r.OK(detail + ", of unknown age: the id does not start with a date")
		return cal, r.Findings
	}
	detail += fmt.Sprintf(", %d days old", max(0, int(now.Sub(made).Hours()/24)))
	if now.Sub(made) > staleCalibration {
		r.Warn(detail, "tune again on recent labels: models and prompts have changed since")
	} else {
		r.OK(detail)
	}
	return cal, r.Findings
}

// examineModel checks the configured model, and whether the calibration was made for it.
func examineModel(c *config.Config, cal *calibration.Calibration) []console.Finding {
	r := console.Report{Check: "model", Subject: c.ModelFile}
	m, err := evaluation.LoadModel(c)
	if err != nil {
		r.Fail(err.Error(), "correct the file, or remove model_file from the configuration to use the embedded model")
		return r.Findings
	}
	if c.CalibrationFile != "" && cal != nil {
		for _, reason := range cal.StalenessWarnings(buildinfo.Version(), m.ID) {
			r.Warn("the calibration "+cal.ID()+" may not fit: "+reason, "tune again, or accept it")
		}
	}
	if len(r.Findings) == 0 {
		r.OK("id " + m.ID)
	}
	return append(r.Findings, examineAlertRule(c, cal)...)
}

// examineAlertRule checks that the alert rule and recommendations can hold, and says which minimum risk is in force.
func examineAlertRule(c *config.Config, cal *calibration.Calibration) []console.Finding {
	r := console.Report{Check: "alert rule"}
	if cal == nil {
		r.Skip("the calibration does not load", "")
		return r.Findings
	}
	options := c.PolicyOptions()
	for _, why := range confab.UnreachableRules(&options, cal, evaluation.RunningDetectors(c)) {
		r.Warn(why, "see docs/alerts.md, Alert rule")
	}
	if len(r.Findings) == 0 {
		r.OK(strings.Join(confab.DescribeAlertRules(&options, cal), "; "))
	}
	return r.Findings
}

func examineDetectors(c *config.Config, cal *calibration.Calibration) []console.Finding {
	var all []console.Finding
	for _, name := range c.EnabledDetectors() {
		r := console.Report{Check: "detector", Subject: name}
		switch {
		case cal == nil:
			r.Skip("the calibration does not load", "")
		case !cal.CanFire(name, ""):
			r.Warn("not armed: it reports its score but never fires",
				"set detectors."+name+".threshold, tune on labelled answers, or set detectors."+name+".enabled: false")
		case name == confidence.Name:
			r.OK(describeThreshold(c, cal, name) + fmt.Sprintf(", for answers with log-probabilities, once %d of their model and operation have passed", confidence.LeastAnswers))
		default:
			r.OK(describeThreshold(c, cal, name))
		}
		all = append(all, r.Findings...)
	}
	return all
}

// describeThreshold says from which score an armed detector fires.
func describeThreshold(c *config.Config, cal *calibration.Calibration, name string) string {
	at, armed := cal.Threshold(name, "", "", "")
	if _, set := c.Thresholds()[name]; set {
		return fmt.Sprintf("armed, fires from a score of %g: detectors.%s.threshold", at, name)
	}
	if !armed {
		return "armed for some answers: see thresholds of the calibration"
	}
	return fmt.Sprintf("armed, fires from a score of %g", at)
}

func examineSchemas(c *config.Config) []console.Finding {
	r := console.Report{Check: "schemas", Subject: c.SchemasDir}
	own := *c
	own.CalibrationFile, own.ModelFile = "", "" // their errors have findings of their own
	texts, err := evaluation.ReadSchemas(c.SchemasDir)
	if err == nil {
		_, err = evaluation.NewFast(&own, nil, nil)
	}
	switch {
	case err != nil:
		r.Fail(err.Error(), "correct what schemas_dir holds")
	case c.SchemasDir == "":
		r.OK("no schemas_dir: only schemas that interactions contain are checked")
	case len(texts) == 0:
		r.Warn("the directory holds no <operation>.schema.json", "add schemas, or remove schemas_dir")
	default:
		r.OK(fmt.Sprintf("%d schemas compile", len(texts)))
	}
	return r.Findings
}
