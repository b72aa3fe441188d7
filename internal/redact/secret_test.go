package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"confab/internal/redact"
)

const hidden = "hunter2-hunter2"

func TestSecretIsMasked(t *testing.T) {
	type config struct {
		Password redact.Secret `json:"password" yaml:"password"`
	}
	c := config{Password: hidden}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "secret", c.Password, "config", c)
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "secret", c.Password, "config", c)
	asJSON, err := json.Marshal(map[string]any{"config": c, "secret": c.Password})
	require.NoError(t, err)
	asYAML, err := yaml.Marshal(c)
	require.NoError(t, err)

	shown := map[string]string{"slog": log.String(), "json": string(asJSON), "yaml": string(asYAML)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%20s", "%T%v"} {
		shown[verb+" value"] = fmt.Sprintf(verb, c.Password)
		shown[verb+" pointer"] = fmt.Sprintf(verb, &c)
		shown[verb+" struct"] = fmt.Sprintf(verb, c)
		shown[verb+" error"] = fmt.Errorf("dial: "+verb, c).Error()
	}
	for where, text := range shown {
		require.NotContains(t, text, "hunter2", where)
		require.NotContains(t, text, fmt.Sprintf("%x", "hunter2"), where)
	}
	require.Contains(t, shown["yaml"], "password: '[secret]'")
	require.Contains(t, shown["json"], `"password":"[secret]"`)
	require.Equal(t, hidden, c.Password.Reveal())
}

func TestEmptySecretPrintsNothing(t *testing.T) {
	var s redact.Secret
	require.Empty(t, s.String())
	require.Equal(t, `""`, fmt.Sprintf("%#v", s))
	out, err := json.Marshal(s)
	require.NoError(t, err)
	require.JSONEq(t, `""`, string(out))
}

func TestSecretDecodesAsAString(t *testing.T) {
	var fromYAML, fromJSON struct {
		Password redact.Secret `json:"password" yaml:"password"`
	}
	require.NoError(t, yaml.Unmarshal([]byte("password: "+hidden), &fromYAML))
	require.NoError(t, json.Unmarshal([]byte(`{"password":"`+hidden+`"}`), &fromJSON))
	require.Equal(t, hidden, fromYAML.Password.Reveal())
	require.Equal(t, hidden, fromJSON.Password.Reveal())
}
