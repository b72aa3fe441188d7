package check

import (
	"fmt"
	"strings"
	"sync"

	"confab/cmd/worker/internal/console"
	"confab/internal/llm"
	"confab/internal/redact/patterns"
	"confab/internal/text"
	"confab/schemas"
)

// Limits on the beginning of a reply, in bytes: what is redacted, and the characters of it that are shown.
const (
	maxReplyRedacted = 4096
	maxReplyShown    = 200
)

// unreadableRemedy follows the beginning of a judge's reply that could not be read.
const unreadableRemedy = "use a model and a server that keep to a JSON schema (docs/llm.md)"

// UnreadReplies keeps the first reply of a language model that each detector could not read; nil keeps none. It is safe for
// concurrent use.
type UnreadReplies struct {
	mu    sync.Mutex
	first map[string]string // by detector
}

// Keep keeps the reply if it is the detector's first.
func (u *UnreadReplies) Keep(detector, reply string) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, known := u.first[detector]; known {
		return
	}
	if u.first == nil {
		u.first = map[string]string{}
	}
	reply, _ = text.Cut(reply, maxReplyRedacted)
	u.first[detector] = strings.Clone(reply)
}

// beginning is the redacted beginning of the detector's first reply; "" if there is none.
func (u *UnreadReplies) beginning(detector string, redactor *patterns.Redactor) string {
	if u == nil {
		return ""
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	reply, known := u.first[detector]
	if !known {
		return ""
	}
	shown := []rune(console.Sanitize(strings.TrimSpace(redactor.Redact(reply))))
	if len(shown) > maxReplyShown {
		return string(shown[:maxReplyShown]) + "…"
	}
	return string(shown)
}

// explainUnread sets the beginnings of the replies that detectors could not read.
func (r *Result) explainUnread(u *UnreadReplies, redactor *patterns.Redactor) {
	for i := range r.Detectors {
		d := &r.Detectors[i]
		d.unread = u.beginning(d.Detector, redactor)
	}
}

// writeFailures writes a line for each error of a detector, the most frequent ones first.
func (d *DetectorCount) writeFailures(b *strings.Builder) {
	asked := d.Outcomes[schemas.Fired] + d.Outcomes[schemas.Clear] + d.Outcomes[schemas.Failed]
	names := d.Failures.top()
	for _, why := range names[:min(topNames, len(names))] {
		n, what, began := d.Failures.n[why], "answers could not be measured", ""
		if d.unread != "" {
			began = ": it began " + d.unread
		}
		switch {
		case why == string(schemas.JudgeUnreadable):
			what = "judge replies could not be read"
			why = "the judge's reply is not the JSON that was asked for" + began + "; " + unreadableRemedy
		case strings.Contains(why, ": "+string(llm.BadReply)+": "):
			why += began
		}
		fmt.Fprintf(b, "%s: %d of %d %s: %s\n", console.Sanitize(d.Detector), n, asked, what, console.Sanitize(why))
	}
}
