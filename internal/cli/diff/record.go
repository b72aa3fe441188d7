package diff

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"

	"confab/schemas"
)

// flagRecord holds the compared properties of a flag.
type flagRecord struct {
	line           int // of the input, counted from 1
	interaction    string
	pass           string
	alert          bool
	recommendation string
	risk           *float64
	fired          []string     // sorted
	signals        []flagSignal // sorted by detector
}

type flagSignal struct {
	detector, outcome string
	score, threshold  float64
	spans             []flagSpan
	texts             uint64 // hash of reason, notes, excerpts and citations; 0 where texts are not compared
}

type flagSpan struct {
	start, end, sourceStart, sourceEnd int
	source                             string
}

func newRecord(f *schemas.Flag, line int, texts bool) *flagRecord {
	r := &flagRecord{
		line: line, interaction: f.InteractionID, pass: string(f.Pass),
		alert: f.Alert, recommendation: string(f.Recommendation), risk: f.Risk, fired: slices.Sorted(slices.Values(f.Fired)),
	}
	for i := range f.Signals {
		s := &f.Signals[i]
		sig := flagSignal{detector: s.Detector, outcome: string(s.Outcome), score: s.Score, threshold: s.Threshold}
		for _, e := range s.Evidence {
			sig.spans = append(sig.spans, flagSpan{e.Start, e.End, e.SourceStart, e.SourceEnd, e.SourceID})
		}
		if texts {
			sig.texts = hashTexts(s)
		}
		r.signals = append(r.signals, sig)
	}
	slices.SortStableFunc(r.signals, func(a, b flagSignal) int { return cmp.Compare(a.detector, b.detector) })
	return r
}

// hashTexts hashes all texts of a signal.
func hashTexts(s *schemas.Signal) uint64 {
	h := fnv.New64a()
	write := func(text string) {
		h.Write(binary.AppendUvarint(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	write(s.Reason)
	for _, e := range s.Evidence {
		write(e.Note)
		write(e.Excerpt)
		write(e.Citation)
	}
	return h.Sum64()
}

// recordPacker packs records into strings: about 100 bytes for a flag of 2,000. Names are stored once.
type recordPacker struct {
	numbers map[string]uint64
	names   []string
	buf     []byte
}

func newPacker() *recordPacker { return &recordPacker{numbers: map[string]uint64{}} }

// pack returns the record as a string that is never empty.
func (p *recordPacker) pack(r *flagRecord) string {
	p.buf = p.buf[:0]
	p.putInt(r.line)
	p.putText(r.interaction)
	p.putName(r.pass)
	p.putBool(r.alert)
	p.putName(r.recommendation)
	p.putBool(r.risk != nil)
	if r.risk != nil {
		p.putFloat(*r.risk)
	}
	p.putInt(len(r.fired))
	for _, name := range r.fired {
		p.putName(name)
	}
	p.putInt(len(r.signals))
	for i := range r.signals {
		p.putSignal(&r.signals[i])
	}
	return string(p.buf)
}

func (p *recordPacker) putSignal(s *flagSignal) {
	p.putName(s.detector)
	p.putName(s.outcome)
	p.putFloat(s.score)
	p.putFloat(s.threshold)
	p.putInt(len(s.spans))
	for _, e := range s.spans {
		p.putInt(e.start)
		p.putInt(e.end)
		p.putInt(e.sourceStart)
		p.putInt(e.sourceEnd)
		p.putText(e.source)
	}
	p.buf = binary.AppendUvarint(p.buf, s.texts)
}

func (p *recordPacker) putInt(n int) { p.buf = binary.AppendVarint(p.buf, int64(n)) }

func (p *recordPacker) putBool(yes bool) {
	if yes {
		p.buf = append(p.buf, 1)
		return
	}
	p.buf = append(p.buf, 0)
}

// putFloat writes one byte for 0, the most frequent score, and nine for others.
func (p *recordPacker) putFloat(x float64) {
	p.putBool(x != 0)
	if x != 0 {
		p.buf = binary.LittleEndian.AppendUint64(p.buf, math.Float64bits(x))
	}
}

func (p *recordPacker) putText(text string) {
	p.putInt(len(text))
	p.buf = append(p.buf, text...)
}

func (p *recordPacker) putName(name string) {
	n, known := p.numbers[name]
	if !known {
		n = uint64(len(p.names))
		p.numbers[name] = n
		p.names = append(p.names, name)
	}
	p.buf = binary.AppendUvarint(p.buf, n)
}

// unpack is the inverse of pack.
func (p *recordPacker) unpack(packed string) *flagRecord {
	u := &recordUnpacker{names: p.names, rest: []byte(packed)}
	r := &flagRecord{line: u.getInt(), interaction: u.getText(), pass: u.getName(), alert: u.getBool(), recommendation: u.getName()}
	if u.getBool() {
		risk := u.getFloat()
		r.risk = &risk
	}
	for range u.getInt() {
		r.fired = append(r.fired, u.getName())
	}
	for range u.getInt() {
		r.signals = append(r.signals, u.getSignal())
	}
	return r
}

// recordUnpacker decodes packed records. It trusts its input.
type recordUnpacker struct {
	names []string
	rest  []byte
}

func (u *recordUnpacker) getSignal() flagSignal {
	s := flagSignal{detector: u.getName(), outcome: u.getName(), score: u.getFloat(), threshold: u.getFloat()}
	for range u.getInt() {
		s.spans = append(s.spans, flagSpan{u.getInt(), u.getInt(), u.getInt(), u.getInt(), u.getText()})
	}
	s.texts = u.getUint()
	return s
}

func (u *recordUnpacker) getInt() int {
	n, size := binary.Varint(u.rest)
	u.rest = u.rest[size:]
	return int(n)
}

func (u *recordUnpacker) getUint() uint64 {
	n, size := binary.Uvarint(u.rest)
	u.rest = u.rest[size:]
	return n
}

func (u *recordUnpacker) getBool() bool {
	yes := u.rest[0] == 1
	u.rest = u.rest[1:]
	return yes
}

func (u *recordUnpacker) getFloat() float64 {
	if !u.getBool() {
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(u.rest))
	u.rest = u.rest[8:]
	return x
}

func (u *recordUnpacker) getText() string {
	n := u.getInt()
	text := string(u.rest[:n])
	u.rest = u.rest[n:]
	return text
}

func (u *recordUnpacker) getName() string { return u.names[u.getUint()] }
