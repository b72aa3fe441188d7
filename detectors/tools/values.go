package tools

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// quoted are the figures of a text.
type quoted struct {
	text string
	list []figures.Figure
}

// values are what the figures of the answer are held against.
type values struct {
	own    []figures.Figure // of the answer, without labels and the like
	said   quoted           // of results and earlier answers
	done   quoted           // of these, the calls of the turn that changed something, with their arguments
	known  []figures.Figure // of results, earlier answers and arguments, and what follows from them
	prose  []figures.Figure // of other messages and sources
	wanted []figures.Figure // of the user's last messages
	sums   string           // of the numbers of results, by member: the end of said
	sizes  []int            // of lists and of what is equal in them
	lines  int              // of the longest result that is a text
	totals []float64        // numbers of results outside of lists
	equal  map[string]int   // how many elements of lists of all calls have this text, in lower case
	roles  map[string]role  // of the names of members
	zones  bool             // times may be of several zones
}

const (
	maxOwn   = 200    // figures of the answer, and of results that are combined to a small number
	maxKnown = 4000   // figures of the texts: among more, none is told to be wrong
	maxSmall = 30     // things that an answer counts
	most     = 2.5    // times that one of two numbers is the other that may be of one thing
	maxDays  = 40     // between dates that may be of one thing
	lineEnd  = "\n\n" // no figure goes beyond it
	inList   = 10     // depth of what is in a list
)

// readValues reads the figures of all texts. A JSON text is read by its leaves: the numbers of a list are no groups of digits.
func (t *turn) readValues() *values {
	if t.values != nil {
		return t.values
	}
	v := &values{equal: map[string]int{}, roles: map[string]role{}, own: slices.DeleteFunc(slices.Clone(t.doc.Texts().Answer.Figures), func(f figures.Figure) bool { return !t.isFact(&f) })}
	if t.values = v; len(v.own) == 0 {
		return v
	}
	var done, given, prose strings.Builder
	said, wanted := t.spoken("assistant"), t.spoken("user")
	t.eachText(func(s string) { prose.WriteString(s + lineEnd) })
	for i := range t.all {
		c := &t.all[i]
		v.writeLeaves(&given, &given, c.args)
		v.readResult(c, said, &given)
		if i >= len(t.all)-len(t.calls) && c.isAct() {
			v.writeLeaves(&done, &given, c.args)
			v.writeLeaves(&done, &given, c.result)
		}
	}
	said.WriteString(v.sums)
	v.said, v.done, v.wanted = t.quote(said), t.quote(&done), t.quote(wanted).list
	v.wanted = v.wanted[max(0, len(v.wanted)-maxSmall):]
	v.known, v.prose = withYears(withYears(nil, t.quote(&given).list), v.said.list), withYears(nil, t.quote(&prose).list)
	isTime := func(f figures.Figure) bool { return f.Kind == figures.Clock || f.Kind == figures.Date }
	v.zones = slices.ContainsFunc(v.own, isTime) && (zoneName.MatchString(said.String()) || zoneName.MatchString(prose.String()))
	v.own = v.own[:min(len(v.own), maxOwn)]
	if n := len(v.known) + len(v.prose) + len(v.sizes); n > maxKnown || !t.doc.Work().Spend(4*len(v.own)*(evidence.DerivationWork(len(v.known))+n+len(v.wanted)*min(len(v.said.list), maxOwn))) {
		v.own = nil
	}
	return v
}

// spoken begins with what the one with that role said before.
func (t *turn) spoken(role string) *strings.Builder {
	var said strings.Builder
	for i := range t.in.Messages {
		if m := &t.in.Messages[i]; strings.EqualFold(m.Role, role) {
			said.WriteString(m.Content + lineEnd)
		}
	}
	return &said
}

// isAct reports a call that changed something.
func (c *call) isAct() bool {
	return !c.looks && c.failed == "" && actName.MatchString(baseName(c.Name))
}

func (t *turn) quote(b *strings.Builder) quoted {
	return quoted{b.String(), figures.Append(nil, b.String(), t.tokens(b.String()))}
}

// withYears appends the figures, and those that may be years as numbers, too.
func withYears(dst, list []figures.Figure) []figures.Figure {
	for _, f := range list {
		if dst = append(dst, f); f.IsYearOnly() {
			f.Kind, f.Value, f.Year = figures.Count, float64(f.Year), 0
			dst = append(dst, f)
		}
	}
	return dst
}

