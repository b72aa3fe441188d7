//go:build integration

package integration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// AccessRule allows a principal one operation on a resource.
type AccessRule struct {
	Principal string
	Resource  kmsg.ACLResourceType
	Name      string
	Prefix    bool
	Operation kmsg.ACLOperation
}

// String returns the operation and the resource.
func (r AccessRule) String() string {
	return strings.ReplaceAll(fmt.Sprintf("%v %v %s", r.Operation, r.Resource, r.Name), "_", " ")
}

// ParseAccessRules returns the rules that the kafka-acls commands among the lines would add, by the comment # NAME above them.
func ParseAccessRules(text string) (map[string][]AccessRule, error) {
	rules, name := map[string][]AccessRule{}, ""
	for line := range strings.Lines(text) {
		if after, ok := strings.CutPrefix(line, "# "); ok {
			name = strings.TrimSpace(after)
		}
		if !strings.HasPrefix(line, "kafka-acls ") {
			continue
		}
		of, err := parseCommand(strings.Fields(line)[1:])
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		rules[name] = append(rules[name], of...)
	}
	return rules, nil
}

// parseCommand reads the arguments of kafka-acls --add, none of which needs quotes.
func parseCommand(args []string) ([]AccessRule, error) {
	var rule AccessRule
	var operations []kmsg.ACLOperation
	for len(args) > 0 {
		flag := args[0]
		if args = args[1:]; flag == "--add" {
			continue
		}
		if len(args) == 0 {
			return nil, errors.New(flag + " lacks its value")
		}
		value := args[0]
		args = args[1:]
		switch flag {
		case "--bootstrap-server":
		case "--allow-principal":
			rule.Principal = value
		case "--resource-pattern-type":
			rule.Prefix = value == "prefixed"
		case "--operation":
			op, err := kmsg.ParseACLOperation(value)
			if err != nil {
				return nil, err
			}
			operations = append(operations, op)
		default:
			kind, err := kmsg.ParseACLResourceType(strings.TrimPrefix(flag, "--"))
			if err != nil {
				return nil, err
			}
			rule.Resource, rule.Name = kind, value
		}
	}
	rules := make([]AccessRule, 0, len(operations))
	for _, op := range operations {
		rule.Operation = op
		rules = append(rules, rule)
	}
	return rules, nil
}

func (r AccessRule) pattern() kmsg.ACLResourcePatternType {
	if r.Prefix {
		return kmsg.ACLResourcePatternTypePrefixed
	}
	return kmsg.ACLResourcePatternTypeLiteral
}

// AddAccess adds the rules.
func (c *Cluster) AddAccess(ctx context.Context, rules ...AccessRule) error {
	req := kmsg.NewPtrCreateACLsRequest()
	for _, r := range rules {
		add := kmsg.NewCreateACLsRequestCreation()
		add.ResourceType, add.ResourceName, add.ResourcePatternType = r.Resource, r.Name, r.pattern()
		add.Principal, add.Host, add.Operation, add.PermissionType = r.Principal, "*", r.Operation, kmsg.ACLPermissionTypeAllow
		req.Creations = append(req.Creations, add)
	}
	return c.ask(func(cl *kgo.Client) error {
		resp, err := req.RequestWith(ctx, cl)
		if err != nil {
			return err
		}
		for _, r := range resp.Results {
			err = errors.Join(err, kerr.ErrorForCode(r.ErrorCode))
		}
		return err
	})
}

// RemoveAccess removes a rule, and returns an error if there is none.
func (c *Cluster) RemoveAccess(ctx context.Context, r AccessRule) error {
	req := kmsg.NewPtrDeleteACLsRequest()
	remove := kmsg.NewDeleteACLsRequestFilter()
	remove.ResourceType, remove.ResourceName, remove.ResourcePatternType = r.Resource, &r.Name, r.pattern()
	remove.Principal, remove.Operation, remove.PermissionType = &r.Principal, r.Operation, kmsg.ACLPermissionTypeAllow
	req.Filters = append(req.Filters, remove)
	return c.ask(func(cl *kgo.Client) error {
		resp, err := req.RequestWith(ctx, cl)
		if err != nil {
			return err
		}
		if n := len(resp.Results[0].MatchingACLs); n != 1 {
			return fmt.Errorf("%d rules are %s", n, r)
		}
		return kerr.ErrorForCode(resp.Results[0].ErrorCode)
	})
}

// SetPassword makes a SCRAM-SHA-512 user, or changes its password.
func (c *Cluster) SetPassword(ctx context.Context, user, password string) error {
	return c.ask(func(cl *kgo.Client) error {
		set := kadm.UpsertSCRAM{User: user, Mechanism: kadm.ScramSha512, Iterations: 4096, Password: password}
		altered, err := kadm.NewClient(cl).AlterUserSCRAMs(ctx, nil, []kadm.UpsertSCRAM{set})
		if err != nil {
			return err
		}
		return altered.Error()
	})
}

// ask runs a request as the principal that may do everything.
func (c *Cluster) ask(do func(*kgo.Client) error) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(slices.Clone(c.Seeds())...))
	if err != nil {
		return err
	}
	defer cl.Close()
	return do(cl)
}
