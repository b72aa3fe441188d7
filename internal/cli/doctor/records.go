package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"confab/internal/console"
	"confab/internal/kafka"
)

// groups checks the consumer groups of the roles.
func (d *clusterCheck) groups(ctx context.Context) {
	for _, g := range d.Grants {
		if g.Resource == kafka.ResourceGroup {
			s := d.admin.Group(ctx, g.Name)
			d.report(checkGroup, g.Name, func(r *console.Report) { examineGroup(r, &s) })
		}
	}
}

func examineGroup(r *console.Report, s *kafka.GroupState) {
	if len(s.Lost) > 0 {
		r.Fail("its committed offsets are no longer in the log of "+strings.Join(s.Lost, ", ")+": records were deleted unread",
			"raise retention.ms; then set kafka.on_data_loss: earliest to go on and count the loss")
	}
	behind := fmt.Sprintf("%s, %d members, %d records behind", s.State, s.Members, s.Lag)
	switch {
	case errors.Is(s.Err, kafka.ErrDenied) && s.Exists:
		r.Skip("its lag may not be read: "+s.Err.Error(), "grant READ on its topics")
	case errors.Is(s.Err, kafka.ErrDenied):
		r.Fail("may not be described", "grant READ on it: `confab topics plan --principal User:NAME` prints the commands")
	case s.Err != nil:
		r.Skip(s.Err.Error(), "run the doctor again in a minute")
	case !s.Exists:
		r.OK("does not exist yet: the first run creates it")
	case s.Members == 0 && s.Lag > 0:
		r.Warn(fmt.Sprintf("no member, %d records behind", s.Lag), "start the worker")
	case s.Members > 0 && s.State != "Stable":
		r.Warn(behind, "run the doctor again in a minute; if this stays, a member joins and leaves repeatedly: read its log")
	default:
		r.OK(behind)
	}
}
