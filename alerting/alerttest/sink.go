package alerttest

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

// FakeSink is a sink that keeps what stands on it.
type FakeSink struct {
	Mutex     sync.Mutex
	Posts     []*PostedMessage
	Edits     int
	Replies   []schemas.Alert
	Fail      func(op string, a *schemas.Alert) error // nil succeeds
	LoseReply func(a *schemas.Alert) error            // after it is posted
	NoHistory bool                                    // it cannot look for an earlier attempt
}

// Notify keeps the message.
func (w *FakeSink) Notify(_ context.Context, a schemas.Alert) (schemas.Receipt, error) {
	w.Mutex.Lock()
	defer w.Mutex.Unlock()
	if w.Fail != nil {
		if err := w.Fail("post", &a); err != nil {
			return schemas.Receipt{}, err
		}
	}
	if a.PossiblyDuplicated && !w.NoHistory {
		for i, s := range w.Posts {
			if s.Alert.Message == a.Message {
				found := receiptAt(i)
				found.Found = !s.Alert.PossiblyDuplicated
				return found, nil
			}
		}
	}
	w.Posts = append(w.Posts, &PostedMessage{Alert: a, First: a, At: time.Now()})
	if w.LoseReply != nil {
		if err := w.LoseReply(&a); err != nil {
			return schemas.Receipt{}, err
		}
	}
	return receiptAt(len(w.Posts) - 1), nil
}

// Edit changes a message that was posted.
func (w *FakeSink) Edit(_ context.Context, a schemas.Alert, at schemas.Receipt) error {
	w.Mutex.Lock()
	defer w.Mutex.Unlock()
	if w.Fail != nil {
		if err := w.Fail("edit", &a); err != nil {
			return err
		}
	}
	var i int
	if _, err := fmt.Sscanf(at.Timestamp, "%d.0", &i); err != nil || i >= len(w.Posts) || w.Posts[i].Gone {
		return &alerting.Error{Class: alerting.Operator, Reason: alerting.ReasonGone, Op: "edit", Detail: "no such message"}
	}
	w.Posts[i].Alert = a
	w.Edits++
	return nil
}

// Reply keeps the details.
func (w *FakeSink) Reply(_ context.Context, a schemas.Alert, _ schemas.Receipt) error {
	w.Mutex.Lock()
	defer w.Mutex.Unlock()
	w.Replies = append(w.Replies, a)
	if w.Fail != nil {
		return w.Fail("reply", &a)
	}
	return nil
}

// Delivered sums what stands on the wall: of a message that stands there twice, marked, the last counts.
func (w *FakeSink) Delivered() (incidents int64, unmarked int) {
	w.Mutex.Lock()
	defer w.Mutex.Unlock()
	last := map[string]int64{}
	for _, s := range w.Posts {
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

// Alerts are all messages as they were last edited.
func (w *FakeSink) Alerts() []schemas.Alert {
	w.Mutex.Lock()
	defer w.Mutex.Unlock()
	out := make([]schemas.Alert, len(w.Posts))
	for i, s := range w.Posts {
		out[i] = s.Alert
	}
	return out
}

// SetDown makes every attempt fail, or none.
func (w *FakeSink) SetDown(is bool) {
	w.Mutex.Lock()
	defer w.Mutex.Unlock()
	w.Fail = nil
	if is {
		w.Fail = func(string, *schemas.Alert) error {
			return &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonServer}
		}
	}
}

// PostedMessage is a message that was posted.
type PostedMessage struct {
	Alert schemas.Alert // as it was last edited
	First schemas.Alert // as it was posted
	At    time.Time
	Gone  bool
}

func receiptAt(i int) schemas.Receipt {
	return schemas.Receipt{Channel: "C042", Timestamp: fmt.Sprintf("%d.0", i)}
}

// PostOnlySink is a wall that can only be posted to, such as a webhook's.
type PostOnlySink struct{ *FakeSink }

// Edit hides that of the sink.
func (p PostOnlySink) Edit() {}

// Reply hides that of the sink.
func (p PostOnlySink) Reply() {}

// ErrDown is the failure of a sink that is down.
var ErrDown = &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonConnection, Op: "post to Slack", Detail: "the connection was refused"}

// ErrReplyLost is the failure of a post whose reply is lost.
var ErrReplyLost = &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonConnection, Op: "post to Slack", Detail: "broke", Ambiguous: true}

// ErrWrite is the failure of a log that cannot be written.
var ErrWrite = errors.New("broker down")

// SimilarFlag is an incident of the group that n stands for; more of them differ in id.
func SimilarFlag(n, id int) schemas.Flag {
	f := samples.Flag()
	f.IncidentID = fmt.Sprintf("%032x%032x", n, id)
	f.Service = fmt.Sprintf("service-%d", n)
	f.Recommendation = schemas.Recommend
	f.DetectedAt = time.Now()
	risk := 0.5
	f.Risk = &risk
	return f
}

// HighSeverity is f with high severity.
func HighSeverity(f schemas.Flag) schemas.Flag {
	f.Recommendation = schemas.Block
	return f
}

// DeepPass is f from the deep pass.
func DeepPass(f schemas.Flag) schemas.Flag {
	f.Pass = schemas.PassDeep
	return f
}

// Counts are the counts of the alerts, sorted.
func Counts(alerts []schemas.Alert) []int64 {
	var out []int64
	for i := range alerts {
		out = append(out, alerts[i].Count)
	}
	slices.Sort(out)
	return out
}
