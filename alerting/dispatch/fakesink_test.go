package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"confab/alerting"
	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

// memorySink is a sink that keeps its messages.
type memorySink struct {
	Mutex     sync.Mutex
	Posts     []*postedMessage
	Edits     int
	Fail      func(op string, a *schemas.Alert) error // nil: success
	LoseReply func(a *schemas.Alert) error            // called after the post
	NoHistory bool                                    // it cannot find an earlier attempt
}

// Notify keeps the message.
func (f *memorySink) Notify(_ context.Context, a schemas.Alert) (schemas.Receipt, error) {
	f.Mutex.Lock()
	defer f.Mutex.Unlock()
	if f.Fail != nil {
		if err := f.Fail("post", &a); err != nil {
			return schemas.Receipt{}, err
		}
	}
	if a.PossiblyDuplicated && !f.NoHistory {
		for i, s := range f.Posts {
			if s.Alert.Message == a.Message {
				found := receiptAt(i)
				found.Found = !s.Alert.PossiblyDuplicated
				return found, nil
			}
		}
	}
	f.Posts = append(f.Posts, &postedMessage{Alert: a, First: a, At: time.Now()})
	if f.LoseReply != nil {
		if err := f.LoseReply(&a); err != nil {
			return schemas.Receipt{}, err
		}
	}
	return receiptAt(len(f.Posts) - 1), nil
}

// Edit replaces a posted message.
func (f *memorySink) Edit(_ context.Context, a schemas.Alert, at schemas.Receipt) error {
	f.Mutex.Lock()
	defer f.Mutex.Unlock()
	if f.Fail != nil {
		if err := f.Fail("edit", &a); err != nil {
			return err
		}
	}
	var i int
	if _, err := fmt.Sscanf(at.Timestamp, "%d.0", &i); err != nil || i >= len(f.Posts) || f.Posts[i].Gone {
		return &alerting.Error{Class: alerting.Operator, Reason: alerting.ReasonGone, Op: "edit", Detail: "no such message"}
	}
	f.Posts[i].Alert = a
	f.Edits++
	return nil
}

// Delivered returns the number of incidents delivered, counting duplicated messages once, and the duplicates without
// PossiblyDuplicated.
func (f *memorySink) Delivered() (incidents int64, unmarked int) {
	f.Mutex.Lock()
	defer f.Mutex.Unlock()
	last := map[string]int64{}
	for _, s := range f.Posts {
		if s.Gone {
			continue
		}
		if _, twice := last[s.Alert.Message]; twice && !s.Alert.PossiblyDuplicated {
			unmarked++
		}
		last[s.Alert.Message] = s.Alert.Count
	}
	for _, n := range last {
		incidents += n
	}
	return incidents, unmarked
}

// Alerts returns all messages as they were last edited.
func (f *memorySink) Alerts() []schemas.Alert {
	f.Mutex.Lock()
	defer f.Mutex.Unlock()
	out := make([]schemas.Alert, len(f.Posts))
	for i, s := range f.Posts {
		out[i] = s.Alert
	}
	return out
}

// SetDown makes every attempt fail or succeed.
func (f *memorySink) SetDown(down bool) {
	f.Mutex.Lock()
	defer f.Mutex.Unlock()
	f.Fail = nil
	if down {
		f.Fail = func(string, *schemas.Alert) error {
			return &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonServer}
		}
	}
}

// postedMessage is a message that was posted.
type postedMessage struct {
	Alert schemas.Alert // as it was last edited
	First schemas.Alert // as it was posted
	At    time.Time
	Gone  bool
}

func receiptAt(i int) schemas.Receipt {
	return schemas.Receipt{Channel: "C042", Timestamp: fmt.Sprintf("%d.0", i)}
}

// postOnlySink is a memorySink that is no Editor, such as a webhook.
type postOnlySink struct{ *memorySink }

// Edit hides the method of memorySink.
func (p postOnlySink) Edit() {}

// errSinkDown is the failure of an unreachable sink.
var errSinkDown = &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonConnection, Op: "post to Slack", Detail: "the connection was refused"}

// errReplyLost is the failure of a post whose reply is lost.
var errReplyLost = &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonConnection, Op: "post to Slack", Detail: "broke", Ambiguous: true}

// errLogWrite is the failure of a log that cannot be written.
var errLogWrite = errors.New("broker down")

// similarFlag returns incident id of group n.
func similarFlag(n, id int) schemas.Flag {
	f := samples.Flag()
	f.IncidentID = fmt.Sprintf("%032x%032x", n, id)
	f.Service = fmt.Sprintf("service-%d", n)
	f.Recommendation = schemas.Recommend
	f.DetectedAt = time.Now()
	risk := 0.5
	f.Risk = &risk
	return f
}

// asSevere returns f with high severity.
func asSevere(f schemas.Flag) schemas.Flag {
	f.Recommendation, f.Risk = schemas.Block, new(0.95)
	return f
}

// asDeep returns f with the pass deep.
func asDeep(f schemas.Flag) schemas.Flag {
	f.Pass = schemas.PassDeep
	return f
}

// sortedCounts returns the sorted counts of the alerts.
func sortedCounts(alerts []schemas.Alert) []int64 {
	var out []int64
	for i := range alerts {
		out = append(out, alerts[i].Count)
	}
	slices.Sort(out)
	return out
}
