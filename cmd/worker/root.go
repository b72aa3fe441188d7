package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// streams are the process's standard streams.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

const rootLong = `Confab reads LLM interactions from Kafka, measures each with cheap detectors, writes flags to an
incidents topic and tells on-call in Slack when two or more detectors agree.

Without a command it runs the worker: "confab --config confab.yaml" is "confab run --config confab.yaml".

Configuration: flags > environment (CONFAB_KAFKA_SEED_BROKERS sets kafka.seed_brokers) > file > defaults.
Exit codes: 0 ok, 1 runtime failure, 2 usage or configuration, 3 policy (check --fail).`

const rootExample = `  confab demo                                   the whole pipeline in one process, no network
  confab config example > confab.yaml           a file to start from
  confab config validate                        everything that is wrong with it, at once
  confab run                                    the worker`

// run is the program: everything but the process around it.
func run(s streams, args, env []string) int {
	ctx, stop := signalContext()
	defer stop()
	c := &cli{streams: s, env: env}
	root := newRoot(c)
	root.SetArgs(withDefaultCommand(root, args))
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitFailure // it was interrupted, and whoever did so knows
	}
	return exitCode(asUsage(err, c), s.err)
}

// newRoot assembles the commands.
func newRoot(c *cli) *cobra.Command {
	root := &cobra.Command{
		Use:           "confab",
		Short:         "Finds likely hallucinations in a stream of LLM interactions",
		Long:          rootLong,
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	c.bind(root)
	root.AddCommand(commands(c)...)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	markStarted(c, root)
	return root
}

// commands lists every command, in the order of the help.
func commands(c *cli) []*cobra.Command {
	return []*cobra.Command{
		newRun(c),
		newDemo(c),
		newCheck(c),
		newProduce(c),
		newTail(c),
		newTopics(c),
		newConfig(c),
		newVersion(c),
	}
}

// group makes cmd a command that only holds others: alone it shows its help, and a word that is no command is an error.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		text := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			text += fmt.Sprintf("; did you mean %q?", near[0])
		}
		return fmt.Errorf("%s; see %s --help", text, cmd.CommandPath())
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// withDefaultCommand is args with "run" before them when they name no command and ask for no help.
func withDefaultCommand(root *cobra.Command, args []string) []string {
	for _, a := range args {
		if a == "-h" || a == "--help" || a == cobra.ShellCompRequestCmd || a == cobra.ShellCompNoDescRequestCmd {
			return args
		}
	}
	worker, _, _ := root.Find([]string{"run"})
	if found, _, err := root.Find(args); err == nil && found == root && worker != root {
		return append([]string{"run"}, args...)
	}
	return args
}

// markStarted notes when a command starts its work: what fails before that is the command line's fault.
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

// asUsage is a failure before the command started, as the usage error that it is.
func asUsage(err error, c *cli) error {
	if err == nil || c.started {
		return err
	}
	return usageError{err}
}

// signalContext ends with the first SIGINT or SIGTERM, which asks for an orderly end. The second ends the process at once,
// with 128 plus its number.
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
