package rewrite_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/rewrite"
	"confab/schemas"
)

func TestHedge(t *testing.T) {
	const h = "This could not be verified: "
	for name, c := range map[string]struct{ answer, want string }{
		"sentence":        {"Free. The XX is big. End.", "Free. " + h + "The XX is big. End."},
		"item":            {"1. One.\n2. The XX is big.", "1. One.\n2. " + h + "The XX is big."},
		"task":            {"- [x] The XX is big.", "- [x] " + h + "The XX is big."},
		"emphasis":        {"**The XX is big.** End.", h + "**The XX is big.** End."},
		"quotation":       {"> The XX is big.", "> " + h + "The XX is big."},
		"heading":         {"## The XX\n\nText.", "## " + h + "The XX\n\nText."},
		"row":             {"| a | b |\n|---|---|\n| c | XX |\n", "| a | b |\n|---|---|\n| c | " + h + "XX |\n"},
		"first cell":      {"| a | b |\n|---|---|\n| XX | c |\n", "| a | b |\n|---|---|\n| " + h + "XX | c |\n"},
		"escaped pipe":    {"| a | b |\n|---|---|\n| c | d \\| XX |\n", "| a | b |\n|---|---|\n| c | " + h + "d \\| XX |\n"},
		"footnote":        {"Free.[^1]\n\n[^1]: The XX is big.", "Free.[^1]\n\n[^1]: " + h + "The XX is big."},
		"dependents stay": {"Free. The XX is big. However, it is dark.", "Free. " + h + "The XX is big. However, it is dark."},
		"one sentence":    {"The XX is big.", h + "The XX is big."},
		"German":          {"Der Eintritt ist für alle Gäste frei. Das XX ist groß und liegt nicht weit von der Stadt.", "Der Eintritt ist für alle Gäste frei. Dies konnte nicht überprüft werden: Das XX ist groß und liegt nicht weit von der Stadt."},
		"Spanish":         {"La entrada es gratis para todos los niños. El XX es muy grande.", "La entrada es gratis para todos los niños. Esto no se pudo verificar: El XX es muy grande."},
		"French":          {"Le musée est gratuit pour tous les enfants de la ville. Le XX est grand.", "Le musée est gratuit pour tous les enfants de la ville. Ceci n’a pas pu être vérifié : Le XX est grand."},
		"Chinese":         {"博物馆免费开放。房间有XX个。", "博物馆免费开放。以下内容无法核实：房间有XX个。"},
		"Japanese":        {"博物館は無料です。部屋はXXあります。", "博物館は無料です。次の内容は確認できませんでした：部屋はXXあります。"},
	} {
		t.Run(name, func(t *testing.T) {
			r := revise(t, rewrite.ModeHedge, c.answer, "XX")
			require.Equal(t, rewrite.StatusRewritten, r.Status, r.Reason)
			require.Equal(t, c.want, r.Answer)
			require.Equal(t, rewrite.MeasuredUnmarked, r.After.Measured)
			require.Equal(t, "hedged", r.Edits[0].Action)
		})
	}
}

func TestAnnotate(t *testing.T) {
	const note = "Source 1 says instead: “1935”. It reads: “The museum opened in 1935.”"
	for name, c := range map[string]struct{ answer, want string }{
		"sentence":        {"Free. The XX is big. End.", "Free. The XX is big.[^1] End.\n\n[^1]: " + note},
		"line break":      {"The XX is big.\n", "The XX is big.[^1]\n\n[^1]: " + note + "\n"},
		"citation":        {"The XX is big [2]. End.", "The XX is big [2].[^1] End.\n\n[^1]: " + note},
		"two":             {"- XX.\n- YY.", "- XX.[^1]\n- YY.[^2]\n\n[^1]: " + note + "\n[^2]: " + note},
		"row":             {"| a | b |\n|---|---|\n| XX | c |\n", "| a | b |\n|---|---|\n| XX[^1] | c |\n\n[^1]: " + note + "\n"},
		"other footnotes": {"Free.[^4] The XX is big.\n\n[^4]: A page.", "Free.[^4] The XX is big.[^5]\n\n[^4]: A page.\n\n[^5]: " + note},
	} {
		t.Run(name, func(t *testing.T) {
			r := revise(t, rewrite.ModeAnnotate, c.answer, "XX", "YY")
			require.Equal(t, rewrite.StatusRewritten, r.Status, r.Reason)
			require.Equal(t, c.want, r.Answer)
			require.Equal(t, "annotated", r.Edits[0].Action)
		})
	}
}

