package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Records of a topic are not joined: a map of a file's events would take each text for an answer.
func TestInputJoinsNothing(t *testing.T) {
	for _, entries := range []FieldMap{{"answer": "/said", "request": "/ask + /joined"}, {"answer": "/said", "messages": "role=/who /joined"}} {
		c := Default()
		in := DefaultInput("events")
		in.Map = entries
		c.Kafka.Inputs = []Input{in}
		require.ErrorContains(t, c.Validate(), "kafka.inputs[0].map: joins records, which only files are: write whole answers to the topic")
	}
}

// A preset knows the zone of its records' times, and the input's own setting wins.
func TestInputZone(t *testing.T) {
	tests := []struct {
		name string
		in   Input
		want string
	}{
		{"of the preset", Input{Map: FieldMap{"preset": "langfuse"}}, "UTC"},
		{"of the input", Input{Map: FieldMap{"preset": "langfuse"}, TimeZone: "Europe/Rome"}, "Europe/Rome"},
		{"of neither", Input{Map: FieldMap{"preset": "ragas"}}, ""},
		{"without a preset", Input{Map: FieldMap{"answer": "/a"}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			zone, err := tt.in.Zone()
			require.NoError(t, err)
			if tt.want == "" {
				require.Nil(t, zone)
				return
			}
			require.Equal(t, tt.want, zone.String())
		})
	}
}
