package demo

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // the story
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"confab/cmd/worker/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/schemas"
	"confab/schemas/json"
)

//go:embed samples/samples.jsonl
var embeddedSamples []byte

// Options say what the demo plays and where.
type Options struct {
	Out     io.Writer
	Color   bool
	Once    bool // end after Events interactions; else go on until ctx ends
	Events  int  // 0 is the story once
	Samples []byte
	Pause   time.Duration    // between two interactions
	Now     func() time.Time // when the interactions occur; time.Now when nil
	Topics  map[string]int32
	Input   string   // topics of the worker
	Results []string // where its flags and dead letters go

	// Delivered reports whether the worker has posted and recorded every alert: the next act waits for that. May be nil.
	Delivered func() (bool, error)
	// Run is the worker: it reads Input from the brokers at seeds and prints alerts on console, until ctx ends.
	Run func(ctx context.Context, seeds []string, console io.Writer) error
}

// demoSample is one act of the story: an interaction, or bytes that are none.
type demoSample struct {
	Title       string             `json:"title"`
	Interaction stdjson.RawMessage `json:"interaction"`
	Raw         string             `json:"raw"`
}

// Result counts what the audience saw.
type Result struct {
	Interactions, Flagged, Alerts, DeadLetters int
}

// Run plays sample interactions through the worker on a broker inside the process and prints what becomes of each.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Samples == nil {
		o.Samples = embeddedSamples
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	story, err := readSamples(o.Samples)
	if err != nil {
		return Result{}, err
	}
	cluster, err := embedded.Start(embedded.Options{Topics: o.Topics, Retention: time.Hour})
	if err != nil {
		return Result{}, err
	}
	defer cluster.Close()
	d := &demoRun{
		Options: o, samples: story, printer: console.FlagPrinter{W: o.Out, Color: o.Color},
		results: make(chan workerOutput), alerts: make(chan []byte, 1), done: make(chan struct{}),
	}
	return d.runAll(ctx, cluster.Seeds())
}

func readSamples(data []byte) ([]demoSample, error) {
	var story []demoSample
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, json.MaxLabelledBytes)
	for lines.Scan() {
		var s demoSample
		if err := stdjson.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("read the samples, line %d: %w", len(story)+1, err)
		}
		story = append(story, s)
	}
	if len(story) == 0 && lines.Err() == nil {
		return nil, errors.New("read the samples: there are none")
	}
	return story, lines.Err()
}

// record is the record of a sample in a round; from the second on, ids differ, or nobody would be told again.
func (s *demoSample) record(round int, now time.Time) (key, value []byte, err error) {
	if s.Interaction == nil {
		return nil, []byte(s.Raw), nil
	}
	var row schemas.Labelled
	if err := json.DecodeLabelled(s.Interaction, &row); err != nil {
		return nil, nil, fmt.Errorf("sample %q: %w", s.Title, err)
	}
	in := &row.Interaction
	if round > 0 {
		in.ID = fmt.Sprintf("%s-round-%d", in.ID, round+1)
	}
	in.OccurredAt = now
	value, err = json.AppendInteraction(nil, in)
	return []byte(in.ID), value, err
}

// demoTimeout is how long one interaction may take before the demo gives up on it.
const demoTimeout = 20 * time.Second

// workerOutput is what the worker wrote about one interaction: a flag, or a dead letter with its reason.
type workerOutput struct {
	flag   *schemas.Flag
	reason string
}

var errNoOutput = fmt.Errorf("nothing came back from the worker within %s", demoTimeout)

func readOutput(r *kafka.FetchedRecord) (workerOutput, error) {
	for _, h := range r.Headers {
		if h.Key == "confab-reason" {
			return workerOutput{reason: string(h.Value)}, nil
		}
	}
	f := new(schemas.Flag)
	if err := json.DecodeFlag(r.Value, f); err != nil {
		return workerOutput{}, fmt.Errorf("read %s: %w", r.Topic, err)
	}
	return workerOutput{flag: f}, nil
}
