package evaluation

import (
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab"
	"confab/calibration"
	"confab/detectors"
	"confab/detectors/knownfalse"
	"confab/detectors/standard"
	"confab/internal/files"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/sampling"
	"confab/schemas"
)

// NewSuite makes a suite of the enabled detectors, with the dependencies beside schemas and files, any calibration and the
// configured model; log may be nil.
func NewSuite(c *config.Config, cal *calibration.Calibration, log *slog.Logger, deps standard.Dependencies) (*detectors.Suite, error) {
	o, err := FastOptions(c, nil, log)
	if err != nil {
		return nil, err
	}
	o.Deps.Live, o.Deps.Without = deps.Live, deps.Without
	model, err := LoadModel(c)
	if err != nil {
		return nil, err
	}
	return confab.NewSuite(&o, cal, model)
}

// NewFast makes the evaluator of the fast pass. reg and log may be nil.
func NewFast(c *config.Config, reg prometheus.Registerer, log *slog.Logger) (*confab.Evaluator, error) {
	o, err := FastOptions(c, reg, log)
	if err != nil {
		return nil, err
	}
	return New(c, o)
}

// New makes an evaluator with the configured calibration and model.
func New(c *config.Config, o confab.Options) (*confab.Evaluator, error) {
	t, err := confab.ReadTuning(c.CalibrationFile, c.ModelFile)
	if err != nil {
		return nil, err
	}
	return confab.New(o, t)
}

// LoadCalibration reads the configured calibration file, or the embedded one without it. Thresholds that are set outweigh it.
func LoadCalibration(c *config.Config) (*calibration.Calibration, error) {
	t, err := confab.ReadTuning(c.CalibrationFile, "")
	if err != nil {
		return nil, err
	}
	return t.CalibrationWith(c.Thresholds())
}

// LoadModel reads the configured model file, or the embedded one without it.
func LoadModel(c *config.Config) (*standard.Model, error) {
	t, err := confab.ReadTuning("", c.ModelFile)
	if err != nil {
		return nil, err
	}
	return t.ParseModel()
}

// FastOptions are the configured options of an evaluator of the fast pass. reg and log may be nil.
func FastOptions(c *config.Config, reg prometheus.Registerer, log *slog.Logger) (confab.Options, error) {
	texts, err := ReadSchemas(c.SchemasDir)
	if err != nil {
		return confab.Options{}, err
	}
	settings := map[string]any{}
	for name, d := range c.Detectors {
		if c.Runs(name) {
			settings[name] = d.Options
		}
	}
	return confab.Options{
		Suite: detectors.Options{
			Metrics: detectors.NewMetrics(reg, c.FastDetectors()), Now: time.Now, Redact: c.Redaction.Redactor().Redact, Logger: log, Version: buildinfo.Version(),
			Limits: c.Limits.Measured(), TenantLimits: c.TenantLimits(), SkipOperations: c.SkipOperations, Off: c.DetectorsOff(),
			HideExcerpts: c.Flags.Excerpts == config.ExcerptsNone, Attributes: c.Flags.Attributes,
		},
		Deps:     standard.Dependencies{Schemas: texts, Open: func(path string) (io.ReadCloser, error) { return os.Open(path) }},
		Settings: settings, Thresholds: c.Thresholds(), Policy: c.PolicyOptions(), Pass: schemas.PassFast,
	}, nil
}

// RunningDetectors are the configured detectors of both passes. The deep ones run where language models are configured.
func RunningDetectors(c *config.Config) confab.RunningDetectors {
	r := confab.RunningDetectors{Standard: detectors.Names(c.SelectDetectors(standard.Fast(standard.Dependencies{}))), Off: c.DetectorsOff()}
	if c.LLM.Enabled() {
		r.Standard = append(r.Standard, detectors.Names(c.SelectDetectors(standard.Deep(standard.Dependencies{})))...)
	}
	if c.Observations.Enabled {
		r.Own = append(r.Own, knownfalse.Name)
	}
	return r
}

// NoAlert returns a function that says why a flag is no alert although a detector fired, by the configured policy. It says
// nothing of flags of another calibration than the configured one.
func NoAlert(c *config.Config) func(f *schemas.Flag) string {
	cal, err := LoadCalibration(c)
	if err != nil {
		return func(*schemas.Flag) string { return "" }
	}
	policy := confab.NewPolicy(c.PolicyOptions(), cal)
	return func(f *schemas.Flag) string {
		if f.Calibration != cal.ID() {
			return ""
		}
		return policy.NoAlert(f)
	}
}

// Picked is whether a deep evaluation follows: because the sampler picks the interaction, with confirm because its alert waits for a
// second opinion, or because a verifier checks it.
func Picked(s *sampling.Sampler, e *detectors.Evaluation, in *schemas.Interaction, confirm bool) sampling.Decision {
	if e.Skipped() {
		return sampling.Decision{}
	}
	seen := SamplingScores(s, e)
	picked := s.Decide(in, seen)
	if confirm && (!picked.Sampled || picked.Reason == sampling.ReasonValue) {
		return sampling.Decision{Sampled: true, Reason: sampling.ReasonConfirm}
	}
	if !picked.Sampled && s.Verifies(in, seen, e.AnyFired()) {
		return sampling.Decision{Sampled: true, Reason: sampling.ReasonVerify}
	}
	return picked
}

// SamplingScores are what the sampler decides by, of an evaluation of the fast pass.
func SamplingScores(s *sampling.Sampler, e *detectors.Evaluation) sampling.FastScores {
	seen := sampling.NoFastScores()
	if s.NeedsRisk() {
		if risk, ok := e.Risk(); ok {
			seen.Risk = risk
		}
	}
	for i := range e.Readings() {
		if g := &e.Readings()[i].Finding.Grounding; g.Claims > 0 {
			seen.Support = g.OverallSimilarity
		}
	}
	return seen
}

// Bounds of one schema file, and of all files of the directory.
const (
	maxSchemaBytes  = 1 << 20
	maxSchemasBytes = 16 << 20
)

// ReadSchemas reads <operation>.schema.json and <operation>.json of a directory, by operation.
func ReadSchemas(dir string) (map[string]string, error) {
	texts := map[string]string{}
	if dir == "" {
		return texts, nil
	}
	found, err := fs.Glob(os.DirFS(dir), "*.json")
	if err == nil && len(found) == 0 {
		_, err = os.Stat(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("schemas_dir: %w", err)
	}
	total := 0
	for _, name := range found {
		operation := strings.TrimSuffix(strings.TrimSuffix(name, ".json"), ".schema")
		if _, twice := texts[operation]; twice {
			return nil, fmt.Errorf("schemas_dir: two files for operation %q: keep one of %s.json and %s.schema.json", operation, operation, operation)
		}
		text, err := files.Read(filepath.Join(dir, name), maxSchemaBytes)
		if err != nil {
			return nil, fmt.Errorf("schemas_dir: %w", err)
		}
		if total += len(text); total > maxSchemasBytes {
			return nil, fmt.Errorf("schemas_dir: the files of %s have more than %d bytes together, which is the limit", dir, maxSchemasBytes)
		}
		texts[operation] = string(text)
	}
	return texts, nil
}