// role is what the name of a member says of its value.
type role struct{ isOwn, isReference, inCents bool }

// role reads each name once: lists repeat theirs.
func (v *values) role(key string) role {
	r, ok := v.roles[key]
	if !ok {
		r = role{ownName.MatchString(key), isReference.MatchString(key), centName.MatchString(key)}
		v.roles[key] = r
	}
	return r
}

// writeLeaves writes the values of a JSON text; references go elsewhere: they are no amounts.
func (v *values) writeLeaves(dst, references *strings.Builder, leaves []leaf) {
	for i := range leaves {
		switch l := &leaves[i]; {
		case l.kind != 0 || v.role(l.key).isOwn:
		case v.role(l.key).isReference:
			references.WriteString(l.text + lineEnd)
		default:
			if n, err := strconv.ParseFloat(l.text, 64); err == nil && v.role(l.key).inCents {
				parts := 100.0
				if strings.HasSuffix(strings.ToLower(l.key), "micros") {
					parts = 1e6
				}
				fmt.Fprintf(dst, "%.2f\n\n", n/parts)
			}
			dst.WriteString(l.text + lineEnd)
		}
	}
}

// readResult reads what a call gave, with the sizes of its lists and the totals of its numbers.
func (v *values) readResult(c *call, said, given *strings.Builder) {
	v.writeLeaves(said, given, c.result)
	said.WriteString(c.Error + lineEnd)
	equal, sums := map[string]int{}, map[string]float64{}
	if len(c.result) == 0 {
		v.lines = max(v.lines, strings.Count(c.Result, "\n"))
		said.WriteString(c.Result + lineEnd)
		for _, w := range strings.FieldsFunc(c.Result, func(r rune) bool { return !unicode.IsLetter(r) }) {
			equal["\n"+strings.ToLower(w)]++
		}
	}
	for i := range c.result {
		if l := &c.result[i]; l.kind == '[' {
			v.sizes = append(v.sizes, l.n)
		} else if l.kind == 0 && !v.role(l.key).isOwn && !v.role(l.key).isReference {
			equal[l.key+"\n"+strings.ToLower(l.text)]++
			v.addNumber(l, sums)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(sums)) {
		v.sums += strconv.FormatFloat(sums[key], 'f', -1, 64) + lineEnd
	}
	v.addEqual(equal)
}

// addNumber adds a number of a result to those of its key.
func (v *values) addNumber(l *leaf, sums map[string]float64) {
	if n, err := strconv.ParseFloat(l.text, 64); err == nil && !l.quoted {
		sums[l.key] += n
		if l.depth < inList && len(v.totals) < maxOwn {
			v.totals = append(v.totals, n)
		}
	}
}

// addEqual adds how many elements of a list have the same text, also over several calls: they may be for pages of one list.
func (v *values) addEqual(equal map[string]int) {
	most := map[string]int{}
	for key, n := range equal {
		_, word, _ := strings.Cut(key, "\n")
		most[word] = max(most[word], n)
		v.sizes = append(v.sizes, n)
	}
	for word, n := range most {
		v.equal[word] += n
		v.sizes = append(v.sizes, v.equal[word])
	}
	slices.Sort(v.sizes) // of two that are equally near the first is told
	v.sizes = slices.Compact(v.sizes)
}

// isFact reports a figure that a result may have: no label, no day of a week, no zero or one, no number of times, nothing within code.
func (t *turn) isFact(f *figures.Figure) bool {
	switch {
	case t.doc.Prose()[f.Start] == ' ', f.Start > 0 && strings.IndexByte("-_#", t.answer[f.Start-1]) >= 0, listMark.MatchString(t.answer[strings.LastIndexByte(t.answer[:f.Start], '\n')+1 : min(int(f.End)+2, len(t.answer))]):
		return false
	case f.Kind == figures.Date:
		return f.Month != 0 && f.Day != 0
	case f.Kind == figures.Clock:
		return !f.Spelled && !hasAny(t.doc.Tokens()[f.Last:min(int(f.Last)+1, len(t.doc.Tokens()))], "span") // no "19 h 30 min"
	case f.Kind > figures.Money, f.Value <= 1, f.Kind == figures.Money && f.Unit.Factor < 1:
		return false
	}
	const hour = 3600 // "à 19 heures" is a time of day
	return (f.Unit.Dimension != figures.Duration || f.Unit.Factor != hour) && (!isSmall(f) || !hasAny(t.doc.Tokens()[f.Last:min(int(f.Last)+3, len(t.doc.Tokens()))], "span"))
}

// checkValues accuses figures that nothing has and that follow from nothing, where a result or an earlier answer has another one of
// the kind that the answer lacks. A result that was not read may have them.
func checkValues(t *turn) {
	if slices.ContainsFunc(t.calls, func(c call) bool { return c.Result+c.Error == "" }) {
		return
	}
	v := t.readValues()
	unknown := slices.Clone(v.own)
	for range 2 { // what follows from an answer's own figures may stand before them
		unknown = slices.DeleteFunc(unknown, func(f figures.Figure) bool {
			is := f.Spelled || v.has(&f) || v.derives(&f) || v.isRest(&f) || len(t.rivals(&f, &v.said, v.sizes)) == 0
			if is && (!isSmall(&f) || f.Counts) {
				v.known = append(v.known, f)
			}
			return is
		})
	}
	t.accuseFigures(slices.DeleteFunc(unknown, func(f figures.Figure) bool { return f.Decimals == 0 && t.isName(&f) }), &v.said, v.sizes)
}

// accuseFigures accuses those that have a rival in the text.
func (t *turn) accuseFigures(list []figures.Figure, in *quoted, sizes []int) {
	x := t.doc.Index()
	for _, f := range list {
		if list := t.rivals(&f, in, sizes); len(list) > 0 && t.doc.Work().Spend(len(x.Evidence.Figures)*len(x.Evidence.Figures)/8) && !x.IsStep(&f, x.Evidence.Terms) {
			t.accuseWords(int(f.Start), int(f.End), t.answer[f.Start:f.End], cmp.Or(t.sole(list, ""), t.sole(list, t.answer)))
		}
	}
}

// checkDone accuses an amount, a share or a time of something else than what was done, where the calls that did it have another one.
func checkDone(t *turn) {
	v := t.readValues()
	done := &values{known: v.done.list}
	t.accuseFigures(slices.DeleteFunc(slices.Clone(v.own), func(f figures.Figure) bool {
		return f.Kind == figures.Count || f.Kind == figures.Date || done.has(&f) || done.derives(&f)
	}), &v.done, nil)
}

// isSmall reports a number of things.
func isSmall(f *figures.Figure) bool {
	return f.IsBare() && f.Decimals == 0 && f.Value <= maxSmall
}

// has reports a figure that a text has, or that counts what a result lists.
func (v *values) has(f *figures.Figure) bool {
	bare := *f
	if f.Kind == figures.Count {
		bare.Unit = figures.Unit{}
	}
	isSame := func(g figures.Figure) bool {
		if g.IsBare() {
			return figurematch.Compare(&bare, &g) > figurematch.NoMatch || f.Kind <= figures.Money && g.Decimals > f.Decimals && math.Abs(g.Value-f.Value) <= math.Pow10(-int(f.Decimals))/2
		}
		return figurematch.Compare(f, &g) > figurematch.NoMatch || v.isPart(f, &g)
	}
	return slices.ContainsFunc(v.known, isSame) || slices.ContainsFunc(v.prose, isSame) || f.Kind == figures.Count && slices.ContainsFunc(v.sizes, func(n int) bool { return float64(n) == f.Value })
}

// isName reports a number that names something: behind a noun where a code has it, "room 4" of CR4, or of several that are known
// together, such as those of a telephone number or a time.
func (t *turn) isName(f *figures.Figure) bool {
	number := func(s string) string { return strings.TrimLeft(only(s, unicode.IsDigit), "0") }
	tokens, first, last, own := t.doc.Tokens(), int(f.First), int(f.Last), number(t.answer[f.Start:f.End])
	isNumber := func(i int) bool { return tokens[i].Kind == text.Number || hasAny(tokens[i:i+1], "numbering") }
	for first > 0 && isNumber(first-1) { // "rooms 3 and 4", "room no. 4"
		first--
	}
	for last < len(tokens) && isNumber(last) {
		last++
	}
	all := number(t.answer[tokens[first].Start:tokens[last-1].End])
	t.readCodes(number)
	isOfCode := first > 0 && t.doc.MatchMode().IsContent(&tokens[first-1]) && t.codes[own]
	return (f.IsBare() || f.Kind == figures.Clock) && (isOfCode || len(all) > max(len(own), 2) && strings.Contains(t.squeezed, all))
}

// readCodes reads the numbers of the codes that are known, once a turn.
func (t *turn) readCodes(number func(string) string) {
	if t.codes != nil {
		return
	}
	t.doc.Work().Spend(2 * len(t.known) * workOfByte)
	t.codes, t.squeezed = map[string]bool{}, only(t.known, isIDRune)
	for _, run := range digitRuns.FindAllString(strings.Join(codePart.FindAllString(t.known, -1), " "), -1) {
		t.codes[number(run)] = true
	}
}

// isPart reports the day of a date, the hour of a time, or the time in another zone.
func (v *values) isPart(f, g *figures.Figure) bool {
	const half = 30
	switch {
	case f.Kind == figures.Count && g.Kind == figures.Date:
		return float64(g.Day) == f.Value
	case f.Kind == figures.Count && g.Kind == figures.Clock:
		return math.Mod(g.Value, 24*half) == math.Mod(2*half*f.Value, 24*half)
	}
	switch {
	case !v.zones || f.Kind != g.Kind:
	case f.Kind == figures.Clock:
		return math.Mod(math.Abs(f.Value-g.Value), half) == 0
	case f.Kind == figures.Date && g.Day != 0:
		a, _ := evidence.DayOf(f, g)
		b, _ := evidence.DayOf(g, f)
		return math.Abs(a.Sub(b).Hours()) <= 24
	}
	return false
}

// derives reports a figure that follows from those that are known and from amounts in messages, or of which it cannot be told.
func (v *values) derives(f *figures.Figure) bool {
	if isSmall(f) {
		return v.isSmallSum(f.Value)
	}
	from := operands(operands(nil, f, v.known, 0), f, v.prose, maxSmall)
	g := *f
	switch {
	case len(from) > evidence.MaxOperands:
		return true
	case f.Alternative != 0 && f.Decimals == 3: // 1.200
		g.Value, g.Decimals = f.Alternative, 0
	case f.Kind == figures.Clock: // 2 h 45 between two of them
		g.Kind, g.Unit = figures.Count, figures.Unit{Dimension: figures.Duration, Factor: 60}
		clocks := slices.DeleteFunc(slices.Clone(from), func(o figures.Figure) bool { return o.Kind != figures.Clock })
		return evidence.Derivable(&g, clocks) || evidence.Derivable(f, from)
	case f.Kind == figures.Percent && f.Decimals == 0:
		g.Sense = figures.About
	}
	return evidence.Derivable(&g, from) || evidence.Derivable(f, from) || isTwice(f, from) || evidence.Derivable(f, v.stated(f))
}

// stated are the other figures of the answer beside an amount that are known or small: "£61.00: £48.00 for the first 5 lines plus
// 2 × £6.50".
func (v *values) stated(f *figures.Figure) []figures.Figure {
	if f.Kind != figures.Money {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.own), func(g figures.Figure) bool {
		return figurematch.Compare(f, &g) > figurematch.NoMatch || !isSmall(&g) && !v.has(&g)
	})
}

