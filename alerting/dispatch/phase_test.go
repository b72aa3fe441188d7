package dispatch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPhaseTable walks every pair of phase and event.
func TestPhaseTable(t *testing.T) {
	reached := map[phase]bool{planned: true}
	for p := planned; p <= closed; p++ {
		for e := range event(eventCount) {
			got := p.after(e)
			require.True(t, got == closed || got.isSent() || !p.isSent(), "phase %d, event %d: a sent message stays sent", p, e)
			require.True(t, p.takesParts() || !got.takesParts(), "phase %d, event %d: a lost part does not come back", p, e)
			require.True(t, !p.isUnconfirmed() || got.isUnconfirmed() || got.isSent() || got == closed, "phase %d, event %d: an unknown result stays unknown", p, e)
			require.Equal(t, p == closed || e == emptied, got == closed, "phase %d, event %d", p, e)
			require.True(t, e != postAccepted || got.isSent() || got == closed, "phase %d", p)
			require.True(t, e != partLost || !got.takesParts(), "phase %d", p)
			reached[got] = true
		}
	}
	require.Len(t, reached, phaseCount, "every phase is reached")
}

// TestActionTable: every state of an incident has an action for each report. Only a deep flag improves a fast one, only one that
// does not hold clears, and nothing but a wait ends in another way than it began.
func TestActionTable(t *testing.T) {
	for st := range incidentState(incidentStates) {
		for r := range report(reports) {
			do := st.actionOf(r)
			require.True(t, r >= deepCleared || do != nothing, "state %d: an alert is accounted for", st)
			require.Equal(t, st == fastMember && (r == deepAlert || r == deepCleared), do == improve, "state %d, report %d", st, r)
			require.True(t, do != drop || r >= deepCleared, "state %d, report %d", st, r)
			require.True(t, do != join || r <= deepAlert && (st == unknownIncident || st == waitingIncident), "state %d, report %d", st, r)
			require.True(t, st != waitingIncident || r == fastAlert || do == join || do == drop, "a deep flag ends the wait")
		}
	}
}
