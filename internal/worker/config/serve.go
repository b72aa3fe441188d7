package config

import (
	"time"

	"confab/internal/strictyaml"
)

// The values of Serve.Publish.
const (
	PublishNone  = "none"
	PublishFlags = "flags"
	PublishAll   = "all"
)

// The values of OnFailure.
const (
	FailOpen   = "open"
	FailClosed = "closed"
)

// Serve holds the settings of the role serve.
type Serve struct {
	// The HTTP server.
	Listener `yaml:",inline"`
	// Maximum time for one check. A request may ask for less with the header X-Confab-Deadline-Ms.
	Deadline time.Duration `yaml:"deadline" min:"10ms" max:"10m"`
	// What becomes of an answer that was not measured, or not all of it, in time, or whose record could not be published. open: it passes with checked: none or partial; closed: 503. Empty: closed where the tenant's action is BLOCK, else open.
	OnFailure string `yaml:"on_failure" enum:"|open|closed"`
	// The refusal of a blocked answer holds its flag, with excerpts of the answer. false: the incident id, the risk and the detectors alone.
	RefusalExcerpts bool `yaml:"refusal_excerpts"`
	// What is written to Kafka. flags: flags to topics.incidents, as detect writes them. all: the interactions to the first input's topic, where detect checks them again. none: nothing, and no broker is needed.
	Publish string `yaml:"publish" enum:"none|flags|all"`
	// Topic for what is received over OTLP, at /v1/traces and /v1/logs and over gRPC on the same port; an entry of kafka.inputs reads it with format: otlp_proto. Empty: nothing is received.
	OTLPTopic string `yaml:"otlp_topic"`
	// Checks a second of one tenant, and as many at once; a request over OTLP is one. 0: no limit.
	RateLimit float64 `yaml:"rate_limit" min:"0" max:"1e+06"`

	// RateBurst is the number of checks that a tenant may have at once. 0: those of a second.
	RateBurst int `yaml:"-"`
}

// OTLPInput is the input that reads serve.otlp_topic; nil without one.
func (c *Config) OTLPInput() *Input {
	for i := range c.Kafka.Inputs {
		if in := &c.Kafka.Inputs[i]; in.Topic == c.Serve.OTLPTopic && in.Format == FormatOTLPProto {
			return in
		}
	}
	return nil
}

// TenantServe overrides Serve for one tenant.
type TenantServe struct {
	// Overrides serve.on_failure. Empty: inherited.
	OnFailure string `yaml:"on_failure" enum:"|open|closed"`
	// Overrides serve.rate_limit. Unset: inherited. 0: no limit.
	RateLimit *float64 `yaml:"rate_limit"`
}

func defaultServe() Serve {
	return Serve{
		Listener: newListener("127.0.0.1:9470", 8*strictyaml.MiB),
		Deadline: 2 * time.Second, RefusalExcerpts: true, Publish: PublishNone,
	}
}
