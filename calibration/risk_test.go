package calibration

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCanFire(t *testing.T) {
	t.Parallel()
	c, err := New(File{Format: Format, ID: "c", Thresholds: []Threshold{
		{Detector: "everywhere", Armed: true},
		{Detector: "nowhere"},
		{Detector: "mail", Operation: "mail", Armed: true},
		{Detector: "mail"},
		{Detector: "bank", Tenant: "bank", Armed: true},
		{Detector: "not bank", Armed: true},
		{Detector: "not bank", Tenant: "bank"},
		{Detector: "mail of all but bank", Operation: "mail", Armed: true},
		{Detector: "mail of all but bank", Tenant: "bank"},
		{Detector: "consistency.embedding", Armed: true},
	}})
	require.NoError(t, err)
	for name, want := range map[string][2]bool{ // of any tenant, of bank
		"everywhere": {true, true}, "nowhere": {}, "mail": {true, true}, "bank": {false, true}, "not bank": {true, false},
		"mail of all but bank": {true, false}, "consistency": {true, true}, "unknown": {}, "faithfulness": {true, true},
	} {
		require.Equal(t, want, [2]bool{c.CanFire(name, "other"), c.CanFire(name, "bank")}, name)
	}
}
