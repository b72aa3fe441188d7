//go:build integration

package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/integration"
)

// doctorFinding is a finding as `confab doctor --json` prints it.
type doctorFinding struct{ Check, Subject, State, Detail string }

// examination is the end of one run of the doctor.
type examination struct {
	code     int
	problems []doctorFinding
}

// examine runs the doctor as the user of a role.
func (r *roles) examine(ctx context.Context, name string) (examination, error) {
	out, err := exec.CommandContext(ctx, r.bin, "doctor", "--json", "--config", r.configs[name]).Output()
	var e examination
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		e.code = exit.ExitCode()
	} else if err != nil {
		return e, err
	}
	var report struct{ Findings []doctorFinding }
	if err := json.Unmarshal(out, &report); err != nil {
		return e, fmt.Errorf("doctor of %s printed %.300q: %w", name, out, err)
	}
	for _, f := range report.Findings {
		if f.State == "problem" {
			e.problems = append(e.problems, f)
		}
	}
	return e, nil
}

// names reports whether a problem names the resource and the operation of the rule.
func (e examination) names(rule integration.AccessRule) bool {
	operation := rule.Operation.String()
	words := func(r rune) bool { return r == ' ' || r == ',' }
	return e.code == 1 && slices.ContainsFunc(e.problems, func(f doctorFinding) bool {
		return f.Check == "access" && strings.HasSuffix(f.Subject, " "+rule.Name) && slices.Contains(strings.FieldsFunc(f.Detail, words), operation)
	})
}

// requireEachRule removes one rule of a role at a time: the doctor of that role exits with 1 and names the operation and the
// resource. With all of them it finds no problem.
func (r *roles) requireEachRule(ctx context.Context, t *testing.T) {
	t.Helper()
	var all sync.WaitGroup
	turns := make(chan struct{}, 3)
	var mu sync.Mutex
	named, count := 0, 0
	for _, name := range securedRoles {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			r.assertHealthy(ctx, t, name)
			for _, rule := range r.rules[name] {
				ok := r.assertNamed(ctx, t, name, rule)
				mu.Lock()
				if count++; ok {
					named++
				}
				mu.Unlock()
			}
			r.assertHealthy(ctx, t, name)
		})
	}
	all.Wait()
	t.Logf("doctor names %d of %d removed rules", named, count)
	require.Equal(t, count, named)
	require.NotZero(t, count)
}

// assertHealthy expects no problem, once the brokers know all rules.
func (r *roles) assertHealthy(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	var last examination
	err := r.awaitExamination(ctx, name, func(e examination) bool {
		last = e
		return e.code == 0 && len(e.problems) == 0
	})
	assert.NoError(t, err, "%s with all rules: %v", name, last)
}

// assertNamed reports whether the doctor names the missing rule.
func (r *roles) assertNamed(ctx context.Context, t *testing.T, name string, rule integration.AccessRule) bool {
	t.Helper()
	if !assert.NoError(t, r.RemoveAccess(ctx, rule), "%s: %s", name, rule) {
		return false
	}
	var last examination
	err := r.awaitExamination(ctx, name, func(e examination) bool {
		last = e
		return e.names(rule)
	})
	ok := assert.NoError(t, err, "%s without %s: %v", name, rule, last)
	return assert.NoError(t, r.AddAccess(ctx, rule)) && ok
}

// awaitExamination examines until the result is as expected: brokers learn of rules a moment after they are changed.
func (r *roles) awaitExamination(ctx context.Context, name string, done func(examination) bool) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return integration.Await(ctx, "the doctor of "+name+" is right", func(ctx context.Context) (bool, error) {
		e, err := r.examine(ctx, name)
		return err == nil && done(e), err
	})
}

// requireProbe expects the doctor to find that a group may not be read which does not exist yet, and may be described.
func (r *roles) requireProbe(ctx context.Context, t *testing.T) {
	t.Helper()
	rules := r.rules["detect"]
	read := rules[slices.IndexFunc(rules, func(rule integration.AccessRule) bool { return rule.Resource == kmsg.ACLResourceTypeGroup })]
	describe := read
	describe.Operation = kmsg.ACLOperationDescribe
	require.NoError(t, r.AddAccess(ctx, describe))
	r.assertHealthy(ctx, t, "detect")
	require.True(t, r.assertNamed(ctx, t, "detect", read))
	require.NoError(t, r.RemoveAccess(ctx, describe))
}
