package integration

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/linkedin/goavro/v2"
)

// Kind is the kind of an input record.
type Kind string

// The kinds of input. A named interaction has its own id, an unnamed one gets an id from its position. A duplicate
// repeats an earlier interaction, so that it has the same incident id; a reworded one has another answer under the same
// interaction id, so that its incident id differs.
const (
	Named     Kind = "named"
	Unnamed   Kind = "unnamed"
	Duplicate Kind = "duplicate"
	Reworded  Kind = "reworded"
	Poison    Kind = "poison"
	Tombstone Kind = "tombstone"
)

// KindHeader is the header with an input record's kind. The worker ignores it.
const KindHeader = "ledger-kind"

// Input is a record to write to the input topic.
type Input struct {
	Kind  Kind
	Key   string
	Value []byte // nil is a tombstone
}

type interaction struct {
	ID       string        `json:"interaction_id,omitempty"`
	Tenant   string        `json:"tenant,omitempty"` // trusted in runs with several tenants only
	Service  string        `json:"service,omitempty"`
	Tags     []string      `json:"tags,omitempty"`
	Messages []chatMessage `json:"messages,omitempty"`
	Answer   string        `json:"answer"`
	Sources  []string      `json:"sources,omitempty"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Inputs returns n records of mixed kinds, the same for the same seed, in JSON.
func Inputs(n int, seed uint64) ([]Input, error) { return makeInputs(n, seed, nil) }

// MixedInputs returns Inputs of which every second is Avro in Confluent's frame. One of 32 interactions has two faults: a figure,
// and a citation of a source that is not there.
func MixedInputs(n int, seed uint64) ([]Input, error) {
	codec, err := newInteractionCodec()
	if err != nil {
		return nil, err
	}
	return makeInputs(n, seed, codec)
}

func makeInputs(n int, seed uint64, codec *goavro.Codec) ([]Input, error) {
	m := inputMaker{rng: rand.New(rand.NewPCG(seed, 1)), codec: codec}
	out := make([]Input, 0, n)
	for i := range n {
		in, err := m.input(i)
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i, err)
		}
		out = append(out, in)
	}
	return out, nil
}

// inputMaker makes inputs and remembers named interactions for later repeats.
type inputMaker struct {
	rng   *rand.Rand
	codec *goavro.Codec // of MixedInputs; nil for Inputs
	named []interaction
}

func (m *inputMaker) input(i int) (Input, error) {
	in := Input{Kind: drawKind(m.rng), Key: fmt.Sprintf("key-%06d", i)}
	if len(m.named) == 0 && (in.Kind == Duplicate || in.Kind == Reworded) {
		in.Kind = Named
	}
	var err error
	switch in.Kind {
	case Poison:
		in.Value = poisonValue(m.rng, i)
		if m.codec != nil && i%2 == 0 {
			in.Value = append([]byte(avroPrefix), in.Value...)
		}
	case Tombstone:
	default:
		body := m.body(in.Kind, i)
		if m.codec != nil && i%2 == 0 {
			in.Value, err = body.avro(m.codec)
		} else {
			in.Value, err = json.Marshal(body)
		}
	}
	return in, err
}

func (m *inputMaker) body(kind Kind, i int) interaction {
	body := interaction{
		ID:      fmt.Sprintf("answer-%06d", i),
		Answer:  fmt.Sprintf("The bridge over the Dražďanka “%d” was opened in %d 🌉 [1].", i, 1800+m.rng.IntN(200)),
		Sources: []string{fmt.Sprintf("The bridge over the Dražďanka “%d” was opened in 1889.", i)},
	}
	if m.codec != nil && i%64 < 2 { // 0 is Avro, 1 is JSON
		body.Answer = strings.Replace(body.Answer, "[1]", "[7]", 1)
		body.Service = fmt.Sprintf("service-%d", i/64%10)
	}
	switch kind {
	case Unnamed:
		body.ID = ""
	case Duplicate:
		return m.named[m.rng.IntN(len(m.named))]
	case Reworded:
		body.ID = m.named[m.rng.IntN(len(m.named))].ID
	default:
		m.named = append(m.named, body)
	}
	return body
}

func drawKind(rng *rand.Rand) Kind {
	switch p := rng.IntN(100); {
	case p < 8:
		return Unnamed
	case p < 13:
		return Duplicate
	case p < 16:
		return Reworded
	case p < 18:
		return Poison
	case p < 19:
		return Tombstone
	}
	return Named
}

// poisonValue returns a value that no codec accepts, in one of several forms.
func poisonValue(rng *rand.Rand, i int) []byte {
	forms := []string{
		`{"interaction_id":"poison-%d","answer":"cut`,
		`not JSON: %d`,
		`[%d]`,
		`{"interaction_id":"no answer %d"}`,
		`{"answer":%d}`,
		`{"answer":"twice","answer":"%d"}`,
	}
	return fmt.Appendf(nil, forms[rng.IntN(len(forms))], i)
}
