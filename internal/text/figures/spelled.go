package figures

// spelled reads a figure that starts with a word, and returns the next token.
func (p *scanner) spelled(i int, w numberWord) int {
	switch w.Class {
	case NoClass: // a false positive of the filter
	case Month:
		return p.monthFirst(i, w)
	case Weekday:
		if !isUpper(p.word(i)) && !w.Foreign {
			return i + 1
		}
		return p.emit(Figure{Kind: Date, Weekday: int8(w.Value), Spelled: true}, i, i+1)
	case WeekdayShort:
		if !isUpper(p.word(i)) || !p.startsHours(i) && !p.endsWeekdays(i) {
			return i + 1
		}
		return p.emit(Figure{Kind: Date, Weekday: int8(w.Value), Spelled: true}, i, i+1)
	case ClockWord:
		return p.emit(Figure{Kind: Clock, Value: w.Value, Spelled: true}, i, i+1)
	case OrdinalWord:
		if next, ok := p.period(i, w.Value); ok {
			return next
		}
		if p.gap(i) == "-" || p.hash(i-1) == hashOne || p.hash(i-1) == hashA {
			return i + 1 // a third
		}
		return p.emit(Figure{Kind: Ordinal, Value: w.Value, Spelled: true}, i, i+1)
	case Rank, Quarter, HalfYear, Roman:
		return p.namedPeriod(i, w)
	case MonthOnly, One: // read after other words only
	case Half, Scale, Hundred, Dozen:
		if w.Class == Hundred && w.Foreign {
			return p.cardinal(i)
		}
		return p.article(i, w)
	case Small, Tens, Thousand:
		return p.cardinal(i)
	}
	return i + 1
}

// find is what the word says. "sept" is seven before a unit and in "vingt-sept", else September.
func (p *scanner) find(i int) numberWord {
	if p.hash(i) == hashSept && (p.gap(i) == " " && units[p.hash(i+1)].Dimension != None || p.gap(i-1) == "-" && numberWords.Find(p.hash(i-1)).Foreign) {
		return numberWord{Class: Small, Value: 7, Foreign: true}
	}
	return numberWords.Find(p.hash(i))
}

// startsHours reports a short weekday before another one, a number or a month: "Mon–Sat", "Sa 10–14 Uhr", "Tue, May 21".
func (p *scanner) startsHours(i int) bool {
	if i+1 >= len(p.tokens) {
		return false
	}
	next := p.tokens[i+1]
	if IsRangeGap(p.gap(i)) || p.gap(i) == ", " {
		class := numberWords.Find(next.Hash).Class
		return (class == WeekdayShort || class == Month || class == MonthOnly) && isUpper(p.word(i+1))
	}
	return (p.gap(i) == " " || p.gap(i) == ": " || p.gap(i) == "., ") && isDigit(p.s[next.Start])
}

// endsWeekdays reports the end of a range of short weekdays.
func (p *scanner) endsWeekdays(i int) bool {
	f := p.previous()
	return f != nil && f.Weekday != 0 && int(f.Last) == i && (IsRangeGap(p.gap(i-1)) || p.gap(i-1) == ", ")
}

// article reads "a dozen", "a hundred", "half a million". Scale words without a number ("millions of") are not figures.
func (p *scanner) article(i int, w numberWord) int {
	f := Figure{Value: w.Value, Spelled: true}
	last := i + 1
	if w.Class == Half {
		if next, ok := p.partOfUnit(f, i); ok {
			return next
		}
		if p.hash(last) != hashA || w.Value != 0.5 {
			return i + 1
		}
		scaled := p.scales(&f, last+1)
		if scaled == last+1 {
			return i + 1
		}
		return p.emitSpelled(f, i, scaled)
	}
	if p.hash(i-1) != hashA {
		return i + 1
	}
	last = p.scales(&f, last)
	return p.emitSpelled(f, i, last)
}

// partOfUnit reads "half an hour", "half a second" and "a quarter of an hour" at token i.
func (p *scanner) partOfUnit(f Figure, i int) (next int, ok bool) {
	at := i + 1
	if p.hash(at) == hashOf {
		at++
	}
	if h := p.hash(at); h != hashA && h != hashAn {
		return 0, false
	}
	u := units[p.hash(at+1)]
	if u.Dimension != Duration && u.Dimension != Length && u.Dimension != Mass && u.Dimension != Volume || p.gap(at) != " " {
		return 0, false
	}
	f.Unit, f.Decimals = u, 2
	f.Sense = p.sense(i)
	return p.emit(f, i, at+2), true
}

