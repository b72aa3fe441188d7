package serving

import (
	"time"

	"confab/internal/strictyaml"
	"confab/internal/worker/config/listen"
)

// The values of Settings.Publish.
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

// Settings are those of the role serve.
type Settings struct {
	// The HTTP server.
	listen.Settings `yaml:",inline"`
	// Maximum size of a request's body, after decompression.
	MaxBodySize strictyaml.Bytes `yaml:"max_body_size" min:"1KiB" max:"1GiB"`
	// Maximum number of requests that are answered at a time. More wait for at most a second, then they are refused with 503.
	MaxConcurrent int `yaml:"max_concurrent" min:"1" max:"10000"`
	// Maximum time to send a request's header, and again its body.
	ReadTimeout time.Duration `yaml:"read_timeout" min:"100ms" max:"10m"`
	// Maximum time for one check. A request may ask for less with the header X-Confab-Deadline-Ms.
	Deadline time.Duration `yaml:"deadline" min:"10ms" max:"10m"`
	// What becomes of an answer that was not measured, or not all of it, in time, or whose record could not be published. open: it passes with checked: none or partial; closed: 503. Empty: closed where the tenant's action is BLOCK, else open.
	OnFailure string `yaml:"on_failure" enum:"|open|closed"`
	// The refusal of a blocked answer holds its flag, with excerpts of the answer. false: the incident id, the risk and the detectors alone.
	RefusalExcerpts bool `yaml:"refusal_excerpts"`
	// What is written to Kafka. flags: flags to topics.incidents, as detect writes them. all: the interactions to the first input's topic, where detect checks them again. none: nothing, and no broker is needed.
	Publish string `yaml:"publish" enum:"none|flags|all"`
	// Serve the page of incidents in the same process, too, at ui.listen with the logins of ui. It needs a broker; checks go on when the page ends.
	UI bool `yaml:"ui"`
	// Checks a second of one tenant. 0: no limit.
	RateLimit float64 `yaml:"rate_limit" min:"0" max:"1e+06"`
	// Checks that a tenant may have at once beyond its rate.
	RateBurst int `yaml:"rate_burst" min:"1" max:"1000000"`
}

// PublishesFlags reports whether flags are written to Kafka.
func (s *Settings) PublishesFlags() bool { return s.Publish == PublishFlags }

// PublishesAll reports whether interactions are written to Kafka.
func (s *Settings) PublishesAll() bool { return s.Publish == PublishAll }

// HintForKey implements [strictyaml.KeyHinter]: keys that were removed.
func (*Settings) HintForKey(key string) string {
	if key == "upstream" {
		return "confab serve is no reverse proxy any more: let a gateway ask POST /v1/check/chat, see docs/gateways.md"
	}
	return ""
}

// TenantSettings override Settings for one tenant.
type TenantSettings struct {
	// Overrides serve.on_failure. Empty: inherited.
	OnFailure string `yaml:"on_failure" enum:"|open|closed"`
	// Overrides serve.rate_limit. Unset: inherited. 0: no limit.
	RateLimit *float64 `yaml:"rate_limit"`
}

// DefaultSettings are the defaults of serve.
func DefaultSettings() Settings {
	return Settings{
		Settings: listen.Settings{Listen: "127.0.0.1:9470"}, MaxBodySize: 8 * strictyaml.MiB, MaxConcurrent: 64, ReadTimeout: 10 * time.Second,
		Deadline: 2 * time.Second, RefusalExcerpts: true, Publish: PublishNone, RateBurst: 100,
	}
}
