package app

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

	"confab/calibration"
	"confab/detectors"
	"confab/internal/files"
	"confab/internal/kafka"
	"confab/internal/redact"
	"confab/sampling"
)

// NewSuite builds the enabled detectors over a calibration that need not be the configured one. reg and log may be nil.
func NewSuite(c *Config, cal *calibration.Calibration, reg prometheus.Registerer, log *slog.Logger) (*detectors.Suite, error) {
	o, err := c.suiteOptions(reg, log)
	if err != nil {
		return nil, err
	}
	model, err := c.Model()
	if err != nil {
		return nil, err
	}
	return o.over(cal, model)
}

// suiteBase is all that a suite needs but what is learned.
type suiteBase struct {
	detectors.Options
	config *Config
	deps   detectors.Deps
	deep   bool // with the enabled deep detectors
}

// suiteOptions are the base of suites with the enabled detectors of the fast path.
func (c *Config) suiteOptions(reg prometheus.Registerer, log *slog.Logger) (suiteBase, error) {
	texts, err := readSchemas(c.SchemasDir)
	if err != nil {
		return suiteBase{}, err
	}
	entries, _ := c.detectors(detectors.Standard())
	return suiteBase{
		Options: detectors.Options{
			Metrics: detectors.NewMetrics(reg, detectors.Names(entries)),
			Now:     time.Now, Redact: redact.Redact, Logger: log, Version: Version(),
		},
		config: c, deps: detectors.Deps{Schemas: texts, Open: open},
	}, nil
}

// over is a suite with what is learned.
func (b suiteBase) over(cal *calibration.Calibration, model *detectors.Model) (*detectors.Suite, error) {
	deps, o := b.deps, b.Options
	deps.Baselines, deps.Model, deps.Reliability = cal, model, cal.Reliability()
	all := detectors.StandardWith(deps)
	if b.deep {
		all = append(all, detectors.DeepWith(deps)...)
	}
	o.Detectors, o.Settings = b.config.detectors(all)
	o.Thresholds, o.Risks, o.Fusion, o.Calibration = cal, cal, model.Fuser(), cal.ID()
	return detectors.NewSuite(o)
}

// open reads files that detectors are told of.
func open(path string) (io.ReadCloser, error) { return os.Open(path) }

// detectors are the enabled ones of the entries, with their settings.
func (c *Config) detectors(all []detectors.Entry) ([]detectors.Entry, map[string]any) {
	var entries []detectors.Entry
	settings := map[string]any{}
	for _, e := range all {
		if d := c.Detectors[e.Name]; d != nil && d.Enabled {
			entries = append(entries, e)
			settings[e.Name] = d.Options
		}
	}
	return entries, settings
}

// Bounds of one schema file, and of all files of the directory: what is larger is not a contract for answers.
const (
	maxSchemaBytes  = 1 << 20
	maxSchemasBytes = 16 << 20
)

// readSchemas reads <operation>.schema.json and <operation>.json of a directory, by operation.
func readSchemas(dir string) (map[string]string, error) {
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

// samplingOptions are the sampler's; without a salt nothing is sampled, of which Warnings tells.
func (c *Config) samplingOptions() sampling.Options {
	if !c.SamplingOn() {
		return sampling.Options{}
	}
	return c.Sampling.options()
}

func (s *Sampling) options() sampling.Options {
	return sampling.Options{
		Rate: s.Rate, Tags: s.Tags, Salt: s.Salt, Tenants: s.Tenants, Operations: s.Operations, Triggers: s.Triggers,
	}
}

// KafkaClient is how the configuration reaches the brokers.
func (c *Config) KafkaClient(log *slog.Logger) kafka.Config {
	k := &c.Kafka
	return kafka.Config{
		SeedBrokers: k.SeedBrokers, ClientID: k.ClientID, Rack: k.RackID,
		TLS: kafka.TLS{
			Enabled: k.TLS.Enabled, CAFile: k.TLS.CAFile, CertFile: k.TLS.CertFile, KeyFile: k.TLS.KeyFile,
			ServerName: k.TLS.ServerName, InsecureSkipVerify: k.TLS.InsecureSkipVerify,
		},
		SASL: kafka.SASL{
			Mechanism: k.SASL.Mechanism, User: k.SASL.Username,
			Password: k.SASL.Password.Reveal(), PasswordFile: k.SASL.PasswordFile,
		},
		MaxMessageBytes: int(k.MaxRecordBytes) + headerRoom,
		FetchMaxBytes:   int(k.FetchMaxBytes), FetchMaxPartitionBytes: int(k.FetchMaxPartitionBytes), FetchMaxWait: k.FetchMaxWait,
		Logger: slog.New(clientLog{log.Handler()}),
	}
}
