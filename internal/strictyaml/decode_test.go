package strictyaml

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// testOptions stands for a detector's own options.
type testOptions struct {
	Window int      `yaml:"window" min:"1"`
	Forms  []string `yaml:"forms"`
	Strict *bool    `yaml:"strict"`
}

// sectionOptions is one of a closed set.
type sectionOptions struct {
	Enabled bool `yaml:"enabled"`
	Options any  `yaml:",inline"`
}

type sectioned struct {
	Sections map[string]*sectionOptions `yaml:"sections"`
}

func decodeText(t *testing.T, text string, into any) []Problem {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	d := &Decoder{
		places: map[string]Place{}, MaxValues: defaultMaxValues,
		lookup: func(string) (string, bool) { return "", false },
		place:  func(n *yaml.Node) Place { return Place{Source: "f", Line: n.Line, Column: n.Column} },
	}
	d.value(document.Content[0], reflect.ValueOf(into).Elem(), "", Rules{})
	return d.problems
}

// A closed map takes the keys that the defaults hold; each section is decoded into the options behind it.
func TestDecodeSections(t *testing.T) {
	fresh := func() *sectioned {
		return &sectioned{Sections: map[string]*sectionOptions{
			"citation": {Enabled: true, Options: &testOptions{Window: 3}},
			"schema":   {Enabled: true, Options: &testOptions{Window: 5}},
		}}
	}
	cfg := fresh()
	require.Empty(t, decodeText(t, "sections: {citation: {enabled: false, window: 7, strict: true}, schema: {forms: [a, b]}}", cfg))
	require.Equal(t, &sectionOptions{Options: &testOptions{Window: 7, Strict: new(true)}}, cfg.Sections["citation"])
	require.Equal(t, &sectionOptions{Enabled: true, Options: &testOptions{Window: 5, Forms: []string{"a", "b"}}}, cfg.Sections["schema"])

	cfg = fresh()
	problems := decodeText(t, "sections:\n  citatoin: {}\n  citation: {windw: 1}\n  schema: {window: 0}\n", cfg)
	require.Equal(t, fresh(), cfg, "what is wrong changes nothing")
	require.Len(t, problems, 3)
	require.Equal(t, `f:2:3: sections: unknown key "citatoin"; did you mean "citation"?`, problems[0].String())
	require.Equal(t, `f:3:14: sections.citation: unknown key "windw"; did you mean "window"?`, problems[1].String())
	require.Equal(t, `f:4:20: sections.schema.window: too small: the least is 1`, problems[2].String())
}

// A list from outside a file may have the brackets of one within.
func TestListFromOutside(t *testing.T) {
	for _, text := range []string{"tea, rum", "[tea, rum]"} {
		var cfg struct {
			Drinks []string `yaml:"drinks"`
		}
		d := NewDecoder(nil)
		d.Settings([]Setting{{Path: "drinks", Value: text, Source: "--set"}}, &cfg)
		require.NoError(t, d.Err())
		require.Equal(t, []string{"tea", "rum"}, cfg.Drinks)
	}
}

func TestExpand(t *testing.T) {
	env := map[string]string{"A": "1", "EMPTY": "", "B_2": "${A}"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, tc := range []struct {
		text, want string
		problems   int
	}{
		{text: "", want: ""},
		{text: "plain", want: "plain"},
		{text: "${A}", want: "1"},
		{text: "x${A}y${A}z", want: "x1y1z"},
		{text: "${B_2}", want: "${A}"},
		{text: "${EMPTY}", want: ""},
		{text: "${EMPTY:-d}", want: "d"},
		{text: "${NONE:-d}", want: "d"},
		{text: "${NONE:-}", want: ""},
		{text: "${NONE:-a:-b}", want: "a:-b"},
		{text: "${A:-d}", want: "1"},
		{text: "$$", want: "$"},
		{text: "$${A}", want: "${A}"},
		{text: "$$$$", want: "$$"},
		{text: "$", want: "$"},
		{text: "^a$ costs $5", want: "^a$ costs $5"},
		{text: "${NONE}", problems: 1},
		{text: "${NONE} ${NOPE} ${A}", want: "  1", problems: 2},
		{text: "${", problems: 1},
		{text: "${A", problems: 1},
		{text: "${}", problems: 1},
		{text: "${1A}", problems: 1},
		{text: "${A-d}", problems: 1},
		{text: "${A:-${NONE}}", want: "}", problems: 1},
	} {
		t.Run(tc.text, func(t *testing.T) {
			got, problems := expandVariables(tc.text, lookup)
			require.Equal(t, tc.want, got)
			require.Len(t, problems, tc.problems)
		})
	}
}

func TestNearest(t *testing.T) {
	keys := []string{"seed_brokers", "client_id", "tls", "sasl", "topics"}
	for word, want := range map[string]string{
		"seed_broker": "seed_brokers", "SEED_BROKERS": "seed_brokers", "seedbrokers": "seed_brokers", "cleint_id": "client_id",
		"tsl": "tls", "brokers": "", "x": "", "": "", "topic": "topics",
		strings.Repeat("long", 100): "",
	} {
		require.Equal(t, want, nearestWord(word, keys), word)
	}
}

func TestBytes(t *testing.T) {
	for text, want := range map[string]Bytes{"0": 0, "1024": KiB, "1MiB": MiB, "10 MB": 10_000_000, "512KiB": MiB / 2, "3B": 3, "2GiB": 2 * GiB} {
		var got Bytes
		require.NoError(t, got.UnmarshalText([]byte(text)), text)
		require.Equal(t, want, got, text)
		var again Bytes
		require.NoError(t, again.UnmarshalText([]byte(got.String())))
		require.Equal(t, got, again, "prints as it reads")
	}
	for _, text := range []string{"", "MiB", "-1", "1.5MiB", "1 TiB", "9223372036854775807KiB", "1e6"} {
		var got Bytes
		require.Error(t, got.UnmarshalText([]byte(text)), text)
	}
}
