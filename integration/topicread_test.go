package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// RecordPosition is where a record is in its topic.
type RecordPosition struct {
	Partition int32
	Offset    int64
}

// Record is one record of a topic.
type Record struct {
	RecordPosition
	Key     string
	Value   []byte
	Headers map[string]string // the last of each name; only ReadRecords fills it
	Writer  string            // time, producer id and epoch, leader epoch; only ReadRecords fills it
}

// ReadRecords reads the committed records of a topic up to its current end.
//
// The end is the high watermark, not the last stable offset, which trails a commit: a reader that stops there misses
// committed records.
func ReadRecords(ctx context.Context, seeds []string, topic string) ([]Record, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer cl.Close()
	ends, err := EndOffsets(ctx, cl, topic)
	if err != nil {
		return nil, err
	}
	var out []Record
	for left := ends; len(left) > 0; {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("read %s, short of %v: %w", topic, left, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			end, ok := left[r.Partition]
			if !ok {
				return
			}
			if !r.Attrs.IsControl() {
				headers := map[string]string{}
				for _, h := range r.Headers {
					headers[h.Key] = string(h.Value)
				}
				out = append(out, Record{
					RecordPosition: RecordPosition{r.Partition, r.Offset}, Key: string(r.Key), Value: r.Value, Headers: headers,
					Writer: fmt.Sprintf("%s by %d/%d, leader epoch %d", r.Timestamp.Format(time.TimeOnly+".000"), r.ProducerID, r.ProducerEpoch, r.LeaderEpoch),
				})
			}
			if r.Offset+1 >= end {
				delete(left, r.Partition)
			}
		})
	}
	return out, nil
}

// ErrNoKcat means that kcat is not installed.
var ErrNoKcat = errors.New("kcat is not installed: apt-get install kcat")

// ReadWithKcat does what ReadRecords does, with kcat. Its records have no headers.
func ReadWithKcat(ctx context.Context, seeds []string, topic string) ([]Record, error) {
	bin, err := exec.LookPath("kcat")
	if err != nil {
		return nil, ErrNoKcat
	}
	cmd := exec.CommandContext(ctx, bin, "-C", "-q", "-e", "-o", "beginning", "-t", topic, "-b", strings.Join(seeds, ","),
		"-X", "isolation.level=read_committed", "-f", `%p %o %K %S\n%k%s`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("kcat: read %s: %w: %s", topic, err, stderr.String())
	}
	var out []Record
	for in := bytes.NewBuffer(text); in.Len() > 0; {
		var r Record
		var key, value int // lengths; -1 is none
		if _, err := fmt.Fscanf(in, "%d %d %d %d\n", &r.Partition, &r.Offset, &key, &value); err != nil {
			return nil, fmt.Errorf("kcat: read %s: %w", topic, err)
		}
		r.Key = string(in.Next(max(0, key)))
		if value >= 0 {
			r.Value = in.Next(value)
		}
		out = append(out, r)
	}
	return out, nil
}

// EndOffsets returns the end offsets of the partitions that have records.
func EndOffsets(ctx context.Context, cl *kgo.Client, topic string) (map[int32]int64, error) {
	listed, err := kadm.NewClient(cl).ListEndOffsets(ctx, topic)
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("end offsets of %s: %w", topic, err)
	}
	ends := map[int32]int64{}
	listed.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			ends[o.Partition] = o.Offset
		}
	})
	return ends, nil
}

// GroupLag returns how many records of the topic the group has not committed; a partition without a commit counts from its
// start.
func GroupLag(ctx context.Context, cl *kgo.Client, group, topic string) (lag int64, err error) {
	adm := kadm.NewClient(cl)
	starts, err := adm.ListStartOffsets(ctx, topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("start offsets of %s: %w", topic, err)
	}
	ends, err := EndOffsets(ctx, cl, topic)
	if err != nil {
		return 0, err
	}
	commits, err := adm.FetchOffsets(ctx, group)
	if err == nil {
		err = commits.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("offsets of %s: %w", group, err)
	}
	for p, end := range ends {
		start, _ := starts.Lookup(topic, p)
		at := start.Offset
		if o, ok := commits.Lookup(topic, p); ok && o.At > at {
			at = o.At
		}
		lag += end - at
	}
	return lag, nil
}
