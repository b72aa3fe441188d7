package coverage

import (
	"context"
	"math"
	"sync"
	"time"
)

// The window of the share and of the warning.
const (
	windowStep  = 30 * time.Second
	windowSteps = 10 // five minutes
	warnSteps   = 2  // at most one warning a minute
)

// snapshot holds what was counted since the start.
type snapshot struct {
	answers, noSources uint64
	reasons            [reasons]uint64
	unknown            [maxUnknown + 2]uint64
	malformed          map[string]uint64
	topics             map[string]topicCount
}

// window keeps the snapshots of the last minutes, the oldest first.
type window struct {
	mu    sync.Mutex
	past  []snapshot
	steps int // taken so far
}

// Run updates the window until ctx ends, and logs a warning at most once a minute while too many answers are unchecked.
func (r *Recorder) Run(ctx context.Context) error {
	tick := time.NewTicker(windowStep)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.step(ctx)
		case <-ctx.Done():
			r.window.mu.Lock()
			warned := r.window.steps > 0 && r.window.steps%warnSteps == 0
			r.window.mu.Unlock()
			if !warned { // a short run says it, too
				r.warn(ctx)
			}
			return nil
		}
	}
}

// step logs if it is time to, and moves the window.
func (r *Recorder) step(ctx context.Context) {
	r.window.mu.Lock()
	r.window.steps++
	due := r.window.steps%warnSteps == 0
	r.window.mu.Unlock()
	if due {
		r.warn(ctx)
	}
	now := r.snapshot()
	r.window.mu.Lock()
	defer r.window.mu.Unlock()
	if r.window.past = append(r.window.past, now); len(r.window.past) > windowSteps {
		r.window.past = append(r.window.past[:0], r.window.past[1:]...)
	}
}

// warn logs the detectors that failed, and the shares of the window that are above the limit.
func (r *Recorder) warn(ctx context.Context) {
	r.warnFailures(ctx)
	s, limit := r.Recent(), r.options.Warning
	if limit.Share >= 1 {
		return
	}
	together := s.Answers >= uint64(limit.Answers) && s.Share() >= limit.Share
	defer r.warnTopics(ctx, &s, together)
	if !together {
		return
	}
	r.options.Logger.WarnContext(ctx, "many answers had nothing to check",
		"answers", s.Answers, "unchecked", s.Unchecked, "share", math.Round(100*s.Share())/100,
		"reasons", s.ReasonText(), "without_sources", s.NoSources,
		"unknown_fields", s.UnknownText(), "malformed_fields", s.MalformedText(), "remedy", s.Remedy())
}

// currentShare is the share of unchecked answers in the window.
func (r *Recorder) currentShare() float64 {
	s := r.Recent()
	if s.Answers == 0 {
		return math.NaN()
	}
	return s.Share()
}

// Recent sums up the last five minutes.
func (r *Recorder) Recent() Summary {
	now := r.snapshot()
	var start snapshot
	r.window.mu.Lock()
	if len(r.window.past) == windowSteps {
		start = r.window.past[0]
	}
	r.window.mu.Unlock()
	s := Summary{Answers: now.answers - start.answers, NoSources: now.noSources - start.noSources}
	for i := range now.reasons {
		s.Reasons[i] = now.reasons[i] - start.reasons[i]
		s.Unchecked += s.Reasons[i]
	}
	unknown := map[string]uint64{} // names may be equal once personal data is removed
	for i := range now.unknown {
		if n := now.unknown[i] - start.unknown[i]; n > 0 {
			unknown[r.unknown.slots[i].Load().name] += n
		}
	}
	s.Unknown = fieldCounts(unknown)
	for name, n := range now.malformed {
		if n -= start.malformed[name]; n > 0 {
			s.Malformed = append(s.Malformed, FieldCount{name, n})
		}
	}
	sortFields(s.Malformed)
	s.topics = make(map[string]topicCount, len(now.topics))
	for topic, n := range now.topics {
		s.topics[topic] = n.minus(start.topics[topic])
	}
	return s
}

// snapshot reads the counters. Answers are read last, so that no more are unchecked than there are.
func (r *Recorder) snapshot() snapshot {
	s := snapshot{noSources: r.noSources.Load(), malformed: make(map[string]uint64), topics: r.topicCounts()}
	for i := range s.reasons {
		s.reasons[i] = r.reasons[i].Load()
	}
	for i := range s.unknown {
		if f := r.unknown.slots[i].Load(); f != nil {
			s.unknown[i] = f.count.Load()
		}
	}
	for name, f := range r.malformed {
		if n := f.count.Load(); n > 0 {
			s.malformed[name] = n
		}
	}
	if n := r.strange.count.Load(); n > 0 {
		s.malformed[r.strange.name] = n
	}
	s.answers = r.answers.Load()
	return s
}
