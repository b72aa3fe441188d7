package console

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"
)

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Progress is a progress bar on a terminal. Elsewhere it shows nothing.
type Progress struct {
	writer  progress.Writer
	tracker *progress.Tracker // nil: nothing is shown
	read    atomic.Int64
	sized   bool
	stop    sync.Once

	rendered chan struct{} // closed after the last line is drawn
}

// NewProgress starts a bar on w. With a size it counts the bytes that Reader reads, else the units given to Count. Stop it
// before anything else is written to w.
func NewProgress(w io.Writer, unit string, size int64) *Progress {
	p := &Progress{sized: size > 0}
	if !IsTerminal(w) {
		return p
	}
	p.writer = progress.NewWriter()
	p.writer.SetOutputWriter(w)
	p.writer.SetUpdateFrequency(100 * time.Millisecond)
	p.writer.SetTrackerLength(30)
	p.writer.Style().Visibility.ETA = p.sized
	p.tracker = &progress.Tracker{Message: unit, Total: size, Units: progress.UnitsDefault}
	if p.sized {
		p.tracker.Message, p.tracker.Units = "read", progress.UnitsBytes
	}
	p.writer.AppendTracker(p.tracker)
	p.rendered = make(chan struct{})
	go func() {
		defer close(p.rendered)
		p.writer.Render()
	}()
	return p
}

// Reader returns r, with the bytes that are read from it counted.
func (p *Progress) Reader(r io.Reader) io.Reader {
	if p.tracker == nil || !p.sized {
		return r
	}
	return io.TeeReader(r, p)
}

// Write implements io.Writer for Reader.
func (p *Progress) Write(b []byte) (int, error) {
	p.tracker.SetValue(p.read.Add(int64(len(b))))
	return len(b), nil
}

// Count sets the number of units done.
func (p *Progress) Count(units int) {
	if p.tracker != nil && !p.sized {
		p.tracker.SetValue(int64(units))
	}
}

// Stop ends the bar and waits until its last line is drawn. It may be called again.
func (p *Progress) Stop() {
	if p.tracker == nil {
		return
	}
	p.stop.Do(func() {
		p.tracker.MarkAsDone()
		p.writer.Stop()
		<-p.rendered
	})
}

// stageUnits is the number of units between two lines where no bar is shown.
const stageUnits = 10_000

// NewStage shows the progress of one stage of a long command: a bar on a terminal, elsewhere a line every 10,000 units
// and one at the end.
func NewStage(w io.Writer, unit string) (count func(done int), end func()) {
	if IsTerminal(w) {
		p := NewProgress(w, unit, 0)
		return p.Count, p.Stop
	}
	most := 0
	count = func(done int) {
		if done > most && done%stageUnits == 0 {
			fmt.Fprintf(w, "%d %s\n", done, unit)
		}
		most = max(most, done)
	}
	return count, func() { fmt.Fprintf(w, "%d %s, done\n", most, unit) }
}
