package check

import (
	"fmt"
	"strings"
	"sync"

	"confab/internal/console"
	"confab/internal/redact"
	"confab/internal/text"
	"confab/schemas"
)

// Limits on the beginning of a reply, in bytes: what is redacted, and what of it is shown.
const (
	maxReplyRedacted = 4096
	maxReplyShown    = 200
)

// UnreadReplies keeps how the first of the replies of language models began that could not be read for one reason, redacted; nil
// keeps none. It is safe for concurrent use.
type UnreadReplies struct {
	Redactor *redact.Redactor

	mu    sync.Mutex
	began map[string]string // by the text of the error, which is the reason of the signal
}

// Keep keeps the reply if it is the first with that error.
func (u *UnreadReplies) Keep(failure error, reply string) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, known := u.began[failure.Error()]; known {
		return
	}
	if u.began == nil {
		u.began = map[string]string{}
	}
	begin, _ := text.Cut(reply, maxReplyRedacted)
	shown, cut := text.Cut(console.Sanitize(strings.TrimSpace(u.Redactor.Redact(begin))), maxReplyShown)
	if cut {
		shown += "…"
	}
	u.began[failure.Error()] = shown
}

// writeFailures writes a line for each error of a detector, the most frequent ones first, with how the first reply began that
// could not be read.
func (d *DetectorCount) writeFailures(b *strings.Builder, began map[string]string) {
	asked := d.Outcomes[schemas.Fired] + d.Outcomes[schemas.Clear] + d.Outcomes[schemas.Failed]
	names := d.Failures.top()
	for _, why := range names[:min(topNames, len(names))] {
		what, text, remedy := "answers could not be measured", why, ""
		if why == string(schemas.JudgeUnreadable) {
			what, text = "judge replies could not be read", "the judge's reply is not the JSON that was asked for"
			remedy = "; use a model and a server that keep to a JSON schema (docs/llm.md)"
		}
		if reply := began[why]; reply != "" {
			text += ": it began " + reply
		}
		fmt.Fprintf(b, "%s: %d of %d %s: %s%s\n", console.Sanitize(d.Detector), d.Failures.n[why], asked, what, console.Sanitize(text), remedy)
	}
}
