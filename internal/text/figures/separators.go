package figures

import (
	"strings"
	"unicode/utf8"

	"confab/internal/text"
)

// moreDigits continues the digits of token i over the next ones: "1/2", "2 1/2", "2½", "1'234.50", "1 234,56 €". It returns
// the next token.
func (p *scanner) moreDigits(i int, f *Figure) (last int) {
	whole := f.Value
	switch {
	case p.gap(i) == "/" && p.fraction(i, f):
		return i + 2
	case f.Decimals == 0 && i+2 < len(p.tokens) && p.gap(i+1) == "/" && p.tokens[i+1].Start-p.tokens[i].End == 1 && (p.gap(i) == " " || p.gap(i) == "-") && p.fraction(i+1, f): // not "6  1/2": a numbered step
		f.Value += whole
		return i + 3
	}
	if end := int(p.tokens[i].End); end >= len(p.s) || p.s[end] < 0x80 && p.s[end] != ' ' && p.s[end] != '\'' {
		return i + 1
	}
	switch after := p.after(i, 2); after {
	case "½":
		f.Value, f.Decimals = f.Value+0.5, 1
	case "¼":
		f.Value, f.Decimals = f.Value+0.25, 2
	case "¾":
		f.Value, f.Decimals = f.Value+0.75, 2
	}
	return p.digitGroups(i, f)
}

// maxGroups is the maximum of groups of three digits after the first.
const maxGroups = 5

// digitGroups joins groups of three digits. A plain space joins only before decimals, a currency, percent or unit.
func (p *scanner) digitGroups(i int, f *Figure) (last int) {
	last = i + 1
	if i+1 >= len(p.tokens) || !isDigit(p.s[p.tokens[i+1].Start]) {
		return last
	}
	if n := len(p.word(i)); n > 3 || f.Decimals > 0 || p.word(i)[0] == '0' {
		return last
	}
	value, decimals := f.Value, 0
	gap := p.gap(i)
	for last < len(p.tokens) && last-i <= maxGroups && decimals == 0 && p.gap(last-1) == gap && IsGroupGap(gap) {
		w := p.word(last)
		group, rest, _ := strings.Cut(w, ",")
		if gap == "'" || gap == "’" {
			group, rest, _ = strings.Cut(w, ".")
		}
		if len(group) != 3 || !IsNumeral(group) || !IsNumeral(rest) {
			break
		}
		decimals = len(rest)
		value = value*1000 + ParseDigits(group+"."+rest)
		last++
	}
	if last == i+1 || gap == " " && decimals == 0 && !p.measured(i, last) {
		return i + 1
	}
	f.Value, f.Decimals, f.Alternative = value, int8(min(decimals, 9)), 0
	return last
}

// measured reports a currency, percent sign or unit around the tokens first..last.
func (p *scanner) measured(first, last int) bool {
	if _, ok := p.leadingCurrency(first); ok {
		return true
	}
	tail := strings.TrimLeft(p.after(last-1, 5), " ")
	if _, ok := currencySign(tail); ok || strings.HasPrefix(tail, "%") {
		return true
	}
	if p.gap(last-1) != " " || p.tokens[last].Kind != text.Word {
		return false
	}
	// 4 980 arbres; no group of an English list has a leading zero, no sentence ends between
	return units[p.hash(last)].Dimension != None || first == 0 || strings.Trim(p.gap(first-1), " :(") == "" && !isDigit(p.word(first - 1)[0])
}

// ideographScale reads the Chinese and Japanese scales after digits: 3万, 1.5亿.
func (p *scanner) ideographScale(f *Figure, last int) int {
	tail := p.after(last-1, 6)
	if len(tail) == 0 || tail[0] < 0x80 {
		return last
	}
	tail = strings.TrimLeft(tail, " ")
	sign, _ := utf8.DecodeRuneInString(tail)
	switch sign {
	case '万', '萬':
		f.Value, f.Scaled = f.Value*1e4, true
	case '亿', '億':
		f.Value, f.Scaled = f.Value*1e8, true
	case '千':
		f.Value, f.Scaled = f.Value*1e3, true
	}
	return last
}
