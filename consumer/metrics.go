package consumer

// Ready reports whether the loop has joined its group and is not shutting down.
func (l *Loop[T]) Ready() bool { return l.owned.Ready() }

// Unreadable returns the partitions of this member that cannot be read.
func (l *Loop[T]) Unreadable() []Unreadable { return l.positions.Unreadable() }

// Progress returns the record that a codec or handler has worked on for longest.
func (l *Loop[T]) Progress() Progress { return l.owned.Progress() }
