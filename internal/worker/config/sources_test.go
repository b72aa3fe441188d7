package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

func TestSourceSettings(t *testing.T) {
	for name, c := range map[string]struct{ settings, err string }{
		"switched off": {`sources_from: field`, ""},
		"pattern":      {`sources_from: prompt, sources_pattern: '<p id=(?P<id>\d+)>(?P<text>[^<]*)</p>'`, ""},
		"typing error": {`sources_from: tools`, "c.yaml:1:58: kafka.inputs[0].sources_from: expected one of auto, field, tool_messages, system, prompt"},
		"nothing to search": {
			`sources_from: prompt`,
			"c.yaml:1:58: kafka.inputs[0].sources_from: prompt needs sources_pattern, such as <<(?s:(.*?))>>",
		},
		"pattern without prompt": {
			`sources_from: system, sources_pattern: "(a)"`,
			"c.yaml:1:58: kafka.inputs[0].sources_from: sources_pattern has no effect under system: set sources_from: prompt, or remove it",
		},
		"bad pattern": {
			`sources_from: prompt, sources_pattern: "(a"`,
			"c.yaml:1:58: kafka.inputs[0].sources_from: sources_pattern is not a regular expression (RE2 syntax): error parsing regexp: missing closing ): `(a`",
		},
		"pattern without group": {
			`sources_from: prompt, sources_pattern: "a.*b"`,
			"c.yaml:1:58: kafka.inputs[0].sources_from: sources_pattern has no group: put the passage into a group, such as <doc>(?s:(.*?))</doc>, or name it (?P<text>…)",
		},
		"pattern with groups": {
			`sources_from: prompt, sources_pattern: "(a)(b)"`,
			"c.yaml:1:58: kafka.inputs[0].sources_from: sources_pattern has several groups: name the passage's (?P<text>…), and the id's (?P<id>…) if there is one",
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := loadText([]byte(`kafka: {inputs: [{topic: llm.interactions, `+c.settings+`}]}`), LoadOptions{File: "c.yaml"})
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			_, err = cfg.Kafka.Inputs[0].SourceFinder()
			require.NoError(t, err)
		})
	}
}

// The file of a map may say where sources are, as an input may.
func TestMapFileSaysWhereSourcesAre(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.yaml")
	require.NoError(t, os.WriteFile(path, []byte("map: {answer: /a}\nsources_pattern: '<note>(.*?)</note>'\n"), 0o600))
	in := Input{MapFile: path, SourcesFrom: "auto"}
	require.NoError(t, in.LoadMap())
	f, err := in.SourceFinder()
	require.NoError(t, err)
	record := schemas.Interaction{Messages: []schemas.Message{{Role: "user", Content: "<note>Open daily.</note> When?"}}}
	f.Fill(&record)
	require.Equal(t, "Open daily.", record.Sources[0].Text)
	require.NoError(t, os.WriteFile(path, []byte("map: {answer: /a}\nsources_from: fields\n"), 0o600))
	in = Input{MapFile: path}
	require.ErrorContains(t, in.LoadMap(), "sources_from")
}

// The file of a map may have no map: records of a known shape need none.
func TestMapFileWithoutMap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.yaml")
	const record = `{"route":"a","request":{"model":"m","messages":[{"role":"user","content":"<note>Open daily.</note> When?"}]},"response":{"choices":[{"message":{"role":"assistant","content":"Daily."}}]}}`
	for text, want := range map[string]error{
		"sources_pattern: '<note>(.*?)</note>'\n": nil, "time_zone: Europe/Rome\n": nil, "where: {/route: [a]}\n": nil, "where: {/route: [b]}\n": json.ErrSkipped,
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		in := Input{MapFile: path, SourcesFrom: "auto"}
		require.NoError(t, in.LoadMap(), text)
		d, err := in.Values(json.Options{})
		require.NoError(t, err)
		var read schemas.Interaction
		require.ErrorIs(t, d.Decode([]byte(record), &read), want, text)
		if want == nil {
			require.Equal(t, "Daily.", read.Answer, text)
		}
	}
	require.NoError(t, os.WriteFile(path, []byte("kinds: {/a: {b: user}}\n"), 0o600))
	in := Input{MapFile: path}
	require.ErrorContains(t, in.LoadMap(), "the file has no map")
}
