package config

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileWarnings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such file modes")
	}
	dir := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("x"), mode))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	c := Default()
	open := file("open", 0o644)
	c.Kafka.SASL.PasswordFile, c.SchemaRegistry.PasswordFile = open, open // named once
	c.Kafka.TLS.KeyFile = file("key.pem", 0o604)
	c.Kafka.TLS.CertFile, c.Kafka.TLS.CAFile = file("cert.pem", 0o644), file("ca.pem", 0o644) // no secrets
	c.LLM.Judge.APIKeyFile = file("group", 0o440)
	c.Sampling.SaltFile = file("owner", 0o600)

	file("..2026_11_22/token", 0o644)
	require.NoError(t, os.Symlink("..2026_11_22", filepath.Join(dir, "..data")))
	mounted := filepath.Join(dir, "token")
	require.NoError(t, os.Symlink(filepath.Join("..data", "token"), mounted))
	c.Alerting.Slack.BotTokenFile = mounted
	require.Equal(t, []string{
		c.Kafka.TLS.KeyFile + " holds a secret, and every user of this machine can read it: chmod o-r " + c.Kafka.TLS.KeyFile,
		open + " holds a secret, and every user of this machine can read it: chmod o-r " + open,
	}, c.FileWarnings())
	require.Empty(t, Default().FileWarnings())
}
