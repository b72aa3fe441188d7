package consumer

// Slots bound how many assignments decode or handle a batch at once.
type processorSlots struct {
	tokens    chan struct{} // one for each batch in work
	exclusive chan struct{} // held while an assignment acquires several slots
}

// NewSlots returns n slots.
func newSlots(n int) processorSlots {
	return processorSlots{tokens: make(chan struct{}, n), exclusive: make(chan struct{}, 1)}
}

// AcquireAll acquires every slot; ErrAbandoned when stop is closed first.
func (s *processorSlots) AcquireAll(stop <-chan struct{}) (release func(), err error) {
	return s.Acquire(stop, cap(s.tokens))
}

// Acquire acquires n slots; ErrAbandoned when stop is closed first.
func (s *processorSlots) Acquire(stop <-chan struct{}, n int) (release func(), err error) {
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
			return nil, errAbandoned
		}
	}
	for ; got < n; got++ {
		select {
		case s.tokens <- struct{}{}:
		case <-stop:
			release()
			return nil, errAbandoned
		}
	}
	return release, nil
}
