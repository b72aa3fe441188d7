package receivers

import (
	"context"
	"iter"
	"strings"

	"confab/alerting/dispatch/alertlog"
	"confab/internal/worker/config/routing"
	"confab/schemas"
)

// separator ends the receiver's name in a key. Ids of incidents, groups and silences do not contain it.
const separator = "/"

// prefixOf is what keys of the receiver's records start with. Those of the receiver default have none, as before there were
// receivers.
func prefixOf(receiver string) string {
	if receiver == routing.DefaultReceiver {
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
func View(receiver string, log alertlog.Log, records iter.Seq2[alertlog.Entry, error]) (alertlog.Log, iter.Seq2[alertlog.Entry, error]) {
	own := view{receiver: receiver, prefix: prefixOf(receiver), log: log}
	return own, func(yield func(alertlog.Entry, error) bool) {
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
	log              alertlog.Log
}

// entry returns a record as the receiver's dispatcher knows it; false for one that it does not get.
func (v view) entry(e alertlog.Entry) (alertlog.Entry, bool) {
	if !Owns(v.receiver, e.Key) {
		shared := !strings.Contains(e.Key, separator) && (e.State == nil || e.State.Silence != nil)
		return e, shared
	}
	e.Key = e.Key[len(v.prefix):]
	if e.State != nil {
		e.State = v.unwrap(e.State)
	}
	return e, true
}

// Get implements alertlog.Log.
func (v view) Get(key string) (schemas.AlertState, bool) {
	s, ok := v.log.Get(v.prefix + key)
	if ok {
		s = *v.unwrap(&s)
	}
	return s, ok
}

// Put implements alertlog.Log.
func (v view) Put(ctx context.Context, entries ...alertlog.Entry) error {
	if v.prefix == "" {
		return v.log.Put(ctx, entries...)
	}
	own := make([]alertlog.Entry, len(entries))
	for i, e := range entries {
		own[i] = alertlog.Entry{Key: v.prefix + e.Key, State: v.wrap(e.State)}
	}
	return v.log.Put(ctx, own...)
}

// wrap moves member and group to where releases without receivers do not look: they would deliver them again.
func (v view) wrap(s *schemas.AlertState) *schemas.AlertState {
	if s == nil {
		return nil
	}
	out := *s
	out.Receiver = &schemas.AlertReceiverState{Name: v.receiver, Member: s.Member, Group: s.Group}
	out.Member, out.Group = nil, nil
	return &out
}

func (v view) unwrap(s *schemas.AlertState) *schemas.AlertState {
	if s.Receiver == nil {
		return s
	}
	out := *s
	out.Member, out.Group, out.Receiver = s.Receiver.Member, s.Receiver.Group, nil
	return &out
}