// isTwice reports a number twice or half as large as another one.
func isTwice(f *figures.Figure, from []figures.Figure) bool {
	return slices.ContainsFunc(from, func(o figures.Figure) bool {
		return o.Kind <= figures.Money && max(o.Value, f.Value) == 2*min(o.Value, f.Value)
	})
}

// isPages reports how many pages of so many a total fills.
func (v *values) isPages(n float64) bool {
	for i, a := range v.totals {
		if slices.ContainsFunc(v.totals[:i], func(b float64) bool { return math.Ceil(max(a, b)/min(a, b)) == n }) {
			return true
		}
	}
	return false
}

// isSmallSum reports the sum or difference of two numbers that results have, or a part of a list.
func (v *values) isSmallSum(n float64) bool {
	list := v.said.list
	if len(list) > maxOwn || n <= float64(v.lines) || v.isPages(n) || slices.ContainsFunc(v.sizes, func(size int) bool { return size > 1 && float64(size) >= n }) {
		return true
	}
	for i := range list {
		for j := range i {
			a, b := list[i].Value, list[j].Value
			if list[i].Kind == figures.Count && list[j].Kind == figures.Count && (a+b == n || math.Abs(a-b) == n) {
				return true
			}
		}
	}
	return false
}

// isRest reports the difference of a number of the user and one that results have.
func (v *values) isRest(f *figures.Figure) bool {
	return f.IsBare() && slices.ContainsFunc(v.wanted, func(a figures.Figure) bool {
		return a.Kind == figures.Count && slices.ContainsFunc(v.said.list[:min(len(v.said.list), maxOwn)], func(b figures.Figure) bool {
			return b.Kind == figures.Count && int(b.Start) < len(v.said.text)-len(v.sums) && math.Abs(a.Value-b.Value) == f.Value
		})
	})
}

