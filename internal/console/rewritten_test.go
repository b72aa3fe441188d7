package console

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/rewrite"
)

func TestRowShowsTheRewrittenAnswer(t *testing.T) {
	r := evidenceRow("The museum opened in 1937.", "It opened in 1935.")
	r.Rewrite = &rewrite.Result{
		Mode: rewrite.ModeRemove, Status: rewrite.StatusRewritten, Rounds: 1, Original: "Free.\n\nThe museum opened \x1b[31min 1937. " + strings.Repeat("many words ", 900), Answer: "Free.",
		Edits: []rewrite.Edit{{}}, After: &rewrite.Outcome{Verdict: rewrite.VerdictNotCheckable},
	}
	var out bytes.Buffer
	require.NoError(t, FlagPrinter{W: &out}.Row(r))
	text := out.String()
	require.Contains(t, text, "    remove: 1 edit, 1 round, not checkable afterwards\n      original:\n        Free.\n\n        The museum opened [U+001B][31min 1937. many words")
	require.Contains(t, text, "        …\n      rewritten:\n        Free.\n")
	require.NotContains(t, text, "\x1b")

	r.Rewrite = &rewrite.Result{Mode: rewrite.ModeRemove, Status: rewrite.StatusFailed, Reason: rewrite.ReasonNoPlace}
	out.Reset()
	require.NoError(t, FlagPrinter{W: &out}.Row(r))
	require.Contains(t, out.String(), "    remove: failed, no place\n")
}
