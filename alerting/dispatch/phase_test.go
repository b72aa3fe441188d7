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
	table := map[phase][eventCount]phase{
		planned:     {unconfirmed, sent, planned, planned, planned, planned, dissolving, closed},
		unconfirmed: {unconfirmed, sent, unconfirmed, unconfirmed, unconfirmed, unconfirmed, dissolvingUnconfirmed, closed},
		dissolving:  {dissolvingUnconfirmed, detaching, dissolving, dissolving, dissolving, dissolving, dissolving, closed},
		dissolvingUnconfirmed: {
			dissolvingUnconfirmed, detaching, dissolvingUnconfirmed, dissolvingUnconfirmed, dissolvingUnconfirmed,
			dissolvingUnconfirmed, dissolvingUnconfirmed, closed,
		},
		sent:              {sent, sent, editDue, unrecorded, sent, unrecorded, detaching, closed},
		editDue:           {editDue, editDue, editDue, unrecorded, editDue, unrecordedEditDue, detaching, closed},
		unrecorded:        {unrecorded, unrecorded, unrecordedEditDue, unrecorded, sent, unrecorded, detaching, closed},
		unrecordedEditDue: {unrecordedEditDue, unrecordedEditDue, unrecordedEditDue, unrecorded, editDue, unrecordedEditDue, detaching, closed},
		detaching:         {detaching, detaching, detaching, detaching, detaching, detaching, detaching, closed},
		closed:            {closed, closed, closed, closed, closed, closed, closed, closed},
	}
	require.Len(t, table, phaseCount)
	reached := map[phase]bool{planned: true}
	for p, row := range table {
		for e, want := range row {
			got := p.after(event(e))
			require.Equal(t, want, got, "phase %d, event %d", p, e)
			require.True(t, got == closed || got.isSent() || !p.isSent(), "phase %d, event %d: a sent message stays sent", p, e)
			require.True(t, p.takesParts() || !got.takesParts(), "phase %d, event %d: a lost part does not come back", p, e)
			require.True(t, !p.isUnconfirmed() || got.isUnconfirmed() || got.isSent() || got == closed, "phase %d, event %d: an unknown result stays unknown", p, e)
			reached[got] = true
		}
	}
	require.Len(t, reached, phaseCount, "every phase is reached")
}
