package integration

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// FaultKind is a kind of fault.
type FaultKind string

// The faults of both kinds of broker, then those of real brokers only.
const (
	Kill        FaultKind = "SIGKILL of a worker"                          // at any time
	KillRefused FaultKind = "SIGKILL of a worker while writes are refused" // with unacknowledged work in flight
	Zombie      FaultKind = "SIGSTOP of a worker past its session"
	Denied      FaultKind = "writes denied"
	KillBroker  FaultKind = "SIGKILL of a broker"
	CutBroker   FaultKind = "broker cut off for 10 s"
	PauseBroker FaultKind = "broker paused for 8 s"
	FullDisk    FaultKind = "disk of a broker full"
	MoveLeader  FaultKind = "leader moved"
	CutLink     FaultKind = "broker cut off from the workers for 8 s"
	MuteLink    FaultKind = "broker without answers for 8 s"
	SlowLink    FaultKind = "slow network to a broker for 8 s"
	SliceLink   FaultKind = "answers of a broker in pieces for 8 s"
)

// Fault is one entry of a schedule.
type Fault struct {
	Kind FaultKind
	At   int // due when this many records are written
	Slot int // the affected worker or broker
}

// FaultCount is how often a kind of fault happens.
type FaultCount struct {
	Kind  FaultKind
	Count int
	Slots int // number of possible targets: random, or in turn with Each
	Each  bool
}

// Schedule spreads faults over the first nine tenths of n records. Order, time and target depend on the seed.
func Schedule(n int, seed uint64, harm []FaultCount) []Fault {
	rng := rand.New(rand.NewPCG(seed, 2))
	var list []Fault
	for _, h := range harm {
		for i := range h.Count {
			slot := rng.IntN(h.Slots)
			if h.Each {
				slot = i % h.Slots
			}
			list = append(list, Fault{Kind: h.Kind, Slot: slot})
		}
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for i := range list {
		from, step := n/20, n*17/20/len(list)
		list[i].At = from + i*step + rng.IntN(step/2+1)
	}
	return list
}

// Report is the result of a run as it is quoted.
type Report struct {
	Events, Poison, Windows int
	Faults                  []FaultCount
	UnderLoad               int // faults during the load
	Seed                    uint64
	Result                  *AuditResult
	Delivery                string
	Hop, Tier, Versions     string
	Commit                  string
}

// Invalid says why the run proves nothing; "" when it is valid.
func (r *Report) Invalid() string {
	planned := r.planned()
	if r.UnderLoad*10 < planned*9 {
		return fmt.Sprintf("only %d of %d faults hit while records were being written", r.UnderLoad, planned)
	}
	return ""
}

func (r *Report) planned() int { return countFaults(r.Faults) }

func countFaults(list []FaultCount) (n int) {
	for _, f := range list {
		n += f.Count
	}
	return n
}

// String returns the report line.
func (r *Report) String() string {
	var kinds []string
	for _, h := range r.Faults {
		if h.Count > 0 {
			kinds = append(kinds, fmt.Sprintf("%d × %s", h.Count, h.Kind))
		}
	}
	return fmt.Sprintf("%d events, %d faults (%s; %d under load), %d poison, %d fault windows, seed %d; %s; %s; %s; %s; %s; commit %s",
		r.Events, r.planned(), strings.Join(kinds, ", "), r.UnderLoad, r.Poison, r.Windows, r.Seed, r.Result, r.Delivery, r.Hop, r.Tier, r.Versions, r.Commit)
}
