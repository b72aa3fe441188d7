package rewrite_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/detectors/rewrite"
	"confab/schemas"
)

// hostileAnswers repeat what is costly to read.
func hostileAnswers() map[string]string {
	size := 20_000
	if os.Getenv("FULL_COUNTS") != "" {
		size = 200_000
	}
	fill := func(s string) string { return strings.Repeat(s, size/len(s)+1)[:size] }
	deep := strings.Builder{}
	for i := range 600 {
		deep.WriteString(strings.Repeat(" ", i) + "- Item XX here.\n")
	}
	return map[string]string{
		"sentences": fill("The XX is big. It is old. "), "one word": fill("X"), "brackets": fill("(["), "closing": fill("XX )] "), "quotes": fill("\"XX \" "), "stars": fill("** XX. **"),
		"tags": fill("<b>XX. "), "open tags": fill("<"), "end tags": fill("</b> XX. "), "list tags": fill("<li>XX.</li>"), "rows": fill("| XX | b |\n"), "pipes": fill("|"), "escaped": fill("XX \\| "),
		"headings": fill("# A XX\n## B\n"), "numbers": fill("1. XX.\n2. YY.\n"), "digits": fill("7a"), "deep list": deep.String(), "quotations": fill("> "), "spaces": fill(" ") + "XX", "lines": fill("\n") + "XX",
		"ideographs": fill("房间XX很大。它"), "mixed": fill("Das XX ist房间مرحباשלוםПривет. "), "notes": fill("[^1] XX.\n[^1]: a\n"), "colons": fill("XX:\n\n- a\n"), "combining": fill("é\u0301\u0302 XX. "),
		"fences": fill("```\nXX\n"), "rules": fill("---\nXX.\n"), "wrapped": fill("the XX is a long line without end and it goes on and on\n"), "tabs": fill("\t- XX\n"),
	}
}

// A hostile answer neither panics nor costs more than linear time; the bound is far above what any of them takes.
func TestHostileAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	for name, answer := range hostileAnswers() {
		t.Run(name, func(t *testing.T) {
			answer := strings.ToValidUTF8(answer, "")
			for _, mode := range rewrite.Modes() {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				in := &schemas.Interaction{Answer: answer}
				f, err := find("XX")(ctx, in)
				require.NoError(t, err)
				r := rewrite.ReviseAnswer(ctx, in, &f, rewrite.Options{Mode: mode, Evaluate: find("XX")})
				require.NoError(t, ctx.Err())
				cancel()
				require.True(t, utf8.ValidString(r.Answer))
				require.NotEqual(t, rewrite.ReasonPanic, r.Reason)
				if r.Status == rewrite.StatusRewritten && mode == rewrite.ModeRemove {
					require.NotContains(t, r.Answer, "XX")
				}
			}
		})
	}
}

func FuzzRevise(f *testing.F) {
	for _, answer := range []string{"1. A XX.\n2. B.", "<ul><li>XX</li></ul>", "| a |\n|--|\n| XX |", "**XX. a**", "> XX\n\n```\nXX\n```", "İ XX. However, x", "(a. XX) b.", "~~~元。doi:1\n```", "A `b`. ~~~\n~~~元。XX\n```\nC."} {
		f.Add(answer, 3, 5)
	}
	f.Fuzz(func(t *testing.T, answer string, start, end int) {
		if !utf8.ValidString(answer) || len(answer) > 5000 {
			return
		}
		for _, mode := range rewrite.Modes() {
			in := &schemas.Interaction{Answer: answer}
			flag := &schemas.Flag{Fired: []string{"facts"}, Signals: []schemas.Signal{{Detector: "facts", Outcome: schemas.Fired, Evidence: []schemas.Evidence{{Start: start, End: end}}}}}
			r := rewrite.ReviseAnswer(t.Context(), in, flag, rewrite.Options{Mode: mode, Evaluate: find("XX")})
			if r.Reason == rewrite.ReasonPanic || !utf8.ValidString(r.Answer) {
				t.Fatalf("%q is not UTF-8, or %s", r.Answer, r.Reason)
			}
			if r.Status == rewrite.StatusRewritten && mode == rewrite.ModeRemove && strings.Contains(r.Answer, "XX") {
				t.Fatalf("%q still fires", r.Answer)
			}
			for _, e := range r.Edits {
				if e.Start < 0 || e.End < e.Start || e.End > len(answer) {
					t.Fatalf("edit %+v", e)
				}
			}
		}
	})
}
