package config

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"confab/internal/redact"
	"confab/internal/worker/export/scores"
)

// Export says where the export role sends the evaluation results in llm.incidents. Every destination has a consumer group
// of its own, `<consumer_group>-export-<destination>`.
type Export struct {
	// The flags to export: all in llm.incidents, those with a fired detector, or alerts only.
	Only string `yaml:"only" enum:"all|fired|alerts"`
	// Write OpenTelemetry events gen_ai.evaluation.result to kafka.topics.evaluations: one record per flag, OTLP logs in protobuf.
	Evaluations bool `yaml:"evaluations"`
	// Where the same events are sent as OTLP logs.
	Logs OTLP `yaml:"logs"`
	// Where a span per flag is sent, in the trace of its interaction.
	Traces OTLPTraces `yaml:"traces"`
	// Phoenix, which gets the scores as annotations of spans.
	Phoenix Phoenix `yaml:"phoenix"`
	// Langfuse, which gets the scores as those of its traces.
	Langfuse Langfuse `yaml:"langfuse"`
	// Opik, which gets the scores as feedback.
	Opik Opik `yaml:"opik"`
}

// Phoenix is an instance that gets scores.
type Phoenix struct {
	// The instance.
	scores.PhoenixOptions `yaml:",inline"`
	// HTTP connections.
	HTTPClient `yaml:",inline"`
}

// Langfuse is a project that gets scores.
type Langfuse struct {
	// The project.
	scores.LangfuseOptions `yaml:",inline"`
	// HTTP connections.
	HTTPClient `yaml:",inline"`
}

// Opik is a project that gets scores.
type Opik struct {
	// The project.
	scores.OpikOptions `yaml:",inline"`
	// HTTP connections.
	HTTPClient `yaml:",inline"`
}

// OTLP is an endpoint of OTLP over HTTP, with protobuf.
type OTLP struct {
	// Base address, such as https://collector:4318: the worker appends /v1/logs or /v1/traces unless it ends so. Empty: none.
	URL string `yaml:"url"`
	// Sent with every request, in the form of OTEL_EXPORTER_OTLP_HEADERS: name=value pairs with commas between, values percent-encoded.
	Headers redact.Secret `yaml:"headers"`
	// File that holds the headers.
	HeadersFile string `yaml:"headers_file"`
	// Timeout of one request.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"1m"`
	// How requests are compressed.
	Compression string `yaml:"compression" enum:"gzip|none"`
	// Attributes of the resource besides service.name and service.version, such as deployment.environment.name.
	Resource map[string]string `yaml:"resource"`
	// HTTP connections.
	HTTPClient `yaml:",inline"`
}

// OTLPTraces is an endpoint for spans.
type OTLPTraces struct {
	// The endpoint.
	OTLP `yaml:",inline"`
	// Add OpenInference's evaluations.* attributes, the kind EVALUATOR and a link to the evaluated span.
	OpenInference bool `yaml:"openinference"`
}

// The values of Export.Only.
const (
	ExportAll    = "all"
	ExportFired  = "fired"
	ExportAlerts = "alerts"
)

// CompressionGzip is the default of OTLP.Compression.
const CompressionGzip = "gzip"

// Names of the destinations, in consumer groups and metrics.
const (
	DestinationEvaluations = "evaluations"
	DestinationLogs        = "logs"
	DestinationTraces      = "traces"
	DestinationPhoenix     = "phoenix"
	DestinationLangfuse    = "langfuse"
	DestinationOpik        = "opik"
)

func defaultExport() Export {
	endpoint := OTLP{Timeout: 10 * time.Second, Compression: CompressionGzip}
	e := Export{Only: ExportAll, Logs: endpoint, Traces: OTLPTraces{OTLP: endpoint}}
	e.Phoenix.Connection, e.Langfuse.Connection, e.Opik.Connection = scores.DefaultConnection(), scores.DefaultConnection(), scores.DefaultConnection()
	return e
}

