package load

import (
	"log/slog"
	"sync"
	"sync/atomic"
)

type place struct {
	topic     string
	partition int32
}

// span is a range of offsets that were measured under one level, both ends included.
type span struct {
	from, to int64
	level    int
}

// ranges logs the offsets that were measured under load. It is safe for concurrent use.
type ranges struct {
	log  *slog.Logger
	open atomic.Int32 // len(spans)

	mu    sync.Mutex
	spans map[place]span
}

// note extends the range of the partition, or ends it if the level has changed or offsets went back.
func (r *ranges) note(at place, offset int64, level int) {
	if level == 0 && r.open.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s, found := r.spans[at]
	if found && s.level == level && offset >= s.to {
		s.to = offset
		r.spans[at] = s
		return
	}
	if found {
		r.end(at, s)
	}
	if level > 0 {
		if r.spans == nil {
			r.spans = map[place]span{}
		}
		r.spans[at] = span{from: offset, to: offset, level: level}
	}
	r.open.Store(int32(len(r.spans)))
}

func (r *ranges) end(at place, s span) {
	delete(r.spans, at)
	r.log.Info("load shedding: offsets measured by fewer detectors",
		"topic", at.topic, "partition", at.partition, "from", s.from, "to", s.to, "level", s.level)
}

// closeAll ends all ranges.
func (r *ranges) closeAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at, s := range r.spans {
		r.end(at, s)
	}
	r.open.Store(0)
}