// annotateWith annotates an answer with one piece of evidence.
func annotateWith(t *testing.T, e schemas.Evidence) string {
	t.Helper()
	in := &schemas.Interaction{Answer: "The XX is big."}
	e.Start, e.End = 4, 6
	f := &schemas.Flag{Fired: []string{"facts"}, Signals: []schemas.Signal{{Detector: "facts", Outcome: schemas.Fired, Evidence: []schemas.Evidence{e}}}}
	r := rewrite.ReviseAnswer(t.Context(), in, f, rewrite.Options{Mode: rewrite.ModeAnnotate, Evaluate: func(context.Context, *schemas.Interaction) (schemas.Flag, error) {
		return schemas.Flag{}, nil
	}})
	require.Equal(t, rewrite.StatusRewritten, r.Status)
	note, found := strings.CutPrefix(r.Answer, "The XX is big.[^1]\n\n[^1]: ")
	require.True(t, found, r.Answer)
	return note
}

func TestFootnotes(t *testing.T) {
	require.Equal(t, "No source confirms this.", annotateWith(t, schemas.Evidence{}))
	require.Equal(t, "No source confirms this.", annotateWith(t, schemas.Evidence{SourceID: "kb-1"}), "excerpts are hidden")
	require.Equal(t, "Not confirmed. The closest passage, in source kb-1: “It is old.”", annotateWith(t, schemas.Evidence{SourceID: "kb-1", SourceNumber: 2, SourceExcerpt: "It is old."}))
	require.Equal(t, "Source 2 says instead: “1935”.", annotateWith(t, schemas.Evidence{SourceNumber: 2, SourceSays: "1935"}))
}

// What a source says is text, never Markdown, HTML or a second line.
func TestSourcesCannotFormat(t *testing.T) {
	for _, hostile := range []string{
		"[click](https://evil.example)", "![x](https://evil.example/p.png)", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "line\n\n# Heading\n- item",
		"`code`", "**bold** _it_", "| cell |", "[^1]: other", "www.evil.example", "https://evil.example", "a@evil.example", "&lt;b&gt;", "$x$", "\u202eevil\u200b", "~~x~~", "\\[x\\](y)",
		"\x1b]8;;https://evil.example\x07x", strings.Repeat("a", 100000), strings.Repeat("字", 10000),
	} {
		for _, e := range []schemas.Evidence{{SourceID: hostile, SourceExcerpt: hostile, SourceSays: hostile}, {SourceID: "a", SourceExcerpt: hostile}} {
			note := annotateWith(t, e)
			require.NotContains(t, note, "\n")
			require.Less(t, len([]rune(note)), 1200)
			plain := strings.NewReplacer(`\\`, "", `\[`, "", `\]`, "", "\\`", "", `\*`, "", `\_`, "", `\|`, "", `\@`, "", `\:`, "", `\.`, "", `\$`, "", `\~`, "", `\!`, "", `\^`, "", `\#`, "").Replace(note)
			for _, mark := range []string{"[", "]", "<", ">", "`", "*", "|", "@", "://", "www.", "$", "~", "\u202e", "\x1b", "!["} {
				require.NotContains(t, plain, mark, hostile)
			}
		}
	}
}

func TestResultAsJSON(t *testing.T) {
	r := revise(t, rewrite.ModeRemove, "Free. The XX is big.", "XX")
	b, err := json.Marshal(r)
	require.NoError(t, err)
	require.JSONEq(t, `{"mode":"remove","status":"rewritten","rounds":1,"original":"Free. The XX is big.","answer":"Free.",
"edits":[{"start":6,"end":20,"action":"removed","because":"flagged","detectors":["facts"]}],
"after":{"measured":"answer","verdict":"clear","fired":[],"risk":null,"recommendation":""}}`, string(b))
	hidden := r.Redacted(nil)
	require.Empty(t, hidden.Original+hidden.Answer)
	require.Equal(t, "FREE.", r.Redacted(strings.ToUpper).Answer)
}

// The verdicts of a judge are places, too.
func TestStatements(t *testing.T) {
	in := &schemas.Interaction{Answer: "Free. The XX is big."}
	f := &schemas.Flag{Fired: []string{"faithfulness"}, Signals: []schemas.Signal{{Detector: "faithfulness", Outcome: schemas.Fired, Statements: []schemas.Statement{
		{Start: 0, End: 5, Verdict: "faithful"}, {Start: 6, End: 20, Verdict: "unfaithful"}, {Start: schemas.NoPlace, End: schemas.NoPlace, Verdict: "unfaithful"},
	}}}}
	r := rewrite.ReviseAnswer(t.Context(), in, f, rewrite.Options{Mode: rewrite.ModeRemove, Evaluate: find("XX")})
	require.Equal(t, "Free.", r.Answer)
}
