//go:build integration

package integration

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/moby/moby/client"
)

// ownerLabel is the label with the host and pid of the test process that created a container or network.
const ownerLabel = "confab.integration.owner"

func processOwner() string {
	host, _ := os.Hostname() // "" is as good
	return host + "/" + strconv.Itoa(os.Getpid())
}

// OwnerLabels are the labels of what this process creates; [SweepOwn] finds it by them.
func OwnerLabels() map[string]string { return map[string]string{ownerLabel: processOwner()} }

// RequireEngine skips the test when no container engine answers, or fails it with REQUIRE_DOCKER=1.
func RequireEngine(t testing.TB) {
	t.Helper()
	err := pingEngine(t.Context())
	if err == nil {
		return
	}
	const remedy = "no container engine: start Docker or run integration/engine.sh start"
	if os.Getenv("REQUIRE_DOCKER") == "1" {
		t.Fatalf("%s (REQUIRE_DOCKER=1 forbids the skip): %v", remedy, err)
	}
	t.Skipf("%s: %v", remedy, err)
}

func pingEngine(ctx context.Context) error {
	cli, err := client.New(client.FromEnv)
	if err != nil {
		return fmt.Errorf("container engine: %w", err)
	}
	defer cli.Close()
	if _, err := cli.Ping(ctx, client.PingOptions{}); err != nil {
		return fmt.Errorf("container engine: %w", err)
	}
	return nil
}

// SweepOwn removes every container and network of this process: after a panic, a signal or a missing clean-up.
func SweepOwn(ctx context.Context) error {
	return sweepOwned(ctx, func(who string) bool { return who == processOwner() })
}

// SweepStale removes those of ended processes of this host.
func SweepStale(ctx context.Context) error {
	host, _, _ := strings.Cut(processOwner(), "/")
	return sweepOwned(ctx, func(who string) bool {
		pid, ok := strings.CutPrefix(who, host+"/")
		n, err := strconv.Atoi(pid)
		return ok && err == nil && errors.Is(syscall.Kill(n, 0), syscall.ESRCH)
	})
}

func sweepOwned(ctx context.Context, mine func(who string) bool) error {
	if pingEngine(ctx) != nil {
		return nil // no engine, nothing to remove
	}
	cli, err := client.New(client.FromEnv)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	defer cli.Close()
	filter := make(client.Filters).Add("label", ownerLabel)

	list, err := cli.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		return fmt.Errorf("sweep: list containers: %w", err)
	}
	var errs []error
	for _, c := range list.Items {
		if mine(c.Labels[ownerLabel]) {
			_, err := cli.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
			errs = append(errs, ignoreGone(err))
		}
	}
	nets, err := cli.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
	if err != nil {
		return errors.Join(append(errs, fmt.Errorf("sweep: list networks: %w", err))...)
	}
	for _, n := range nets.Items {
		if mine(n.Labels[ownerLabel]) {
			_, err := cli.NetworkRemove(ctx, n.ID, client.NetworkRemoveOptions{})
			errs = append(errs, ignoreGone(err))
		}
	}
	return errors.Join(errs...)
}

func ignoreGone(err error) error {
	var gone interface{ NotFound() }
	if err == nil || errors.As(err, &gone) {
		return nil
	}
	return fmt.Errorf("sweep: %w", err)
}
