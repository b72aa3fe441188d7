package load

import "time"

// window is how long back the speed is measured.
const window = 10 * time.Second

// sample is the state of a consumer group at a time: sums over the partitions that it reads.
type sample struct {
	at   time.Time
	ends int64 // offsets of the next records to be written
	lag  int64 // records that are not committed
}

// estimator estimates how far a group is behind from samples in the order of time.
type estimator struct{ samples []sample }

// add adds a sample and returns the time that the group needs for what it has not read, at its speed within the window. ok is
// false if the speed is not known: at the start, and while nothing is committed.
func (e *estimator) add(s sample) (behind time.Duration, ok bool) {
	e.samples = append(e.samples, s)
	for len(e.samples) > 2 && s.at.Sub(e.samples[1].at) >= window {
		e.samples = e.samples[1:]
	}
	if s.lag <= 0 {
		return 0, true
	}
	first := e.samples[0]
	seconds := s.at.Sub(first.at).Seconds()
	read := (s.ends - s.lag) - (first.ends - first.lag)
	if seconds <= 0 || read <= 0 {
		return 0, false
	}
	return time.Duration(float64(s.lag) * seconds / float64(read) * float64(time.Second)), true
}

// Levels of load.
const (
	LevelNone   = iota
	LevelBehind // detectors with Shed 1 are skipped
	LevelFar    // and those with Shed 2
)

// next is the level after present. A level begins at its limit and ends at half of it.
func next(present int, behind time.Duration, limits [2]time.Duration) int {
	level := LevelNone
	for i, limit := range limits {
		if behind >= limit || present > i && behind >= limit/2 {
			level = i + 1
		}
	}
	return level
}