// Destinations are the names of the configured destinations, in the order of the reference.
func (e *Export) Destinations() (names []string) {
	for _, d := range []struct {
		name string
		on   bool
	}{
		{DestinationEvaluations, e.Evaluations},
		{DestinationLogs, e.Logs.URL != ""},
		{DestinationTraces, e.Traces.URL != ""},
		{DestinationPhoenix, e.Phoenix.URL != ""},
		{DestinationLangfuse, e.Langfuse.URL != ""},
		{DestinationOpik, e.Opik.URL != ""},
	} {
		if d.on {
			names = append(names, d.name)
		}
	}
	return names
}

// ExportRole is the role of one destination: its consumer group, its `role` in metrics.
func ExportRole(destination string) Role { return RoleExport + Role("-"+destination) }

// AlertObservationsRole is the consumer group of the role alert that keeps the claims of confirmed incidents.
func AlertObservationsRole() Role { return RoleAlert + "-observations" }

// Members are the roles whose consumer groups a role consists of: itself, and for alert the one that keeps claims; for export
// one per destination.
func (c *Config) Members(role Role) []Role {
	switch {
	case role == RoleAlert && c.Observations.Keeps(KeepLabels):
		return []Role{role, AlertObservationsRole()}
	case role != RoleExport:
		return []Role{role}
	}
	var members []Role
	for _, name := range c.Export.Destinations() {
		members = append(members, ExportRole(name))
	}
	return members
}

// ParsedHeaders are the headers by name.
func (o *OTLP) ParsedHeaders() (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(o.Headers.Reveal(), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errors.New("expected name=value pairs with commas between, values percent-encoded, such as api-key=abc,x-scope=team")
		}
		switch name {
		case "Host", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding":
			return nil, fmt.Errorf("%s is set by the client: remove it", name)
		}
		headers[name] = value
	}
	return headers, nil
}

func (k *checker) export(c *Config) {
	e := &c.Export
	if i := slices.Index(c.Roles, RoleExport); i >= 0 && len(e.Destinations()) == 0 {
		k.fail(fmt.Sprintf("roles[%d]", i), "export has no destination: set export.evaluations: true, or the url of export.logs, traces, phoenix, langfuse or opik")
	}
	for path, o := range map[string]*OTLP{"export.logs": &e.Logs, "export.traces": &e.Traces.OTLP} {
		if o.URL == "" {
			if o.Headers != "" || o.HTTPConfig != "" {
				k.fail(path+".url", "is missing: name the endpoint, or remove the other keys")
			}
			continue
		}
		k.url(path+".url", o.URL, urlRules{private: o.Headers != "" || o.sendsHeaders(), login: path + ".headers_file"})
		headers, err := o.ParsedHeaders()
		if err != nil {
			k.fail(path+".headers", "%s", err)
		}
		login := ""
		if headers["Authorization"] != "" {
			login = "authorization in " + path + ".headers"
		}
		k.httpClient(path, &o.HTTPClient, login)
	}
	k.scores(e)
}

// scores checks the backends of scores.
func (k *checker) scores(e *Export) {
	for _, b := range []struct {
		path       string
		connection *scores.Connection
		client     *HTTPClient
		secret     redact.Secret
		key        string
		check      func() error
	}{
		{"export.phoenix", &e.Phoenix.Connection, &e.Phoenix.HTTPClient, e.Phoenix.APIKey, "api_key", e.Phoenix.Check},
		{"export.langfuse", &e.Langfuse.Connection, &e.Langfuse.HTTPClient, e.Langfuse.SecretKey, "secret_key", e.Langfuse.Check},
		{"export.opik", &e.Opik.Connection, &e.Opik.HTTPClient, e.Opik.APIKey, "api_key", e.Opik.Check},
	} {
		login := ""
		if b.secret != "" {
			login = b.path + "." + b.key
		}
		switch {
		case b.connection.URL == "" && (b.secret != "" || b.client.HTTPConfig != ""):
			k.fail(b.path+".url", "is missing: name the address, or remove the other keys")
		case b.connection.URL == "":
		default:
			before := len(k.problems)
			k.url(b.path+".url", b.connection.URL, urlRules{private: b.secret != "" || b.client.sendsHeaders(), login: b.path + "." + b.key + "_file"})
			if err := b.check(); err != nil && len(k.problems) == before {
				k.fail(b.path, "%s", err)
			}
			k.httpClient(b.path, b.client, login)
		}
	}
}
