package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"confab/internal/names"
)

type stdStreams struct {
	in       io.Reader
	out, err io.Writer
}

var errNoCommand = errors.New("flags without a command: confab run runs the worker; see confab --help")

// runProgram runs the command line and returns the exit code.
func runProgram(s stdStreams, args, env []string) int {
	ctx, stop := signalContext()
	defer stop()
	c := &cli{stdStreams: s, env: env}
	root := newRoot(c)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitFailure // interrupted: nothing to report
	}
	if err != nil && !c.started {
		err = usageError{err}
	}
	return exitCode(err, s.err)
}

func newRoot(c *cli) *cobra.Command {
	root := newCommand("", nil, nil)
	root.SilenceErrors, root.SilenceUsage, root.Version = true, true, versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	c.bind(root)
	root.PersistentPreRunE = c.checkColor
	commandGroup(root).RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().NFlag() > 0 {
			return usageError{errNoCommand}
		}
		return cmd.Help()
	}
	addCommands(c, root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 { // flags of a command that does not exist
			return usageError{cmd.Args(cmd, args)}
		}
		return usageError{fmt.Errorf("%w%s; see %s --help", err, similarFlag(cmd, err), cmd.CommandPath())}
	})
	markStarted(c, root)
	return root
}

// addCommands adds the commands in the groups of the help.
func addCommands(c *cli, root *cobra.Command) {
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"try", "Try:", []*cobra.Command{newDemo(c), newBroker(c), newCheck(c), newMap(c), newListener(c, "serve"), newListener(c, "ui")}},
		{"run", "Run:", []*cobra.Command{
			newRun(c), newConfig(c), newDoctor(c), newTopics(c), newSchema(c), newProduce(c), newTail(c),
			newRedrive(c), newVerify(c), newReplay(c), newForget(c), newSilence(c), newVersion(c),
		}},
		{"improve", "Improve:", []*cobra.Command{
			newTune(c), newLabel(c), newEvaluate(c), newRate(c), newDiff(c), newObservations(c), newIndex(c),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.id
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID("try")
	root.CompletionOptions.HiddenDefaultCmd = true
}

// commandGroup makes cmd a command that only holds subcommands. Without one it shows its help; an unknown one is an error.
func commandGroup(cmd *cobra.Command) *cobra.Command {
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

// similarFlag returns a question that names the flag of cmd most similar to an unknown one, "" for none.
func similarFlag(cmd *cobra.Command, err error) string {
	unknown, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return ""
	}
	best, least := "", 1+max(1, len(unknown)/3)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := names.EditDistance(unknown, f.Name); d < least {
			best, least = f.Name, d
		}
	})
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean --%s", best)
}
