package alerting

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestDetailsNameTheIncident(t *testing.T) {
	require.Contains(t, string(indent(t, details(&schemas.Alert{Flag: sample()}, RenderOptions{}))), incident)
}
