package worker

import (
	"errors"
	"log/slog"
	"net/url"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/resource"
)

// useLogger lets the SDK log to log instead of standard error. The SDK has one logger for the whole process.
func useLogger(log *slog.Logger) {
	otel.SetLogger(logr.New(sdkLog{log}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { sdkLog{log}.Error(err, "") }))
}

// sdkLog is the sink of the SDK's log. It drops the attributes: some of them are values of variables that hold secrets.
type sdkLog struct{ log *slog.Logger }

// warnings is the SDK's verbosity of warnings.
const warnings = 1

func (s sdkLog) Init(logr.RuntimeInfo) {}

func (s sdkLog) Enabled(level int) bool { return level <= warnings }

func (s sdkLog) Info(_ int, msg string, _ ...any) {
	s.log.Warn("OpenTelemetry SDK", "detail", msg)
}

func (s sdkLog) Error(err error, msg string, _ ...any) {
	if errors.Is(err, resource.ErrPartialResource) { // newResource has logged it
		return
	}
	if _, quotes := errors.AsType[url.EscapeError](err); quotes {
		err = errors.New("invalid escape")
	}
	s.log.Warn("OpenTelemetry SDK", "detail", msg, "error", err, "remedy", "check the OTEL_ variables, and that OTEL_EXPORTER_OTLP_ENDPOINT is an OTLP receiver; interactions are processed as usual")
}

func (s sdkLog) WithValues(...any) logr.LogSink { return s }

func (s sdkLog) WithName(string) logr.LogSink { return s }
