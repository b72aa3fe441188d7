package dispatch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPhaseTable walks every pair of phase and event.
func TestPhaseTable(t *testing.T) {
	const events = "post unconfirmed, post accepted, edit requested, edit started, edit recorded, log behind, part lost, emptied"
	require.Len(t, strings.Split(events, ", "), eventCount)
	table := map[Phase][eventCount]Phase{
		Planned:     {Unconfirmed, Sent, Planned, Planned, Planned, Planned, Dissolving, Closed},
		Unconfirmed: {Unconfirmed, Sent, Unconfirmed, Unconfirmed, Unconfirmed, Unconfirmed, DissolvingUnconfirmed, Closed},
		Dissolving:  {DissolvingUnconfirmed, Detaching, Dissolving, Dissolving, Dissolving, Dissolving, Dissolving, Closed},
		DissolvingUnconfirmed: {
			DissolvingUnconfirmed, Detaching, DissolvingUnconfirmed, DissolvingUnconfirmed, DissolvingUnconfirmed,
			DissolvingUnconfirmed, DissolvingUnconfirmed, Closed,
		},
		Sent:              {Sent, Sent, EditDue, Unrecorded, Sent, Unrecorded, Detaching, Closed},
		EditDue:           {EditDue, EditDue, EditDue, Unrecorded, EditDue, UnrecordedEditDue, Detaching, Closed},
		Unrecorded:        {Unrecorded, Unrecorded, UnrecordedEditDue, Unrecorded, Sent, Unrecorded, Detaching, Closed},
		UnrecordedEditDue: {UnrecordedEditDue, UnrecordedEditDue, UnrecordedEditDue, Unrecorded, EditDue, UnrecordedEditDue, Detaching, Closed},
		Detaching:         {Detaching, Detaching, Detaching, Detaching, Detaching, Detaching, Detaching, Closed},
		Closed:            {Closed, Closed, Closed, Closed, Closed, Closed, Closed, Closed},
	}
	require.Len(t, table, phaseCount)
	reached := map[Phase]bool{Planned: true}
	for p, row := range table {
		for e, want := range row {
			got := p.after(event(e))
			require.Equal(t, want, got, "phase %d, event %d", p, e)
			require.True(t, got == Closed || got.IsSent() || !p.IsSent(), "phase %d, event %d: a sent message stays sent", p, e)
			require.True(t, p.takesParts() || !got.takesParts(), "phase %d, event %d: a lost part does not come back", p, e)
			require.True(t, !p.IsUnconfirmed() || got.IsUnconfirmed() || got.IsSent() || got == Closed, "phase %d, event %d: an unknown result stays unknown", p, e)
			reached[got] = true
		}
	}
	require.Len(t, reached, phaseCount, "every phase is reached")
}
