package console

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReport(t *testing.T) {
	r := Report{Check: "topic", Subject: "t"}
	r.OK("fine")
	r.Skip("unseen", "")
	r.Warn("small", "grow")
	r.Fail("gone", "create")
	r.Fail("gone too", "create")
	require.Equal(t, Finding{"topic", "t", Warning, "small", "grow"}, r.Findings[2])
	for state, want := range map[State]int{OK: 1, NotChecked: 1, Warning: 1, Problem: 2} {
		require.Equal(t, want, CountFindings(r.Findings, state), state)
	}
}
