package evaluation

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/cmd/worker/internal/config"
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
