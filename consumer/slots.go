package consumer

// slots bound how many assignments use the processor at once.
type slots struct {
	tokens    chan struct{} // one for each batch that is being decoded or handled
	exclusive chan struct{} // one while somebody takes all
}

// newSlots makes n slots.
func newSlots(n int) slots {
	return slots{tokens: make(chan struct{}, n), exclusive: make(chan struct{}, 1)}
}

// acquireAll takes every slot; errAbandoned when stop is closed before.
func (s *slots) acquireAll(stop <-chan struct{}) (release func(), err error) {
	return s.acquire(stop, cap(s.tokens))
}

// acquire takes n slots; errAbandoned when stop is closed before.
func (s *slots) acquire(stop <-chan struct{}, n int) (release func(), err error) {
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
