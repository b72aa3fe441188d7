package tuning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"confab/internal/kafka"
	"confab/internal/worker/incidents"
)

// The errors of choices.
var (
	ErrNoVersion = errors.New("no such version of the calibration")
	ErrNoParent  = errors.New("there is no version to go back to")
)

// Rollback puts the version before the one in force in force, and returns its id, "" for the files. Later refits propose only, until
// a version is accepted.
func Rollback(ctx context.Context, k kafka.Config, topic string, now time.Time) (id string, err error) {
	s, err := ReadState(ctx, k, topic)
	if err != nil {
		return "", err
	}
	v := s.Current()
	switch {
	case v == nil && s.InForce.Version != "":
		return "", fmt.Errorf("%w: %s, which was put in force, is damaged, so the calibration file is: `confab tune --versions` lists the others", ErrNoParent, s.InForce.Version)
	case v == nil:
		return "", fmt.Errorf("%w: the calibration file is in force", ErrNoParent)
	}
	if v.Parent != "" && s.Versions[v.Parent] == nil {
		return "", fmt.Errorf("%w: %s, before %s, is not kept any more: `confab tune --versions` lists those that are", ErrNoParent, v.Parent, v.ID)
	}
	return v.Parent, choose(ctx, k, topic, Choice{Version: v.Parent, At: now.UTC(), Held: true})
}

// Accept puts a version in force; "" takes the one that is proposed. It returns the id.
func Accept(ctx context.Context, k kafka.Config, topic, id string, now time.Time) (string, error) {
	s, err := ReadState(ctx, k, topic)
	if err != nil {
		return "", err
	}
	v := s.Versions[id]
	if id == "" {
		v = s.Pending()
	}
	if v == nil {
		return "", fmt.Errorf("%w: %q: `confab tune --versions` lists them", ErrNoVersion, id)
	}
	return v.ID, choose(ctx, k, topic, Choice{Version: v.ID, At: now.UTC()})
}

func choose(ctx context.Context, k kafka.Config, topic string, c Choice) error {
	m, err := record(topic, keyInForce, c)
	if err != nil {
		return err
	}
	return incidents.Produce(ctx, k, m)
}
