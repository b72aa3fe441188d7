package export

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"confab/alerting/httpsend"
	"confab/consumer"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/httpclient"
	"confab/internal/redact"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/export/delivery"
	"confab/internal/worker/export/events"
	"confab/internal/worker/export/otlphttp"
	"confab/internal/worker/export/scores"
	"confab/schemas"
)

// Dependencies are what destinations are built from.
type Dependencies struct {
	Config  *config.Config
	Metrics *Metrics // nil counts nothing
	Logger  *slog.Logger
}

// sender delivers flags, by a request or through the loop's producer.
type sender func(ctx context.Context, flags []*schemas.Flag, out consumer.Producer) error

// destination is where one handler sends flags.
type destination struct {
	send       sender
	needsTrace bool // flags without a trace are skipped
	check      func(ctx context.Context) error
	close      func()
}

// builders are the constructors of the destinations, by name. A new destination has a line here, a name in
// [config.Export.Destinations] and its section there.
func builders() map[string]func(*Dependencies) (*destination, error) {
	return map[string]func(*Dependencies) (*destination, error){
		config.DestinationEvaluations: newTopic,
		config.DestinationLogs:        newLogs,
		config.DestinationTraces:      newTraces,
		config.DestinationPhoenix:     newPhoenix,
		config.DestinationLangfuse:    newLangfuse,
		config.DestinationOpik:        newOpik,
	}
}

// through sends to a [delivery.Destination].
func through(d delivery.Destination) sender {
	return func(ctx context.Context, flags []*schemas.Flag, _ consumer.Producer) error {
		return d.Deliver(ctx, flags)
	}
}

func newTopic(d *Dependencies) (*destination, error) {
	topic := &evaluationsTopic{name: d.Config.Kafka.Topics.Evaluations, encoder: events.Encoder{Version: buildinfo.Version()}}
	return &destination{send: topic.write}, nil
}

func newLogs(d *Dependencies) (*destination, error) {
	o := &d.Config.Export.Logs
	encoder := events.Encoder{Version: buildinfo.Version(), Resource: o.Resource}
	return newOTLP(d, o, &otlphttp.Options{Path: "/v1/logs", Encode: encoder.Logs})
}

func newTraces(d *Dependencies) (*destination, error) {
	o := &d.Config.Export.Traces
	encoder := events.Encoder{
		Version: buildinfo.Version(), Resource: o.Resource, OpenInference: o.OpenInference,
		Judges: detectors.Names(standard.Deep(standard.Dependencies{})),
	}
	to, err := newOTLP(d, &o.OTLP, &otlphttp.Options{Path: "/v1/traces", Encode: encoder.Spans})
	if err != nil {
		return nil, err
	}
	to.needsTrace = true
	return to, nil
}

// maxMessage bounds an endpoint's message in the log.
const maxMessage = 200

func newOTLP(d *Dependencies, o *config.OTLP, opts *otlphttp.Options) (*destination, error) {
	headers, err := o.ParsedHeaders()
	if err != nil {
		return nil, fmt.Errorf("headers: %w", err)
	}
	opts.URL, opts.Headers, opts.Timeout = o.URL, headers, o.Timeout
	opts.Gzip, opts.HTTP = o.Compression == config.CompressionGzip, o.HTTPOptions()
	opts.OnPartial = func(ctx context.Context, p otlphttp.Partial) {
		d.Metrics.countPartial(opts.Path, p.Rejected)
		d.Logger.WarnContext(ctx, "endpoint refused items of an accepted request", "path", opts.Path, "rejected", p.Rejected,
			"message", redact.Redact(redact.Visible(p.Message, maxMessage)), "remedy", "read the endpoint's own log: OTLP does not say which items, so they are not sent again")
	}
	client, err := otlphttp.New(opts)
	if err != nil {
		return nil, err
	}
	return &destination{send: through(client), check: client.Check, close: client.Close}, nil
}

func newPhoenix(d *Dependencies) (*destination, error) {
	o := d.Config.Export.Phoenix
	return newScores(&o.Connection, &o.HTTPClient, func() (delivery.Destination, error) { return scores.NewPhoenix(o.PhoenixOptions) })
}

func newLangfuse(d *Dependencies) (*destination, error) {
	o := d.Config.Export.Langfuse
	return newScores(&o.Connection, &o.HTTPClient, func() (delivery.Destination, error) { return scores.NewLangfuse(o.LangfuseOptions) })
}

func newOpik(d *Dependencies) (*destination, error) {
	o := d.Config.Export.Opik
	return newScores(&o.Connection, &o.HTTPClient, func() (delivery.Destination, error) { return scores.NewOpik(o.OpikOptions) })
}

// newScores builds a backend of scores. It rejects a flag without the ids that it needs itself: a span id alone is enough for some.
func newScores(c *scores.Connection, client *config.HTTPClient, build func() (delivery.Destination, error)) (*destination, error) {
	transport, err := httpclient.Wrap(client.HTTPOptions(), httpsend.NewTransport(c.Timeout))
	if err != nil {
		return nil, fmt.Errorf("HTTP client: %w", err)
	}
	c.Transport = transport
	to, err := build()
	if err != nil {
		return nil, err
	}
	return &destination{send: through(to), close: func() {
		if c, ok := to.(io.Closer); ok {
			_ = c.Close() // closes idle connections
		}
	}}, nil
}
