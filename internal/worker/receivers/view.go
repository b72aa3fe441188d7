package receivers

import (
	"context"
	"iter"
	"strings"

	"confab/alerting"
	"confab/internal/worker/config"
	"confab/schemas"
)

// separator ends the receiver's name in a key. Ids of incidents, groups and silences do not contain it.
const separator = "/"

// prefixOf is what keys of the receiver's records start with. Those of the receiver default have none.
func prefixOf(receiver string) string {
	if receiver == config.DefaultReceiver {
		return ""
	}
	return receiver + separator
}

// Owns reports whether a key of llm.alerts belongs to the receiver.
func Owns(receiver, key string) bool {
	prefix := prefixOf(receiver)
	if prefix == "" {
		return !strings.Contains(key, separator)
	}
	return strings.HasPrefix(key, prefix)
}

// View is the receiver's part of a partition of llm.alerts: its own records under their keys without the prefix, and the
// silences, which all receivers share.
func View(receiver string, log alerting.StateLog, records iter.Seq2[alerting.StateEntry, error]) (alerting.StateLog, iter.Seq2[alerting.StateEntry, error]) {
	own := view{receiver: receiver, prefix: prefixOf(receiver), log: log}
	return own, func(yield func(alerting.StateEntry, error) bool) {
		for e, err := range records {
			if err == nil {
				var mine bool
				if e, mine = own.entry(e); !mine {
					continue
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

type view struct {
	receiver, prefix string
	log              alerting.StateLog
}

// entry returns a record as the receiver's dispatcher knows it; false for one that it does not get.
func (v view) entry(e alerting.StateEntry) (alerting.StateEntry, bool) {
	if !Owns(v.receiver, e.Key) {
		shared := !strings.Contains(e.Key, separator) && (e.State == nil || e.State.Silence != nil)
		return e, shared
	}
	e.Key = e.Key[len(v.prefix):]
	return e, true
}

// Get implements alerting.StateLog.
func (v view) Get(key string) (schemas.AlertState, bool) {
	return v.log.Get(v.prefix + key)
}

// Put implements alerting.StateLog.
func (v view) Put(ctx context.Context, entries ...alerting.StateEntry) error {
	if v.prefix == "" {
		return v.log.Put(ctx, entries...)
	}
	own := make([]alerting.StateEntry, len(entries))
	for i, e := range entries {
		own[i] = alerting.StateEntry{Key: v.prefix + e.Key, State: e.State}
	}
	return v.log.Put(ctx, own...)
}
