package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"

	"confab/internal/console"
	"confab/internal/kafka"
)

// access compares the allowed operations with those that the roles need. Brokers report them since Kafka 2.3, except those of
// transactional ids and of groups that do not exist.
func (d *clusterCheck) access(ctx context.Context) {
	d.describeGranted(ctx)
	for _, g := range d.mergedGrants() {
		d.report(checkAccess, g.Resource+" "+g.Name, func(r *console.Report) {
			allowed, err := d.allowedOperations(ctx, &g)
			needs := strings.Join(g.Operations, ", ")
			missing := g.Missing(allowed)
			remedy := "grant them: `confab topics plan --principal User:NAME` prints the commands"
			switch {
			case errors.Is(err, kafka.ErrDenied):
				r.Fail("refused: "+g.Role+" needs "+needs, remedy)
			case err != nil:
				r.Skip(err.Error(), "")
			case allowed == nil:
				r.Skip("the broker does not report permissions; "+g.Role+" needs "+needs, "")
			case len(missing) > 0:
				r.Fail(strings.Join(missing, ", ")+" is not allowed, and "+g.Role+" needs it", remedy)
			default:
				r.OK(needs)
			}
		})
	}
}

// describeGranted describes the topics that only the grants name.
func (d *clusterCheck) describeGranted(ctx context.Context) {
	var names []string
	for _, g := range d.Grants {
		if _, known := d.topics[g.Name]; g.Resource == kafka.ResourceTopic && !known && !slices.Contains(names, g.Name) {
			names = append(names, g.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	more, err := d.admin.Topics(ctx, names...)
	if err != nil {
		return // access reports each topic
	}
	d.granted = more
}

// mergedGrants are the grants with those of the same resource merged.
func (d *clusterCheck) mergedGrants() []kafka.ACL {
	var all []kafka.ACL
	for _, g := range d.Grants {
		i := slices.IndexFunc(all, func(have kafka.ACL) bool { return have.Resource == g.Resource && have.Name == g.Name })
		if i < 0 {
			all = append(all, g)
			continue
		}
		have := &all[i]
		if !slices.Contains(strings.Split(have.Role, ", "), g.Role) {
			have.Role += ", " + g.Role
		}
		have.Operations = slices.Compact(slices.Sorted(slices.Values(slices.Concat(have.Operations, g.Operations))))
	}
	return all
}

var errNotVisible = errors.New("permissions could not be read")

// allowedOperations returns what the principal may do; nil if the broker does not say. The error is kafka.ErrDenied if that
// is nothing.
func (d *clusterCheck) allowedOperations(ctx context.Context, g *kafka.ACL) ([]string, error) {
	switch g.Resource {
	case kafka.ResourceTransactionalID:
		return d.probed(ctx, g, d.admin.CanWriteTransactions)
	case kafka.ResourceGroup:
		s := d.admin.Group(ctx, g.Name)
		switch {
		case s.Operations != nil: // also if its lag is unknown
			return s.Operations, nil
		case s.Err != nil:
			return nil, s.Err
		}
		return d.probed(ctx, g, d.admin.CanReadGroup)
	}
	s := d.topics[g.Name]
	if s == nil {
		s = d.granted[g.Name]
	}
	switch {
	case s == nil:
		return nil, errNotVisible
	case s.Err != nil:
		return nil, s.Err
	case !s.Exists:
		return nil, errors.New("the topic does not exist, or may not be described")
	default:
		return s.Operations, nil
	}
}

// probed returns all operations of the grant if a probe finds them allowed.
func (d *clusterCheck) probed(ctx context.Context, g *kafka.ACL, may func(context.Context, string) (bool, error)) ([]string, error) {
	ok, err := may(ctx, g.Name)
	if err == nil && !ok {
		err = kafka.ErrDenied
	}
	return g.Operations, err
}
