package telemetry

import (
	"net/url"
	"slices"
	"strings"
)

// protocolGRPC is the protocol of OTLP besides the default, http/protobuf.
const protocolGRPC = "grpc"

// settings are what the environment asks for. The SDK reads the other variables.
type settings struct {
	enabled  bool
	protocol string
	problem  string // the variable whose value is not used: it is never quoted, since it may hold a secret
	remedy   string
}

// environment holds NAME=value entries. The last one of a name counts.
type environment []string

// first returns the first of the variables that is set, and its name.
func (e environment) first(names ...string) (name, value string) {
	for _, name := range names {
		for _, entry := range slices.Backward(e) {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				if value = strings.TrimSpace(value); value != "" {
					return name, value
				}
				break
			}
		}
	}
	return "", ""
}

// readSettings reads the variables: spans are exported if an endpoint or the exporter otlp is named.
func readSettings(env environment) (s settings) {
	_, disabled := env.first("OTEL_SDK_DISABLED")
	_, exporter := env.first("OTEL_TRACES_EXPORTER")
	at, endpoint := env.first("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	_, s.protocol = env.first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
	switch exporter {
	case "", "otlp":
		s.enabled = !strings.EqualFold(disabled, "true") && exporter+endpoint != ""
	case "none":
	default:
		s.problem, s.remedy = "OTEL_TRACES_EXPORTER", "no span is exported: write otlp or none"
	}
	if s.enabled && endpoint != "" && !isUsable(endpoint, s.protocol) {
		s.enabled, s.problem, s.remedy = false, at, "no span is exported: write a URL such as http://collector:4318, with port 4317 for grpc"
	}
	return s
}

// isUsable reports whether the SDK understands an endpoint. For another one it would silently take localhost.
func isUsable(endpoint, protocol string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || protocol == protocolGRPC { // also host:port and the schemes of gRPC
		return err == nil
	}
	return u.Host != "" && (strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https"))
}
