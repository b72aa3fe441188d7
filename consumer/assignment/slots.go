package assignment

// Slots bound how many assignments use the processor at once.
type Slots struct {
	tokens    chan struct{} // one for each batch that is being decoded or handled
	exclusive chan struct{} // one while somebody takes all
}

// NewSlots makes n slots.
func NewSlots(n int) Slots {
	return Slots{tokens: make(chan struct{}, n), exclusive: make(chan struct{}, 1)}
}

// AcquireAll takes every slot; ErrAbandoned when stop is closed before.
func (s *Slots) AcquireAll(stop <-chan struct{}) (release func(), err error) {
	return s.Acquire(stop, cap(s.tokens))
}

// Acquire takes n slots; ErrAbandoned when stop is closed before.
func (s *Slots) Acquire(stop <-chan struct{}, n int) (release func(), err error) {
	got := 0
	release = func() {
		for range got {
			<-s.tokens
		}
	}
	if n > 1 { // two that wait for each other's slots would wait for ever
		select {
		case s.exclusive <- struct{}{}:
			defer func() { <-s.exclusive }()
		case <-stop:
			return nil, ErrAbandoned
		}
	}
	for ; got < n; got++ {
		select {
		case s.tokens <- struct{}{}:
		case <-stop:
			release()
			return nil, ErrAbandoned
		}
	}
	return release, nil
}
