package incidents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/schemas"
	"confab/schemas/json"
)

// LabelOptions are a label, and where to write it.
type LabelOptions struct {
	Incidents FindOptions
	Topic     string // of the labels
	Verdict   string // wrong or fine
	User      string
	Comment   string
	Force     bool // label an incident that is not found
}

// Bounds of the texts of labels and silences, in characters.
const (
	maxUser    = 128
	maxComment = 1000
)

// Bounds of a command's writes: the wait for acknowledgements, and the records that are awaited together.
const (
	ackTimeout      = 30 * time.Second
	recordsPerWrite = 500
)

// Label writes a person's label of an incident and describes the incident on w. If the error wraps ErrUnknownIncident,
// nothing was written.
func Label(ctx context.Context, w io.Writer, o LabelOptions) error {
	f, err := o.feedback()
	if err != nil {
		return err
	}
	for _, topic := range []string{o.Incidents.Topic, o.Topic} {
		if err := cluster.RequireTopic(ctx, o.Incidents.Kafka, topic); err != nil {
			return err
		}
	}
	flag, err := Find(ctx, o.Incidents)
	switch {
	case err == nil:
		f.IncidentID = flag.IncidentID
		f.Detectors, f.Judge = slices.Sorted(slices.Values(flag.Fired)), flag.Judged()
		err = describeIncident(w, flag)
	case !errors.Is(err, ErrUnknownIncident):
	case !o.Force:
		err = fmt.Errorf("%w; --force labels a whole id whose flags are no longer retained", err)
	case len(f.IncidentID) < incidentDigits:
		err = console.InputErrorf("--force needs the whole id of %d digits, since no flag of %s is retained", incidentDigits, f.IncidentID)
	default:
		err = console.Printf(w, "incident %s is unknown: labelled without its detectors\n", f.IncidentID)
	}
	if err != nil {
		return err
	}
	value, err := json.AppendFeedback(nil, &f)
	if err != nil {
		return err
	}
	label := kafka.Message{Topic: o.Topic, Partition: kafka.AnyPartition, Key: []byte(f.IncidentID), Value: value}
	if err := Produce(ctx, o.Incidents.Kafka, label); err != nil {
		return err
	}
	return console.Printf(w, "labelled %s by %s\n", f.Verdict, console.Sanitize(f.User))
}

// feedback is the label without the parts that come from the flag.
func (o *LabelOptions) feedback() (schemas.Feedback, error) {
	id, _, err := incidentID(o.Incidents.Incident)
	if err != nil {
		return schemas.Feedback{}, err
	}
	verdict, known := schemas.ParseVerdict(o.Verdict)
	if !known {
		return schemas.Feedback{}, console.InputErrorf("--verdict %s: write wrong or fine, what the answer is", console.Sanitize(o.Verdict))
	}
	user, comment, err := checkTexts(o.User, o.Comment)
	return schemas.Feedback{
		IncidentID: id, Verdict: verdict, User: user, Source: schemas.FromCLI, At: o.Incidents.Now().UTC(), Comment: comment,
	}, err
}

// checkTexts trims and checks the user and the comment.
func checkTexts(user, comment string) (string, string, error) {
	user, comment = strings.TrimSpace(user), strings.TrimSpace(comment)
	switch {
	case user == "":
		return "", "", console.InputErrorf("--user is missing: give your name")
	case utf8.RuneCountInString(user) > maxUser || !utf8.ValidString(user):
		return "", "", console.InputErrorf("--user: at most %d characters of UTF-8", maxUser)
	case utf8.RuneCountInString(comment) > maxComment || !utf8.ValidString(comment):
		return "", "", console.InputErrorf("--comment: at most %d characters of UTF-8", maxComment)
	}
	return user, comment, nil
}

// describeIncident prints the labelled incident without any text of the answer.
func describeIncident(w io.Writer, f *schemas.Flag) error {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-10s%s\n", name, console.Sanitize(value))
		}
	}
	fmt.Fprintf(&b, "incident %s\n", console.Sanitize(f.IncidentID))
	line("tenant", f.Tenant)
	line("service", f.Service)
	line("operation", f.Operation)
	line("model", f.Model)
	line("fired", strings.Join(f.Fired, " + "))
	if len(f.Fired) == 0 {
		line("fired", "nothing")
	}
	if f.Risk != nil {
		line("risk", fmt.Sprintf("%.2f", *f.Risk))
	}
	line("pass", string(f.Pass))
	line("detected", f.DetectedAt.UTC().Format(time.RFC3339))
	if f.Alert {
		line("alert", "yes") // whether anyone was notified depends on the sink
	}
	return console.Printf(w, "%s", b.String())
}

// Produce writes the records of one topic and waits until all are acknowledged.
func Produce(ctx context.Context, cfg kafka.Config, ms ...kafka.Message) error {
	if len(ms) == 0 {
		return nil
	}
	p, err := kafka.NewProducer(cfg)
	if err != nil {
		return err
	}
	defer p.Close()
	for part := range slices.Chunk(ms, recordsPerWrite) {
		limited, cancel := context.WithTimeout(ctx, ackTimeout)
		err := p.ProduceSync(limited, part...)
		cancel()
		if err != nil {
			return fmt.Errorf("write to %s: it may or may not have been written, try again: %w", ms[0].Topic, err)
		}
	}
	return nil
}
