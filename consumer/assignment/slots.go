package assignment

// Slots bound how many assignments decode or handle a batch at once.
type Slots struct {
	tokens    chan struct{} // one for each batch in work
	exclusive chan struct{} // held while an assignment acquires several slots
}

// NewSlots returns n slots.
func NewSlots(n int) Slots {
	return Slots{tokens: make(chan struct{}, n), exclusive: make(chan struct{}, 1)}
}

// AcquireAll acquires every slot; ErrAbandoned when stop is closed first.
func (s *Slots) AcquireAll(stop <-chan struct{}) (release func(), err error) {
	return s.Acquire(stop, cap(s.tokens))
}

// Acquire acquires n slots; ErrAbandoned when stop is closed first.
func (s *Slots) Acquire(stop <-chan struct{}, n int) (release func(), err error) {
	got := 0
	release = func() {
		for range got {
			<-s.tokens
		}
	}
	if n > 1 { // two partial acquisitions would deadlock
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