// operands appends the different figures that the figure may follow from, up to one more than are combined: a date or time of day
// from others and durations. Bare numbers up to least are left out.
func operands(dst []figures.Figure, f *figures.Figure, list []figures.Figure, least float64) []figures.Figure {
	for _, g := range list {
		isNone := g.IsBare() && g.Value <= least || g.Value == 0 && g.Kind <= figures.Money || f.Kind > figures.Money && g.Kind != f.Kind && !isSpan(&g)
		if g.Start, g.End, g.First, g.Last, g.Counts = 0, 0, 0, 0, false; !isNone && len(dst) <= evidence.MaxOperands && !slices.Contains(dst, g) {
			dst = append(dst, g)
		}
	}
	return dst
}

// isSpan reports a duration, or a number that may be one of days or minutes.
func isSpan(g *figures.Figure) bool {
	const fewest = 5
	return g.Unit.Dimension == figures.Duration || g.Unit.Dimension == figures.Calendar || g.Kind == figures.Count && g.Value >= fewest
}

// rivals are the figures of the kind near to it that the text has and the answer lacks, and the sizes of lists.
func (t *turn) rivals(f *figures.Figure, in *quoted, sizes []int) (list []string) {
	for _, g := range in.list {
		if !math.IsInf(distance(f, &g), 1) && !slices.ContainsFunc(t.doc.Texts().Answer.Figures, func(o figures.Figure) bool {
			return o.Start != f.Start && figurematch.Compare(&o, &g) > figurematch.SameValue
		}) {
			list = append(list, in.text[g.Start:g.End])
		}
	}
	for _, n := range sizes {
		if isSmall(f) && n > 1 && !math.IsInf(distance(f, &figures.Figure{Value: float64(n)}), 1) {
			list = append(list, strconv.Itoa(n))
		}
	}
	return list
}

