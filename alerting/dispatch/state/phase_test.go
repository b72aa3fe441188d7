package state

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPhaseTable walks every pair of phase and event. A pair that is not listed leaves the phase as it is.
func TestPhaseTable(t *testing.T) {
	changes := map[Phase]map[event]Phase{
		Planned:               {postUnconfirmed: Unconfirmed, postAccepted: Sent, partLost: Dissolving, emptied: Closed},
		Unconfirmed:           {postAccepted: Sent, partLost: DissolvingUnconfirmed, emptied: Closed},
		Dissolving:            {postUnconfirmed: DissolvingUnconfirmed, postAccepted: Detaching, emptied: Closed},
		DissolvingUnconfirmed: {postAccepted: Detaching, emptied: Closed},
		Sent:                  {editRequested: EditDue, editStarted: Unrecorded, logBehind: Unrecorded, partLost: Detaching, emptied: Closed},
		EditDue:               {editStarted: Unrecorded, logBehind: UnrecordedEditDue, partLost: Detaching, emptied: Closed},
		Unrecorded:            {editRequested: UnrecordedEditDue, editRecorded: Sent, partLost: Detaching, emptied: Closed},
		UnrecordedEditDue:     {editStarted: Unrecorded, editRecorded: EditDue, partLost: Detaching, emptied: Closed},
		Detaching:             {emptied: Closed},
		Closed:                {},
	}
	require.Len(t, changes, phaseCount)
	reached := map[Phase]bool{Planned: true}
	for p := range Phase(phaseCount) {
		for e := range event(eventCount) {
			want, changed := changes[p][e]
			if !changed {
				want = p
			}
			got := p.after(e)
			require.Equal(t, want, got, "phase %d, event %d", p, e)
			require.True(t, got == Closed || got.IsSent() || !p.IsSent(), "phase %d, event %d: a sent message stays sent", p, e)
			require.True(t, p.takesParts() || !got.takesParts(), "phase %d, event %d: a lost part does not come back", p, e)
			require.True(t, !p.IsUnconfirmed() || got.IsUnconfirmed() || got.IsSent() || got == Closed, "phase %d, event %d: an unknown result stays unknown", p, e)
			reached[got] = true
		}
	}
	require.Len(t, reached, phaseCount, "every phase is reached")
}
