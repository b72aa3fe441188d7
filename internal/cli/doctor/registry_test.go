package doctor

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/avro"
)

func openRegistry(t *testing.T, c *config.Config, url string) *schemaregistry.Client {
	t.Helper()
	c.SchemaRegistry.URL = url
	r, err := c.OpenRegistry(nil)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

func TestExamineRegistry(t *testing.T) {
	c := config.Default()
	require.Equal(t, console.OK, findingOf(t, Registry(t.Context(), c), checkRegistry, "").State)

	fake := srfake.New()
	t.Cleanup(fake.Close)
	c.SchemaRegistry.Output = config.OutputAvro
	r := openRegistry(t, c, fake.URL())
	all := Registry(t.Context(), c)
	require.Equal(t, console.OK, findingOf(t, all, checkRegistry, "llm.interactions-value").State)
	flags := findingOf(t, all, checkRegistry, "llm.incidents-value")
	require.Equal(t, console.Problem, flags.State)
	require.Contains(t, flags.Remedy, "confab schema --register")
	_, err := r.Register(t.Context(), "llm.incidents-value", schemas.FlagAvro())
	require.NoError(t, err)
	require.Equal(t, console.OK, findingOf(t, Registry(t.Context(), c), checkRegistry, "llm.incidents-value").State)

	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(down.Close)
	c.SchemaRegistry.URL = down.URL
	all = Registry(t.Context(), c)
	require.Len(t, all, 1, "what cannot be reached is told once")
	require.Equal(t, console.Problem, all[0].State)
	c.SchemaRegistry.CAFile = "nowhere.pem"
	require.Equal(t, console.Problem, findingOf(t, Registry(t.Context(), c), checkRegistry, "").State)
}

func TestSampleErrorsAreOnlyTheReason(t *testing.T) {
	fake := srfake.New()
	t.Cleanup(fake.Close)
	c := config.Default()
	var mapped config.Input
	mapped.SetDefaults()
	mapped.Topic = "mapped"
	c.Kafka.Inputs = append(c.Kafka.Inputs, mapped)
	c.Kafka.Inputs[1].Map = map[string]string{"answer": "/choices/0/message/content"}
	c.SchemaRegistry.URL = fake.URL()
	read, end := records.NewSampleReader(c)
	defer end()
	for topic, value := range map[string]string{
		"llm.interactions": `{"answer":"a private answer"}`,
		"mapped":           `{"choices":[{"message":{"content":"a private answer"}}]}`,
	} {
		list, err := read(t.Context(), &kafka.FetchedRecord{Topic: topic, Value: []byte(value)})
		require.NoError(t, err, topic)
		require.Len(t, list, 1)
		require.Equal(t, "a private answer", list[0].Answer)
	}
	for _, tc := range []struct{ topic, value, why string }{
		{"llm.interactions", "a private answer", "unknown_format"},
		{"mapped", `{"answer":"a private answer"}`, "unmapped"},
		{"llm.interactions", string(avro.Frame(nil, 99, []byte("x"))), "unknown_schema"},
	} {
		_, err := read(t.Context(), &kafka.FetchedRecord{Topic: tc.topic, Value: []byte(tc.value)})
		require.EqualError(t, err, tc.why)
	}
}
