package evaluation

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
	"confab/schemas"
)

// Every file that is read whole is refused by its size, with path, size and limit, before it is read.
func TestFilesHaveLimits(t *testing.T) {
	huge := filepath.Join(t.TempDir(), "huge.json")
	f, err := os.Create(huge)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<40))
	require.NoError(t, f.Close())
	refused := func(err error, limit string) {
		t.Helper()
		require.ErrorContains(t, err, huge+": 1099511627776 bytes, the limit is "+limit)
	}
	_, err = config.Load(config.LoadOptions{File: huge})
	refused(err, "1048576")
	c := config.Default()
	c.CalibrationFile = huge
	_, err = LoadCalibration(c)
	refused(err, "1048576")
	c = config.Default()
	c.ModelFile = huge
	_, err = LoadModel(c)
	refused(err, "8388608")
	_, err = ReadSchemas(filepath.Dir(huge))
	refused(err, "1048576")
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte("kafka: {sasl: {mechanism: PLAIN, username: u, password_file: "+huge+"}}"), 0o600))
	_, err = config.Load(config.LoadOptions{File: file})
	refused(err, "65536")
	c = config.Default()
	c.Kafka.TLS.Enabled = true
	for _, set := range []func(){
		func() { c.Kafka.TLS.CAFile = huge },
		func() { c.Kafka.TLS.CAFile, c.Kafka.TLS.CertFile, c.Kafka.TLS.KeyFile = "", huge, huge },
	} {
		set()
		refused(c.KafkaClient(slog.New(slog.DiscardHandler)).Validate(), "4194304")
	}
}

func TestSchemasHaveALimitTogether(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".json"), make([]byte, maxSchemaBytes), 0o600))
	}
	_, err := ReadSchemas(dir)
	require.ErrorContains(t, err, "have more than 16777216 bytes together")
	require.NoError(t, os.Remove(filepath.Join(dir, "q.json")))
	texts, err := ReadSchemas(dir)
	require.NoError(t, err)
	require.Len(t, texts, 16)
}

// A tenant reads as much of the sources as its limits say, the others as much as the common ones say.
func TestLimitsOfTenants(t *testing.T) {
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte("limits: {max_sources: 3}\ntenants: {bank: {limits: {max_sources: 1, max_source_size: 2KiB}}, shop: {action: FLAG}}\n"), 0o600))
	c, err := config.Load(config.LoadOptions{File: file})
	require.NoError(t, err)
	e, err := NewFast(c, nil, nil)
	require.NoError(t, err)
	in := schemas.Interaction{Answer: "The stadium opened in 1962 beside the river.", Sources: []schemas.Source{{Text: "One."}, {Text: "Two."}, {Text: "Three."}}}
	for tenant, truncated := range map[string]bool{"bank": true, "shop": false, "other": false} {
		in.Tenant = tenant
		require.Equal(t, truncated, e.Evaluate(t.Context(), &in, schemas.Origin{}, time.Time{}).Truncated, tenant)
	}
	require.NoError(t, os.WriteFile(file, []byte("limits: {max_sources: 5000}"), 0o600))
	_, err = config.Load(config.LoadOptions{File: file})
	require.ErrorContains(t, err, "limits.max_sources")
}

// flags.excerpts decides whether flags of either pass quote texts.
func TestExcerptsOfFlags(t *testing.T) {
	c := config.Default()
	for setting, hidden := range map[string]bool{config.ExcerptsRedacted: false, config.ExcerptsNone: true} {
		c.Flags.Excerpts = setting
		fast, err := FastOptions(c, nil, nil)
		require.NoError(t, err)
		require.Equal(t, hidden, fast.Suite.HideExcerpts, setting)
		deep, err := FastOptions(c, nil, nil)
		require.NoError(t, err)
		require.Equal(t, hidden, deep.Suite.HideExcerpts, setting)
	}
}
