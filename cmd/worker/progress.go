package main

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// bar shows how far long work has come: a bar on a terminal, nothing elsewhere, where it would only fill a log.
type bar struct {
	writer  progress.Writer
	tracker *progress.Tracker
	read    atomic.Int64
	sized   bool
	stop    sync.Once

	rendered chan struct{} // closed after the last line is drawn
}

// progress starts a bar on standard error. With a size it counts bytes read, else the unit.
func (c *cli) progress(unit string, size int64) *bar {
	b := &bar{sized: size > 0}
	if !isTerminal(c.err) {
		return b
	}
	b.writer = progress.NewWriter()
	b.writer.SetOutputWriter(c.err)
	b.writer.SetUpdateFrequency(100 * time.Millisecond)
	b.writer.SetTrackerLength(30)
	b.writer.Style().Visibility.ETA = b.sized
	b.tracker = &progress.Tracker{Message: unit, Total: size, Units: progress.UnitsDefault}
	if b.sized {
		b.tracker.Message, b.tracker.Units = "read", progress.UnitsBytes
	}
	b.writer.AppendTracker(b.tracker)
	b.rendered = make(chan struct{})
	go func() {
		defer close(b.rendered)
		b.writer.Render()
	}()
	return b
}

// Reader counts what is read of the input.
func (b *bar) Reader(r io.Reader) io.Reader {
	if b.tracker == nil || !b.sized {
		return r
	}
	return io.TeeReader(r, b)
}

// Write implements io.Writer for Reader.
func (b *bar) Write(p []byte) (int, error) {
	b.tracker.SetValue(b.read.Add(int64(len(p))))
	return len(p), nil
}

// Count takes the number of lines done.
func (b *bar) Count(lines int) {
	if b.tracker != nil && !b.sized {
		b.tracker.SetValue(int64(lines))
	}
}

// Stop ends the bar, so that what is printed next has a line of its own. It may be called again.
func (b *bar) Stop() {
	if b.tracker == nil {
		return
	}
	b.stop.Do(func() {
		b.tracker.MarkAsDone()
		b.writer.Stop()
		<-b.rendered
	})
}
