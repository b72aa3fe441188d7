package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// readTopic reads a topic with franz-go from its start to where it ends now.
func readTopic(ctx context.Context, seeds []string, topic string) ([]Record, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	ends, err := endOffsets(ctx, cl, topic)
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
			headers := map[string]string{}
			for _, h := range r.Headers {
				headers[h.Key] = string(h.Value)
			}
			if end, ok := left[r.Partition]; ok {
				out = append(out, Record{RecordPosition: RecordPosition{r.Partition, r.Offset}, Key: string(r.Key), Value: r.Value, Headers: headers})
				if r.Offset+1 >= end {
					delete(left, r.Partition)
				}
			}
		})
	}
	return out, nil
}

// endOffsets are the ends of the partitions that hold records.
func endOffsets(ctx context.Context, cl *kgo.Client, topic string) (map[int32]int64, error) {
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

// groupLag is how many records of the topic the group has not committed.
func groupLag(ctx context.Context, cl *kgo.Client, group, topic string) (n int64, err error) {
	ends, err := endOffsets(ctx, cl, topic)
	if err != nil {
		return 0, err
	}
	done, err := kadm.NewClient(cl).FetchOffsets(ctx, group)
	if err == nil {
		err = done.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("offsets of group %s: %w", group, err)
	}
	for p, end := range ends {
		at, _ := done.Lookup(topic, p)
		n += end - max(at.At, 0)
	}
	return n, nil
}

// readWithKcat reads a topic with a client whose library shares no author with ours, down to place, key and value.
func readWithKcat(ctx context.Context, seeds []string, topic string) (map[RecordPosition]string, error) {
	cmd := exec.CommandContext(ctx, "kcat", "-C", "-q", "-e", "-o", "beginning", "-t", topic, "-b", strings.Join(seeds, ","),
		"-X", "isolation.level=read_committed", "-f", `%p\t%o\t%k\t%s\n`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("kcat reads %s: %w: %s", topic, err, stderr.String())
	}
	out := map[RecordPosition]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("kcat reads %s: a line has %d fields", topic, len(f))
		}
		p, perr := strconv.ParseInt(f[0], 10, 32)
		o, oerr := strconv.ParseInt(f[1], 10, 64)
		if err := errors.Join(perr, oerr); err != nil {
			return nil, err
		}
		out[RecordPosition{int32(p), o}] = f[2]
	}
	return out, nil
}