// cardinal reads "twenty-five", "twelve hundred", "one hundred and five thousand", "three and a half", "treinta y cinco".
func (p *scanner) cardinal(i int) int {
	var n wordNumber
	last := i
	for last < len(p.tokens) && (last == i || isWordGap(p.gap(last-1))) {
		at := last
		if last > i && n.joins(p.hash(at)) {
			at++
		}
		if at >= len(p.tokens) || !n.add(p.find(at), at > last) {
			break
		}
		last = at + 1
	}
	f := Figure{Spelled: true, Value: n.total + n.group, Scaled: n.scaled}
	f.Decimals = n.decimals()
	if p.hash(last) == hashAnd && p.hash(last+1) == hashA && numberWords.Find(p.hash(last+2)).Class == Half {
		f.Value += 0.5
		f.Decimals = 1
		last = p.scales(&f, last+3)
	}
	if last == i+1 && p.tokens[i].Hash == hashOne && units[p.hash(last)].Dimension == None {
		return last // mostly a pronoun
	}
	if next, ok := p.spelledClock(f.Value, i, max(last, i+1)); ok {
		return next
	}
	return p.emitSpelled(f, i, max(last, i+1))
}

// wordNumber is a number in words, word by word.
type wordNumber struct {
	total, group    float64
	least           float64 // the next word must be below, 0 for nothing: twenty, then one to nine
	words           int
	foreign, scaled bool
}

// maxTens bounds what may follow 60 and 80 in French.
const maxTens = 20

// isTen reports "dix", which 7, 8 and 9 may follow in French, also in "soixante-dix" and "quatre-vingt-dix".
func (n *wordNumber) isTen() bool {
	return n.foreign && (n.words == 1 && n.group == 10 || n.words > 1 && (n.group == 70 || n.group == 90))
}

// joins reports "and" between the words read so far and the next.
func (n *wordNumber) joins(h uint64) bool {
	return h == hashAnd && n.group >= 100 || (h == hashY || h == hashEt) && n.foreign && n.least > 0 && n.least <= maxTens
}

// decimals is 1 for "zweieinhalb".
func (n *wordNumber) decimals() int8 {
	if n.total+n.group != float64(int64(n.total+n.group)) {
		return 1
	}
	return 0
}

// add reads the next word and reports whether it continues the number.
func (n *wordNumber) add(w numberWord, joined bool) bool {
	free := n.words == 0 || n.least > maxTens
	switch {
	case w.Class == Small && (free || w.Value < n.least || n.isTen() && w.Value > 6 && w.Value < 10):
		n.group, n.least = n.group+w.Value, 0
	case joined && n.least > 0 && w.Class == One:
		n.group, n.least = n.group+1, 0
	case w.Class == Tens && w.Foreign && w.Value == 20 && n.words == 1 && n.group == 4: // quatre-vingt
		n.group, n.least = 80, maxTens
	case w.Class == Tens && free:
		n.group, n.least = n.group+w.Value, 10
		if w.Foreign && w.Value == 60 {
			n.least = maxTens // soixante-dix
		}
	case w.Class == Hundred && w.Foreign && free:
		n.group, n.least = n.group+w.Value, 100
	case w.Class == Hundred && !w.Foreign && n.group > 0 && n.group < 100:
		n.group, n.least = n.group*100, 100
	case (w.Class == Scale || w.Class == Dozen) && n.group > 0, w.Class == Thousand && n.total == 0:
		if n.group == 0 {
			n.group = 1
		}
		n.total, n.group, n.least = n.total+n.group*w.Value, 0, 100
		n.scaled = true
	default:
		return false
	}
	n.words++
	n.foreign = n.foreign || w.Foreign
	return true
}

// emitSpelled adds label or measure to a spelled number and emits it.
func (p *scanner) emitSpelled(f Figure, first, last int) int {
	if p.isLabel(first, last) {
		f.Kind = Label
		return p.emit(f, first, last)
	}
	last = p.measure(&f, first, last)
	if p.isNumbered(&f, first) {
		f.Kind = Label
	}
	return p.emit(f, first, last)
}
