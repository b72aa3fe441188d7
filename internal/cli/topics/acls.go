package topics

import (
	"errors"
	"io"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/console"
	"confab/internal/kafka"
)

// AccessPlan is the permissions of a principal.
type AccessPlan struct {
	Principal string // as Kafka writes it, such as User:confab
	Brokers   []string
	Grants    []kafka.ACL
}

// PlanAccess prints the access rules that a principal needs by role, as a table and as commands that add them. It contacts
// no broker.
func PlanAccess(w io.Writer, plan AccessPlan) error {
	kind, name, ok := strings.Cut(plan.Principal, ":")
	if !ok || kind == "" || name == "" || strings.ContainsFunc(plan.Principal, unicode.IsControl) {
		return errors.New("a principal is written as Kafka writes it: User:confab, or User:CN=confab for a certificate")
	}
	if err := console.Printf(w, "%s needs, by role:\n", plan.Principal); err != nil {
		return err
	}
	t := console.NewTable(table.Row{"role", "resource", "name", "operations"})
	for _, g := range plan.Grants {
		t.AppendRow(table.Row{g.Role, g.Resource, g.Name, strings.Join(g.Operations, ", ")})
	}
	if err := console.PrintTable(w, t); err != nil {
		return err
	}
	var commands strings.Builder
	role := ""
	for _, g := range plan.Grants {
		if g.Role != role {
			role = g.Role
			commands.WriteString("\n# " + role + "\n")
		}
		commands.WriteString(grantCommand(&plan, &g) + "\n")
	}
	return console.Printf(w, "%s\n", commands.String())
}

// grantCommand is the kafka-acls command of the grant.
func grantCommand(plan *AccessPlan, g *kafka.ACL) string {
	args := []string{
		"kafka-acls", "--bootstrap-server", console.ShellQuote(strings.Join(plan.Brokers, ",")), "--add",
		"--allow-principal", console.ShellQuote(plan.Principal),
	}
	for _, op := range g.Operations {
		args = append(args, "--operation", commandName(op))
	}
	if g.Prefix {
		args = append(args, "--resource-pattern-type", "prefixed")
	}
	return strings.Join(append(args, "--"+g.Resource, console.ShellQuote(g.Name)), " ")
}

// commandName is the name of an operation in kafka-acls: DescribeConfigs for DESCRIBE_CONFIGS.
func commandName(op string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(op, "_") {
		b.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return b.String()
}
