//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"confab/integration"
)

// TestMain leaves no container behind: neither after a test that failed or panicked, nor after Ctrl-C, nor from an
// earlier run that was killed.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	sweep := func(what func(context.Context) error) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := what(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	integration.DrawSeed()
	sweep(integration.SweepStale)
	defer sweep(integration.SweepOwn)
	defer removeBuild()

	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stop
		sweep(integration.SweepOwn)
		removeBuild()
		os.Exit(130)
	}()
	return m.Run()
}

func removeBuild() {
	if err := os.RemoveAll(buildDir()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// startCluster starts a cluster that is closed with the test, or skips the test where there is no engine.
func startCluster(t *testing.T, o integration.ClusterOptions) *integration.Cluster {
	t.Helper()
	integration.RequireEngine(t)
	began := time.Now()
	c, err := integration.StartCluster(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d brokers ready after %v", len(c.Seeds()), time.Since(began).Round(time.Millisecond))
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// stopwatch logs how long each step took; nothing is judged by it.
func stopwatch(t *testing.T) func(step string) {
	last := time.Now()
	return func(step string) {
		t.Helper()
		t.Logf("%-20s %6.1f s", step, time.Since(last).Seconds())
		last = time.Now()
	}
}
