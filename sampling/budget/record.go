package budget

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// budgetKey is the key of a record of the budget topic: `tenant|window|partition`. Only the tenant may contain a bar.
type budgetKey struct {
	tenant    string
	window    budgetWindow
	partition int32
}

func (k budgetKey) String() string {
	return k.tenant + "|" + k.window.String() + "|" + strconv.Itoa(int(k.partition))
}

// parseBudgetKey parses a key; false unless String produces it.
func parseBudgetKey(text string) (k budgetKey, ok bool) {
	rest, partition, ok := cutLast(text)
	if !ok {
		return k, false
	}
	tenant, span, ok := cutLast(rest)
	if !ok {
		return k, false
	}
	n, err := strconv.ParseInt(partition, 10, 32)
	k.window, ok = parseWindow(span)
	k.tenant, k.partition = tenant, int32(n)
	return k, ok && err == nil && k.String() == text
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '|')
	if i < 0 {
		return "", "", false
	}
	return s[:i], s[i+1:], true
}

// budgetWindow is a span of time in which the limits apply, aligned to UTC.
type budgetWindow struct {
	start  time.Time
	length time.Duration
}

func windowAt(now time.Time, length time.Duration) budgetWindow {
	return budgetWindow{now.UTC().Truncate(length), length}
}

// String is the start in RFC 3339 and the length in seconds.
func (w budgetWindow) String() string {
	return w.start.Format(time.RFC3339) + "/" + strconv.FormatInt(int64(w.length/time.Second), 10) + "s"
}

func parseWindow(text string) (w budgetWindow, ok bool) {
	start, length, ok := strings.Cut(text, "/")
	if !ok {
		return w, false
	}
	at, err := time.Parse(time.RFC3339, start)
	if err != nil {
		return w, false
	}
	seconds, err := strconv.ParseInt(strings.TrimSuffix(length, "s"), 10, 64)
	if err != nil || seconds < 1 || seconds > math.MaxInt64/int64(time.Second) {
		return w, false
	}
	return budgetWindow{at.UTC(), time.Duration(seconds) * time.Second}, true
}

// budgetValue is the value of a record: cumulative figures of a tenant in a window on a partition.
type budgetValue struct {
	Version  int   `json:"v"`
	Reserved int64 `json:"reserved"` // tokens that may have been spent
	Spent    int64 `json:"spent"`    // tokens known to be spent when this was written, for reports
}

func (v budgetValue) encode() []byte {
	v.Version = 1
	text, _ := json.Marshal(v) // integers cannot fail
	return text
}

// decodeBudgetValue decodes a value of any version: reserved keeps its meaning.
func decodeBudgetValue(text []byte) (v budgetValue, err error) {
	if err := json.Unmarshal(text, &v); err != nil {
		return v, fmt.Errorf("read budget record: %w", err)
	}
	if v.Version < 1 || v.Reserved < 0 || v.Spent < 0 {
		return v, errors.New("read budget record: no figures")
	}
	return v, nil
}
