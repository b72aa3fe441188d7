//go:build integration

package integration

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

// Record is one record of a topic, as an auditor read it.
type Record struct {
	Partition int32
	Offset    int64
	Key       string
	Value     []byte
	Headers   map[string]string // the last of each name; only ReadTopic fills it
}

// ReadTopic reads a topic from its start to where it ends now, committed records only.
//
// The end is the high watermark, not the last stable offset: that one trails a commit, and a reader which stops at it
// misses records that are there.
func (c *Cluster) ReadTopic(ctx context.Context, topic string) ([]Record, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("end offsets of %s: %w", topic, err)
	}
	left := map[int32]int64{}
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	var out []Record
	for len(left) > 0 {
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
				out = append(out, Record{Partition: r.Partition, Offset: r.Offset, Key: string(r.Key), Value: r.Value, Headers: headers})
			}
			if r.Offset+1 >= end {
				delete(left, r.Partition)
			}
		})
	}
	return out, nil
}

// ErrNoKcat says that the second reader is not installed.
var ErrNoKcat = errors.New("kcat is not installed: apt-get install kcat")

// KcatRead does what ReadTopic does through kcat, whose client library shares no author with ours. Keys and values must
// hold neither tab nor newline.
func (c *Cluster) KcatRead(ctx context.Context, topic string) ([]Record, error) {
	bin, err := exec.LookPath("kcat")
	if err != nil {
		return nil, ErrNoKcat
	}
	cmd := exec.CommandContext(ctx, bin, "-C", "-q", "-e", "-o", "beginning", "-t", topic, "-b", strings.Join(c.Seeds(), ","),
		"-X", "isolation.level=read_committed", "-f", `%p\t%o\t%k\t%s\n`)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("kcat reads %s: %w: %s", topic, err, stderr.String())
	}
	var out []Record
	for line := range bytes.Lines(text) {
		f := bytes.SplitN(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"), 4)
		if len(f) != 4 {
			return nil, fmt.Errorf("kcat reads %s: a line has %d fields", topic, len(f))
		}
		p, perr := strconv.ParseInt(string(f[0]), 10, 32)
		o, oerr := strconv.ParseInt(string(f[1]), 10, 64)
		if err := errors.Join(perr, oerr); err != nil {
			return nil, fmt.Errorf("kcat reads %s: %w", topic, err)
		}
		out = append(out, Record{Partition: int32(p), Offset: o, Key: string(f[2]), Value: f[3]})
	}
	return out, nil
}
