package demo

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // of the samples
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/schemas"
	"confab/schemas/json"
)

//go:embed samples/samples.jsonl
var embeddedSamples []byte

// Options are the options of [Run].
type Options struct {
	Out     io.Writer
	Color   bool
	NoAlert func(f *schemas.Flag) string // why a flag is no alert although enough detectors fired; may be nil
	Once    bool                         // stop after Events interactions; else run until ctx ends
	Events  int                          // 0: each sample once
	Samples []byte
	Pause   time.Duration    // between two interactions
	Now     func() time.Time // when the interactions occur; time.Now when nil
	Topics  map[string]int32
	Input   string   // topics of the worker
	Results []string // topics of its flags and dead letters

	// Delivered reports whether the worker has sent and recorded every alert. The next sample waits for that. May be nil.
	Delivered func() (bool, error)
	// Run runs the worker until ctx ends: it reads Input from the brokers at seeds and prints alerts to console.
	Run func(ctx context.Context, seeds []string, console io.Writer) error
}

// demoSample is an interaction, or raw bytes that are not one.
type demoSample struct {
	Title       string             `json:"title"`
	Interaction stdjson.RawMessage `json:"interaction"`
	Raw         string             `json:"raw"`
}

// Result counts what was printed.
type Result struct {
	Interactions, Flagged, Alerts, DeadLetters int
}

// Run sends sample interactions through the worker with a broker inside the process and prints the result of each.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Samples == nil {
		o.Samples = embeddedSamples
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	list, err := readSamples(o.Samples)
	if err != nil {
		return Result{}, err
	}
	cluster, err := embedded.Start(embedded.Options{Topics: o.Topics, Retention: time.Hour})
	if err != nil {
		return Result{}, err
	}
	defer cluster.Close()
	d := &demoRun{
		Options: o, samples: list, printer: console.FlagPrinter{W: o.Out, Color: o.Color, NoAlert: o.NoAlert},
		results: make(chan workerOutput), alerts: make(chan []byte, 1), done: make(chan struct{}),
	}
	return d.runAll(ctx, cluster.Seeds())
}

func readSamples(data []byte) ([]demoSample, error) {
	var list []demoSample
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, json.MaxLabelledBytes)
	for lines.Scan() {
		var s demoSample
		if err := stdjson.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("read samples: line %d: %w", len(list)+1, err)
		}
		list = append(list, s)
	}
	if len(list) == 0 && lines.Err() == nil {
		return nil, errors.New("read samples: there are none")
	}
	return list, lines.Err()
}

// record is the record of a sample in a round. Ids differ by round, so that each round alerts again.
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

// demoTimeout bounds the wait for the result of one interaction.
const demoTimeout = 20 * time.Second

// workerOutput is the worker's result for one interaction: a flag, or the reason of a dead letter.
type workerOutput struct {
	flag   *schemas.Flag
	reason string
}

var errNoOutput = fmt.Errorf("no result from the worker within %s", demoTimeout)

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
