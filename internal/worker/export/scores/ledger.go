package scores

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
)

// maxLedger is the number of scores that are remembered. A batch with more is written anew when it is repeated.
const maxLedger = 65_536

// ledger remembers what became of single scores while their batch is repeated. Without it a batch with more scores than a
// rate limit allows would begin anew with every attempt, and never end.
type ledger struct {
	outcomes *lru.Cache[[sha256.Size]byte, error]
}

func newLedger() *ledger {
	outcomes, _ := lru.New[[sha256.Size]byte, error](maxLedger) // fails for sizes below 1 only
	return &ledger{outcomes}
}

// outcomeOf reports whether it is known what became of a score, and returns its refusal: nil if it was written.
func (l *ledger) outcomeOf(s *score) (known bool, refusal error) {
	refusal, known = l.outcomes.Get(digestOf(s))
	return known, refusal
}

func (l *ledger) record(batch []score, refusal error) {
	for i := range batch {
		l.outcomes.Add(digestOf(&batch[i]), refusal)
	}
}

// forget ends the memory of a batch that is done: a later flag with equal scores replaces what others may have written.
func (l *ledger) forget(kinds [2][]score) {
	for _, all := range kinds {
		for i := range all {
			l.outcomes.Remove(digestOf(&all[i]))
		}
	}
}

// digestOf identifies a score with all that is written of it.
func digestOf(s *score) [sha256.Size]byte {
	meta, err := json.Marshal(s.metadata) //nolint:gosec // the pass is that of the evaluation
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q %x %t %s %v", s.owner, s.at.trace, s.at.span, s.name, s.label, s.explanation,
		s.value, s.yesNo, meta, err))
}
