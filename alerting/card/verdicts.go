package card

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"confab/schemas"
)

// verdictLines returns the last verdict of each user, the latest users last.
func verdictLines(all []schemas.Feedback) []string {
	var lines []string
	for i := range all {
		lines, _ = AddVerdictLine(lines, VerdictLine(&all[i]))
	}
	return lines
}

// VerdictLine returns who gave which verdict, and when.
func VerdictLine(f *schemas.Feedback) string {
	verdict := "✘ wrong"
	if f.Verdict == schemas.Fine {
		verdict = "✔ fine"
	}
	line := fmt.Sprintf("%s by %s at %s", verdict, userName(f.User, f.Source), formatMinute(f.At))
	if comment := cleanRedacted(f.Comment, maxComment); comment != "" {
		line += ": " + comment
	}
	return line
}

// SilenceLine returns who silenced a group, and until when.
func SilenceLine(s *schemas.Silence) string {
	return fmt.Sprintf("🔕 silenced by %s until %s", userName(s.User, schemas.FromSlack), formatMinute(s.Until))
}

// AddVerdictLine adds a line to those shown, replaces the one of the same user, and reports whether that is a change.
func AddVerdictLine(shown []string, line string) ([]string, bool) {
	what, who, when := splitVerdictLine(line)
	kept := make([]string, 0, len(shown)+1)
	for _, s := range shown {
		w, by, t := splitVerdictLine(s)
		switch {
		case by != who, (when == "") != (t == ""): // of another user, or a silence next to a verdict
			kept = append(kept, s)
		case w == what && t == when:
			return shown, false
		}
	}
	kept = append(kept, line)
	return kept[max(0, len(kept)-maxFeedbackLines):], true
}

// splitVerdictLine returns verdict and user of a line and, for a silence, its end. It ignores the time of a verdict, and
// the mark before it, which Slack may return in another spelling.
func splitVerdictLine(line string) (what, who, until string) {
	what, rest, _ := strings.Cut(line, " by ")
	_, what, _ = strings.Cut(what, " ")
	who, until, _ = strings.Cut(rest, " ")
	if !strings.HasPrefix(until, "until ") {
		until = ""
	}
	return what, who, until
}

// userName returns the name of a user as one word that Slack does not read as a mention.
func userName(user string, source schemas.FeedbackSource) string {
	switch {
	case source == schemas.FromSlack && IsSlackUser(user):
		return user
	case source == schemas.FromCLI && user != "":
		return "cli:" + strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.L, unicode.N) || strings.ContainsRune("._-", r) {
				return r
			}
			return '_'
		}, Clean(user, maxFieldLabel))
	}
	return "unknown"
}

func formatMinute(t time.Time) string { return t.UTC().Format("15:04 UTC, 2006-01-02") }
