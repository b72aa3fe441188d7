package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// markStarted makes every command record when its own work starts. Errors before that are usage errors.
func markStarted(c *cli, cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		markStarted(c, sub)
	}
	if work := cmd.RunE; work != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			c.started = true
			return work(cmd, args)
		}
	}
}

// hangups returns a channel with the SIGHUP that arrive, which do not end the process then. Call the function to stop listening.
func hangups() (<-chan os.Signal, func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}

// signalContext returns a context that the first SIGINT or SIGTERM cancels. The second signal ends the process at once,
// with exit code 128 plus its number. Call the function to stop listening.
func signalContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for asked := false; ; asked = true {
			select {
			case <-done:
				return
			case s := <-signals:
				if number, ok := s.(syscall.Signal); ok && asked {
					os.Exit(128 + int(number))
				}
				cancel()
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
		close(done)
		<-stopped
	}
}
