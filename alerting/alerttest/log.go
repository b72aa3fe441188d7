package alerttest

import (
	"context"
	"iter"
	"slices"
	"sync"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
	"confab/schemas/json"
)

// FakeLog is a Log that keeps the bytes that a topic would.
type FakeLog struct {
	Mu      sync.Mutex
	Journal []LoggedRecord // every record, in order
	State   map[string][]byte
	Fail    func(entries []alertlog.Entry) error
	OnPut   func()
}

// Get implements the log.
func (p *FakeLog) Get(key string) (schemas.AlertState, bool) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	raw, ok := p.State[key]
	var s schemas.AlertState
	return s, ok && json.DecodeAlertState(raw, &s) == nil
}

// Put implements the log.
func (p *FakeLog) Put(ctx context.Context, entries ...alertlog.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.Mu.Lock()
	defer p.Mu.Unlock()
	if p.Fail != nil {
		if err := p.Fail(entries); err != nil {
			return err
		}
	}
	for _, e := range entries {
		w := LoggedRecord{key: e.Key}
		if e.State != nil {
			raw, err := json.AppendAlertState(nil, e.State)
			if err != nil {
				return err
			}
			w.Value = raw
		}
		p.Append(w)
	}
	return nil
}

// SetFail makes writes fail as f says.
func (p *FakeLog) SetFail(f func(entries []alertlog.Entry) error) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	p.Fail = f
}

// Append adds a record without asking anybody.
func (p *FakeLog) Append(w LoggedRecord) {
	p.Journal = append(p.Journal, w)
	if p.State[w.key] = w.Value; w.Value == nil {
		delete(p.State, w.key)
	}
	if p.OnPut != nil {
		p.OnPut()
	}
}

// Records are those of the topic, in order: all of them, or what compaction has left.
func (p *FakeLog) Records() iter.Seq2[alertlog.Entry, error] {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	journal := slices.Clone(p.Journal)
	if len(journal)%2 == 0 {
		last := make(map[string]int, len(p.State))
		for i, w := range journal {
			last[w.key] = i
		}
		journal = journal[:0]
		for i, w := range p.Journal {
			if last[w.key] == i && w.Value != nil {
				journal = append(journal, w)
			}
		}
	}
	return func(yield func(alertlog.Entry, error) bool) {
		for _, w := range journal {
			e := alertlog.Entry{Key: w.key}
			if w.Value != nil {
				e.State = new(schemas.AlertState)
				if json.DecodeAlertState(w.Value, e.State) != nil {
					continue
				}
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// LoggedRecord is a record of the log.
type LoggedRecord struct {
	key   string
	Value []byte // nil: deleted
}

// NewFakeLog makes an empty log.
func NewFakeLog() *FakeLog { return &FakeLog{State: map[string][]byte{}} }
