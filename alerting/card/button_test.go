package card

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

func TestButtonValue(t *testing.T) {
	many := make([]string, 0, maxDetectors+5)
	for i := range maxDetectors + 5 {
		many = append(many, "d"+string(rune('a'+i))+strings.Repeat("x", maxDetectorName-2))
	}
	tests := []struct {
		name string
		in   ButtonValue
		want string
		back ButtonValue
	}{
		{
			"whole",
			ButtonValue{samples.IncidentID, samples.GroupKey, []string{"grounding", "citation"}, nil},
			"1:" + samples.IncidentID + ":" + samples.GroupKey + ":citation,grounding",
			ButtonValue{samples.IncidentID, samples.GroupKey, []string{"citation", "grounding"}, nil},
		},
		{"no group", ButtonValue{Incident: samples.IncidentID, Detectors: []string{"schema"}}, "1:" + samples.IncidentID + "::schema", ButtonValue{samples.IncidentID, "", []string{"schema"}, nil}},
		{"no detector", ButtonValue{Incident: samples.IncidentID, Group: samples.GroupKey}, "1:" + samples.IncidentID + ":" + samples.GroupKey + ":", ButtonValue{samples.IncidentID, samples.GroupKey, nil, nil}},
		{
			"invalid names",
			ButtonValue{samples.IncidentID, samples.GroupKey, []string{"a:b", "a,b", "<!channel>", "", "A", "9", "judge", "judge"}, nil},
			"1:" + samples.IncidentID + ":" + samples.GroupKey + ":judge",
			ButtonValue{samples.IncidentID, samples.GroupKey, []string{"judge"}, nil},
		},
		{
			"a judge",
			ButtonValue{samples.IncidentID, "", nil, &schemas.Judged{Model: "llama3:8b", Prompt: "faults-1", Wrong: true}},
			"1:" + samples.IncidentID + ":::true,faults-1,llama3:8b",
			ButtonValue{samples.IncidentID, "", nil, &schemas.Judged{Model: "llama3:8b", Prompt: "faults-1", Wrong: true}},
		},
		{"a judge of another form", ButtonValue{samples.IncidentID, "", nil, &schemas.Judged{Model: "<!channel>", Prompt: "faults-1"}}, "1:" + samples.IncidentID + "::", ButtonValue{samples.IncidentID, "", nil, nil}},
		{"too many", ButtonValue{samples.IncidentID, samples.GroupKey, many, nil}, "", ButtonValue{samples.IncidentID, samples.GroupKey, many[:maxDetectors], nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.in.String()
			if tt.want != "" {
				require.Equal(t, tt.want, s)
			}
			require.LessOrEqual(t, len(s), 2000, "Slack's limit")
			back, err := ParseButtonValue(s)
			require.NoError(t, err)
			require.Equal(t, tt.back, back)
		})
	}
}

func TestParseButtonValueRejects(t *testing.T) {
	good := ButtonValue{samples.IncidentID, samples.GroupKey, []string{"citation", "grounding"}, nil}.String()
	tests := []struct{ name, in string }{
		{"nothing", ""},
		{"another version", "2" + good[1:]},
		{"an incident too short", "1:" + samples.IncidentID[1:] + ":" + samples.GroupKey + ":"},
		{"an incident in capitals", "1:" + strings.ToUpper(samples.IncidentID) + ":" + samples.GroupKey + ":"},
		{"a group too long", "1:" + samples.IncidentID + ":" + samples.GroupKey + "0:"},
		{"a group of other letters", "1:" + samples.IncidentID + ":" + strings.Repeat("g", groupDigits) + ":"},
		{"no separator at the end", "1:" + samples.IncidentID + ":" + samples.GroupKey},
		{"another part", good + ":x"},
		{"an invalid name", "1:" + samples.IncidentID + ":" + samples.GroupKey + ":<!channel>"},
		{"names out of order", "1:" + samples.IncidentID + ":" + samples.GroupKey + ":grounding,citation"},
		{"a name twice", "1:" + samples.IncidentID + ":" + samples.GroupKey + ":citation,citation"},
		{"an empty name", good + ","},
		{"too many names", "1:" + samples.IncidentID + ":" + samples.GroupKey + ":" + strings.Repeat("a,", maxDetectors) + "a"},
		{"white space", good + "\n"},
		{"JSON", `{"incident":"` + samples.IncidentID + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := ParseButtonValue(tt.in)
			require.Error(t, err)
			require.NotContains(t, err.Error(), samples.IncidentID, "errors do not quote")
			require.Zero(t, v)
		})
	}
}

func FuzzParseButtonValue(f *testing.F) {
	f.Add(ButtonValue{samples.IncidentID, samples.GroupKey, []string{"citation", "grounding"}, nil}.String())
	f.Add("1:" + samples.IncidentID + "::")
	for _, p := range samples.HostileTexts() {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseButtonValue(s)
		if err != nil {
			return
		}
		require.Equal(t, s, v.String(), "one encoding per value")
		require.LessOrEqual(t, len(s), 2000)
		require.NotContains(t, s, "<")
	})
}

func TestIsSlackUser(t *testing.T) {
	for id, want := range map[string]bool{
		"U012AB3CD": true, "W1": true, "U" + strings.Repeat("A", 20): true,
		"": false, "U": false, "C012": false, "u012": false, "U0a": false, "U0>": false, "U" + strings.Repeat("A", 21): false, "U1\n": false, "<@U1>": false,
	} {
		require.Equal(t, want, IsSlackUser(id), "%q", id)
	}
}
