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

// FakeSink is a sink that keeps its messages.
type FakeSink struct {
	Mutex     sync.Mutex
	Posts     []*PostedMessage
	Edits     int
	Replies   []schemas.Alert
	Fail      func(op string, a *schemas.Alert) error // nil: success
	LoseReply func(a *schemas.Alert) error            // called after the post
	NoHistory bool                                    // it cannot find an earlier attempt
}

// Notify keeps the message.
func (f *FakeSink) Notify(_ context.Context, a schemas.Alert) (schemas.Receipt, error) {
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
	f.Posts = append(f.Posts, &PostedMessage{Alert: a, First: a, At: time.Now()})
	if f.LoseReply != nil {
		if err := f.LoseReply(&a); err != nil {
			return schemas.Receipt{}, err
		}
	}
	return receiptAt(len(f.Posts) - 1), nil
}

// Edit replaces a posted message.
func (f *FakeSink) Edit(_ context.Context, a schemas.Alert, at schemas.Receipt) error {
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

// Reply keeps the alert.
func (f *FakeSink) Reply(_ context.Context, a schemas.Alert, _ schemas.Receipt) error {
	f.Mutex.Lock()
	defer f.Mutex.Unlock()
	f.Replies = append(f.Replies, a)
	if f.Fail != nil {
		return f.Fail("reply", &a)
	}
	return nil
}

// Delivered returns the number of incidents delivered, counting duplicated messages once, and the duplicates without
// PossiblyDuplicated.
func (f *FakeSink) Delivered() (incidents int64, unmarked int) {
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
func (f *FakeSink) Alerts() []schemas.Alert {
	f.Mutex.Lock()
	defer f.Mutex.Unlock()
	out := make([]schemas.Alert, len(f.Posts))
	for i, s := range f.Posts {
		out[i] = s.Alert
	}
	return out
}

// SetDown makes every attempt fail or succeed.
func (f *FakeSink) SetDown(down bool) {
	f.Mutex.Lock()
	defer f.Mutex.Unlock()
	f.Fail = nil
	if down {
		f.Fail = func(string, *schemas.Alert) error {
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

// PostOnlySink is a FakeSink that is neither Editor nor Replier, such as a webhook.
type PostOnlySink struct{ *FakeSink }

// Edit hides the method of FakeSink.
func (p PostOnlySink) Edit() {}

// Reply hides the method of FakeSink.
func (p PostOnlySink) Reply() {}

// ErrDown is the failure of an unreachable sink.
var ErrDown = &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonConnection, Op: "post to Slack", Detail: "the connection was refused"}

// ErrReplyLost is the failure of a post whose reply is lost.
var ErrReplyLost = &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonConnection, Op: "post to Slack", Detail: "broke", Ambiguous: true}

// ErrWrite is the failure of a log that cannot be written.
var ErrWrite = errors.New("broker down")

// SimilarFlag returns incident id of group n.
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

// HighSeverity returns f with high severity.
func HighSeverity(f schemas.Flag) schemas.Flag {
	f.Recommendation, f.Risk = schemas.Block, new(0.95)
	return f
}

// DeepPass returns f with the pass deep.
func DeepPass(f schemas.Flag) schemas.Flag {
	f.Pass = schemas.PassDeep
	return f
}

// Counts returns the sorted counts of the alerts.
func Counts(alerts []schemas.Alert) []int64 {
	var out []int64
	for i := range alerts {
		out = append(out, alerts[i].Count)
	}
	slices.Sort(out)
	return out
}
