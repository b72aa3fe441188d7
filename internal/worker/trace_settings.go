package worker

import (
	"net/url"
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

// readSettings reads NAME=value entries: spans are exported if an endpoint or the exporter otlp is named.
func readSettings(env []string) (s settings) {
	values := map[string]string{} // the last entry of a name counts
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		values[name] = strings.TrimSpace(value)
	}
	// The variable of traces wins over that of all signals.
	first := func(of string) (name, value string) {
		if name = "OTEL_EXPORTER_OTLP_TRACES_" + of; values[name] == "" {
			name = "OTEL_EXPORTER_OTLP_" + of
		}
		return name, values[name]
	}
	at, endpoint := first("ENDPOINT")
	_, s.protocol = first("PROTOCOL")
	switch exporter := values["OTEL_TRACES_EXPORTER"]; exporter {
	case "", "otlp":
		s.enabled = !strings.EqualFold(values["OTEL_SDK_DISABLED"], "true") && exporter+endpoint != ""
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