// sole is the only rival that the calls of the turn gave or, with a text, members of one call of which the text has a word; "" for
// none and for several.
func (t *turn) sole(rivals []string, of string) string {
	t.doc.Work().Spend(len(rivals) * len(t.known) / bytesSearched)
	rivals = slices.DeleteFunc(slices.Sorted(slices.Values(rivals)), func(r string) bool {
		return !slices.ContainsFunc(t.calls, func(c call) bool {
			return slices.ContainsFunc(append(c.result, leaf{text: c.Result, quoted: len(c.result) == 0}), func(l leaf) bool {
				isNamed := of == "" || len(t.calls) == 1 && contains(of, strings.Fields(strings.ToLower(strings.Join(nameWord.FindAllString(l.key, -1), " "))))
				isPart := plainValue.MatchString(l.text) || len(c.result) == 0 && strings.Trim(r, "0123456789") != "" // no part of a code or name
				return isNamed && (l.text == r || l.quoted && isPart && strings.Contains(l.text, r) || l.kind == '[' && strconv.Itoa(l.n) == r)
			})
		})
	})
	if rivals = slices.Compact(rivals); len(rivals) != 1 {
		return ""
	}
	return rivals[0]
}

// distance is how far two figures are apart that may be of one thing; infinite for others.
func distance(f, g *figures.Figure) float64 {
	switch {
	case f.Kind <= figures.Money && (g.IsBare() || g.Kind == f.Kind && g.Unit.Dimension == f.Unit.Dimension):
		far := math.Abs(math.Log(f.Value / math.Abs(g.Value)))
		if f.Kind == figures.Money || f.Kind == figures.Percent { // in cents, or of one
			far = min(far, math.Abs(math.Log(100*f.Value/math.Abs(g.Value))), math.Abs(math.Log(f.Value/100/math.Abs(g.Value))))
		}
		if far < math.Log(most) {
			return far
		}
	case f.Kind != g.Kind:
	case f.Kind == figures.Clock:
		return math.Abs(f.Value - g.Value)
	case g.Day != 0:
		a, _ := evidence.DayOf(f, g)
		b, _ := evidence.DayOf(g, f)
		if days := math.Abs(a.Sub(b).Hours() / 24); days < maxDays {
			return days
		}
	}
	return math.Inf(1)
}
