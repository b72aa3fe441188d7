package figures

// spelled reads a figure that starts with a word, and returns the next token.
func (p *scanner) spelled(i int, w numberWord) int {
	switch w.class {
	case noClass: // a false positive of the filter
	case month:
		return p.monthFirst(i, w)
	case weekday:
		if !isUpper(p.word(i)) {
			return i + 1
		}
		return p.emit(Figure{Kind: Date, Weekday: int8(w.value), Spelled: true}, i, i+1)
	case clockWord:
		return p.emit(Figure{Kind: Clock, Value: w.value, Spelled: true}, i, i+1)
	case ordinal:
		if next, ok := p.period(i, w.value); ok {
			return next
		}
		if p.gap(i) == "-" || p.hash(i-1) == hashOne || p.hash(i-1) == hashA {
			return i + 1 // a third
		}
		return p.emit(Figure{Kind: Ordinal, Value: w.value, Spelled: true}, i, i+1)
	case rank, quarter, halfYear, roman:
		return p.namedPeriod(i, w)
	case monthOnly: // read after a day only
	case half, scale, hundred, dozen:
		return p.article(i, w)
	case small, tens:
		return p.cardinal(i)
	}
	return i + 1
}

// article reads "a dozen", "a hundred", "half a million". Scale words without a number ("millions of") are not figures.
func (p *scanner) article(i int, w numberWord) int {
	f := Figure{Value: w.value, Spelled: true}
	last := i + 1
	if w.class == half {
		if p.hash(last) != hashA {
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

// cardinal reads "twenty-five", "twelve hundred", "one hundred and five thousand", "three and a half".
func (p *scanner) cardinal(i int) int {
	f := Figure{Spelled: true}
	total, group, last := 0.0, 0.0, i
	open := 3 // which classes may follow: 0 none, 1 one to nine, 3 all
	for last < len(p.tokens) && (last == i || isWordGap(p.gap(last-1))) {
		at := last
		if last > i && p.hash(at) == hashAnd && group >= 100 {
			at++
		}
		if at >= len(p.tokens) {
			break
		}
		w := numberWords.find(p.hash(at))
		switch {
		case w.class == small && open > 1 || w.class == small && open == 1 && w.value < 10:
			group, open = group+w.value, 0
		case w.class == tens && open > 1:
			group, open = group+w.value, 1
		case w.class == hundred && group > 0 && group < 100:
			group, open = group*100, 3
		case (w.class == scale || w.class == dozen) && group > 0:
			total, group, open = total+group*w.value, 0, 3
			f.Scaled = true
		default:
			at = -1
		}
		if at < 0 {
			break
		}
		last = at + 1
	}
	f.Value = total + group
	if p.hash(last) == hashAnd && p.hash(last+1) == hashA && numberWords.find(p.hash(last+2)).class == half {
		f.Value += 0.5
		f.Decimals = 1
		last = p.scales(&f, last+3)
	}
	if last == i+1 && p.tokens[i].Hash == hashOne && units[p.hash(last)].Dimension == None {
		return last // mostly a pronoun
	}
	return p.emitSpelled(f, i, max(last, i+1))
}

// emitSpelled adds label or measure to a spelled number and emits it.
func (p *scanner) emitSpelled(f Figure, first, last int) int {
	if p.isLabel(first, last) {
		f.Kind = Label
		return p.emit(f, first, last)
	}
	last = p.measure(&f, first, last)
	return p.emit(f, first, last)
}
