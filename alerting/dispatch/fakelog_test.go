package dispatch

import (
	"context"
	"iter"
	"slices"
	"sync"

	"confab/alerting"
	"confab/schemas"
	"confab/schemas/json"
)

// memoryLog is an alert log in memory that holds the encoded records.
type memoryLog struct {
	Mu      sync.Mutex
	Journal []loggedRecord // every record, in order
	State   map[string][]byte
	Fail    func(entries []alerting.StateEntry) error
	OnPut   func()
}

// Get returns the last state of a key.
func (l *memoryLog) Get(key string) (schemas.AlertState, bool) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	raw, ok := l.State[key]
	var s schemas.AlertState
	return s, ok && json.DecodeAlertState(raw, &s) == nil
}

// Put appends entries unless Fail fails.
func (l *memoryLog) Put(ctx context.Context, entries ...alerting.StateEntry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if l.Fail != nil {
		if err := l.Fail(entries); err != nil {
			return err
		}
	}
	for _, e := range entries {
		r := loggedRecord{key: e.Key}
		if e.State != nil {
			raw, err := json.AppendAlertState(nil, e.State)
			if err != nil {
				return err
			}
			r.Value = raw
		}
		l.Append(r)
	}
	return nil
}

// SetFail sets the result of further writes.
func (l *memoryLog) SetFail(f func(entries []alerting.StateEntry) error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.Fail = f
}

// Append adds a record without Fail.
func (l *memoryLog) Append(r loggedRecord) {
	l.Journal = append(l.Journal, r)
	if l.State[r.key] = r.Value; r.Value == nil {
		delete(l.State, r.key)
	}
	if l.OnPut != nil {
		l.OnPut()
	}
}

// Records returns the records in order: all of them, or every second time those left by compaction.
func (l *memoryLog) Records() iter.Seq2[alerting.StateEntry, error] {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	journal := slices.Clone(l.Journal)
	if len(journal)%2 == 0 {
		last := make(map[string]int, len(l.State))
		for i, r := range journal {
			last[r.key] = i
		}
		journal = journal[:0]
		for i, r := range l.Journal {
			if last[r.key] == i && r.Value != nil {
				journal = append(journal, r)
			}
		}
	}
	return func(yield func(alerting.StateEntry, error) bool) {
		for _, r := range journal {
			e := alerting.StateEntry{Key: r.key}
			if r.Value != nil {
				e.State = new(schemas.AlertState)
				if json.DecodeAlertState(r.Value, e.State) != nil {
					continue
				}
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// loggedRecord is a record of the log.
type loggedRecord struct {
	key   string
	Value []byte // nil: deleted
}

// newMemoryLog makes an empty log.
func newMemoryLog() *memoryLog { return &memoryLog{State: map[string][]byte{}} }
