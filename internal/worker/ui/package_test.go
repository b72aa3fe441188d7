package ui

import (
	"bufio"
	"bytes"
	"context"
	encoding "encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab"
	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testPage is a running page.
type testPage struct {
	t      testing.TB
	config *config.Config
	kafka  kafka.Config
	server *Server
	origin string
	stop   func()
}

func allTopics(c *config.Config) map[string]int32 {
	t := c.Kafka.Topics
	return map[string]int32{t.Incidents: 3, t.Feedback: 1, t.Alerts: 3, c.Kafka.Inputs[0].Topic: 2, t.Sampled: 1}
}

func testConfig(t testing.TB) *config.Config {
	c := config.Default()
	c.UI.Listen = "127.0.0.1:0"
	c.Alerting.TraceURL = "https://traces.example/trace/{trace_id}"
	return c
}

// startPage runs a page on a cluster that holds the messages.
func startPage(t testing.TB, change func(c *config.Config), messages ...kafka.Message) *testPage {
	t.Helper()
	c := testConfig(t)
	if change != nil {
		change(c)
	}
	cluster := kafkatest.Start(t, allTopics(c))
	if len(messages) > 0 {
		kafkatest.Write(t, cluster, messages...)
	}
	p := runPage(t, c, cluster)
	require.Eventually(t, func() bool { return p.server.Ready() == nil }, 30*time.Second, 20*time.Millisecond)
	return p
}

func runPage(t testing.TB, c *config.Config, cluster kafka.Config) *testPage {
	t.Helper()
	addresses := make(chan net.Addr, 1)
	p := &testPage{t: t, config: c, kafka: cluster}
	var err error
	p.server, err = New(Options{
		Config: c, Kafka: cluster, Logger: slog.New(slog.DiscardHandler),
		Now: time.Now, Started: func(a net.Addr) { addresses <- a },
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.server.Run(ctx, time.Second) }()
	stopped := false
	p.stop = func() {
		if !stopped {
			stopped = true
			cancel()
			require.NoError(t, <-done)
			p.server.Close()
		}
	}
	t.Cleanup(p.stop)
	select {
	case a := <-addresses:
		p.origin = "http://" + a.String()
	case err := <-done:
		require.NoError(t, err)
	}
	return p
}

// reply is a response of the page.
type reply struct {
	status int
	header http.Header
	body   string
}

func (p *testPage) do(method, path string, form url.Values, change func(r *http.Request)) reply {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.origin+path, strings.NewReader(form.Encode()))
	require.NoError(p.t, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(r)
	require.NoError(p.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return reply{response.StatusCode, response.Header, string(body)}
}

func (p *testPage) get(path string) reply { return p.do(http.MethodGet, path, nil, nil) }

// sampleMessages are the sample interactions at the first offsets of the input's partition 0, and their flags.
func sampleMessages(t testing.TB, c *config.Config, change func(f *schemas.Flag)) (messages []kafka.Message, flags []schemas.Flag) {
	t.Helper()
	file, err := os.Open("../../cli/demo/samples/samples.jsonl")
	require.NoError(t, err)
	defer file.Close()
	evaluator, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	decoder := json.NewDecoder(json.Options{})
	topic := c.Kafka.Inputs[0].Topic
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct{ Interaction encoding.RawMessage }
		in := new(schemas.Interaction)
		if encoding.Unmarshal(lines.Bytes(), &row) != nil || decoder.Decode(row.Interaction, in) != nil {
			continue
		}
		in.Tenant = schemas.DefaultTenant
		f := evaluator.Evaluate(t.Context(), in, schemas.Origin{Topic: topic, Offset: int64(len(flags))}, time.Now())
		if change != nil {
			change(&f)
		}
		value := row.Interaction
		messages = append(messages, kafka.Message{Topic: topic, Partition: 0, Key: []byte(in.ID), Value: bytes.Clone(value)})
		messages = append(messages, flagMessage(t, c, &f))
		flags = append(flags, f)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, flags)
	return messages, flags
}

func flagMessage(t testing.TB, c *config.Config, f *schemas.Flag) kafka.Message {
	t.Helper()
	value, err := json.AppendFlag(nil, f)
	require.NoError(t, err)
	return kafka.Message{Topic: c.Kafka.Topics.Incidents, Partition: kafka.AnyPartition, Key: []byte(f.IncidentID), Value: value}
}
