package alerting

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"confab/schemas"
)

// verdictLines say who said what: the last word of each, the latest people last.
func verdictLines(all []schemas.Feedback) []string {
	var lines []string
	for i := range all {
		lines, _ = AddVerdictLine(lines, VerdictLine(&all[i]))
	}
	return lines
}

// VerdictLine says who said what about an incident.
func VerdictLine(f *schemas.Feedback) string {
	verdict := "✔ confirmed"
	if f.Verdict == schemas.FalsePositive {
		verdict = "✘ false positive"
	}
	line := fmt.Sprintf("%s by %s at %s", verdict, userName(f.User, f.Source), formatMinute(f.At))
	if comment := cleanRedacted(f.Comment, maxComment); comment != "" {
		line += ": " + comment
	}
	return line
}

// SilenceLine says who has silenced a group, and until when.
func SilenceLine(s *schemas.Silence) string {
	return fmt.Sprintf("🔕 silenced by %s until %s", userName(s.User, schemas.FromSlack), formatMinute(s.Until))
}

// AddVerdictLine adds a line to what was said, and reports whether that changes it.
func AddVerdictLine(said []string, line string) ([]string, bool) {
	what, who, when := splitVerdictLine(line)
	kept := make([]string, 0, len(said)+1)
	for _, s := range said {
		w, by, t := splitVerdictLine(s)
		switch {
		case by != who, (when == "") != (t == ""): // another person, or a silence beside a verdict
			kept = append(kept, s)
		case w == what && t == when:
			return said, false
		}
	}
	kept = append(kept, line)
	return kept[max(0, len(kept)-maxFeedbackLines):], true
}

// splitVerdictLine takes a line apart: the verdict, whose it is and, for a silence, its end; the time of a verdict does not count.
// The mark before the verdict does not either, because Slack may spell it differently when it sends the message back.
func splitVerdictLine(line string) (what, who, until string) {
	what, rest, _ := strings.Cut(line, " by ")
	_, what, _ = strings.Cut(what, " ")
	who, until, _ = strings.Cut(rest, " ")
	if !strings.HasPrefix(until, "until ") {
		until = ""
	}
	return what, who, until
}

// userName is somebody's name, one word that mentions nobody.
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
	return "somebody"
}

// formatMinute shows a time to the minute.
func formatMinute(t time.Time) string { return t.UTC().Format("15:04 UTC, 2006-01-02") }
