package store

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Options configure a store.
type Options struct {
	Path         string
	MaxIncidents int           // flags that are kept; the oldest ones go first
	MaxBytes     int64         // of their records
	MaxAge       time.Duration // of a flag's record
	Now          func() time.Time
	Logger       *slog.Logger
	Deep         []string // names of the detectors that ask language models
}

// Store is the open database file. Its methods may be called concurrently.
type Store struct {
	Options

	db     *bolt.DB
	broken atomic.Bool // the file was found damaged: the database is not used any more, since its locks may be held
}

// ErrCorrupt says that the file is damaged. A store that was opened again starts empty.
var ErrCorrupt = errors.New("the database file is damaged")

// format is the version of the file's layout. A file of another version is rebuilt.
const format = 1

// lockTimeout is the wait for another process that has the file open.
const lockTimeout = 2 * time.Second

// The buckets.
const (
	bucketMeta    = "meta"    // format, counts, secret
	bucketRows    = "rows"    // summaries, by time and a number
	bucketFlags   = "flags"   // records of flags, by the same key
	bucketIDs     = "ids"     // keys of rows, by incident and pass
	bucketLabels  = "labels"  // labels, by incident and person
	bucketAlerts  = "alerts"  // alert states, by incident
	bucketHours   = "hours"   // counts, by hour and series
	bucketOffsets = "offsets" // next offsets, by topic and partition

	bucketForgotten = "forgotten" // times of marks, by incident
)

func allBuckets() []string {
	return []string{bucketMeta, bucketRows, bucketFlags, bucketIDs, bucketLabels, bucketAlerts, bucketHours, bucketOffsets, bucketForgotten}
}

// Open opens or creates the file. A damaged file, or one of another version, is moved aside and logged.
func Open(o Options) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(o.Path), 0o700); err != nil {
		return nil, fmt.Errorf("open store: %w: choose a writable folder with ui.store.path", err)
	}
	s := &Store{Options: o}
	err := s.open()
	if errors.Is(err, ErrCorrupt) {
		err = s.replace(err)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) replace(damage error) error {
	aside := s.Path + ".damaged"
	if err := os.Rename(s.Path, aside); err != nil {
		return fmt.Errorf("move the damaged store aside: %w: remove %s", err, s.Path)
	}
	s.Logger.Warn("store is damaged, rebuilding it from the topics", "moved_to", aside, "error", damage)
	return s.open()
}

func (s *Store) open() (err error) {
	o := &s.Options
	err = guardFaults(func() error {
		s.db, err = bolt.Open(o.Path, 0o600, &bolt.Options{Timeout: lockTimeout, FreelistType: bolt.FreelistMapType})
		return err
	})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("open store: another process has %s open: stop it, or set another ui.store.path", o.Path)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("open store: %w: choose a writable ui.store.path", err)
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrChecksum), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, ErrCorrupt):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case err != nil:
		return fmt.Errorf("open store: %w", err)
	}
	if err := guardFaults(s.check); err != nil {
		_ = guardFaults(s.db.Close) // it is moved aside
		return err
	}
	if err := guardFaults(func() error { return s.db.Update(prepare) }); err != nil {
		_ = s.db.Close() // the error says more
		return fmt.Errorf("open store: %w: free space, or choose another ui.store.path", err)
	}
	return nil
}

// guardFaults turns a panic or a memory fault of a damaged file into ErrCorrupt.
func guardFaults(fn func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrCorrupt, r)
		}
	}()
	return fn()
}

// check walks every page of the file, so that damage is found at the start.
func (s *Store) check() error {
	info, err := os.Stat(s.Path)
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	return s.db.View(func(tx *bolt.Tx) error {
		if tx.Size() > info.Size() {
			return fmt.Errorf("%w: it is shorter than it says", ErrCorrupt)
		}
		if meta := tx.Bucket([]byte(bucketMeta)); meta != nil && readCount(meta, "format") != format {
			return fmt.Errorf("%w: its format is not %d", ErrCorrupt, format)
		}
		return tx.ForEach(func(_ []byte, b *bolt.Bucket) error {
			sum := byte(0)
			return b.ForEach(func(k, v []byte) error {
				if len(v) > 0 {
					sum ^= v[len(v)-1] // reads the last page of a long value
				}
				return nil
			})
		})
	})
}

// prepare makes what a new file lacks.
func prepare(tx *bolt.Tx) error {
	for _, name := range allBuckets() {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return fmt.Errorf("create bucket: %w", err)
		}
	}
	meta := tx.Bucket([]byte(bucketMeta))
	if meta.Get([]byte("secret")) == nil {
		if err := meta.Put([]byte("secret"), []byte(rand.Text())); err != nil {
			return fmt.Errorf("write secret: %w", err)
		}
	}
	return writeCount(meta, "format", format)
}

func readCount(b *bolt.Bucket, name string) int64 {
	if v := b.Get([]byte(name)); len(v) == 8 {
		return int64(binary.BigEndian.Uint64(v))
	}
	return 0
}

func writeCount(b *bolt.Bucket, name string, n int64) error {
	return b.Put([]byte(name), binary.BigEndian.AppendUint64(nil, uint64(n)))
}

// guard stops using a database that turned out to be damaged.
func (s *Store) guard(fn func() error) error {
	if s.broken.Load() {
		return ErrCorrupt
	}
	err := guardFaults(fn)
	if errors.Is(err, ErrCorrupt) {
		s.broken.Store(true)
	}
	return err
}

func (s *Store) update(fn func(tx *bolt.Tx) error) error {
	return s.guard(func() error { return s.db.Update(fn) })
}

func (s *Store) view(fn func(tx *bolt.Tx) error) error {
	return s.guard(func() error { return s.db.View(fn) })
}

// Close closes the file. It waits for reads in progress, unless the file is damaged.
func (s *Store) Close() error {
	if s.broken.Load() {
		return nil
	}
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// Stats are the sizes of a store.
type Stats struct {
	Flags  int64     // rows
	Bytes  int64     // of their records
	File   int64     // bytes of the file
	Labels int64     // labels of people
	Newest time.Time // time of the newest row; zero if there is none
}

// Stats returns the sizes.
func (s *Store) Stats() (st Stats, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		meta := tx.Bucket([]byte(bucketMeta))
		st = Stats{Flags: readCount(meta, countFlags), Bytes: readCount(meta, countBytes), Labels: readCount(meta, countLabels), File: tx.Size()}
		if key, _ := tx.Bucket([]byte(bucketRows)).Cursor().Last(); len(key) == keyBytes {
			st.Newest = keyTime(key)
		}
		return nil
	})
	return st, err
}

// Secret is a random text that the file keeps, to sign tokens.
func (s *Store) Secret() (secret string, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		secret = string(tx.Bucket([]byte(bucketMeta)).Get([]byte("secret")))
		return nil
	})
	return secret, err
}

// Next is the offset of the first record of a partition that is not stored yet; false if none was stored.
func (s *Store) Next(topic string, partition int32) (offset int64, ok bool) {
	err := s.view(func(tx *bolt.Tx) error {
		v := tx.Bucket([]byte(bucketOffsets)).Get(offsetKey(Partition{topic, partition}))
		if ok = len(v) == 8; ok {
			offset = int64(binary.BigEndian.Uint64(v))
		}
		return nil
	})
	return offset, ok && err == nil
}

// Partition is a partition of a topic.
type Partition struct {
	Topic  string
	Number int32
}

func offsetKey(p Partition) []byte {
	return binary.BigEndian.AppendUint32(append([]byte(p.Topic), 0), uint32(p.Number))
}
