package records

import (
	"slices"
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// state is what a value says without words of its own.
type state uint8

const (
	plain state = iota
	isTrue
	isFalse
	isNull
)

// field is a field of a record, or a cell of a row.
type field struct {
	key, label text.Range // parts of its name: all; without fillers and the unit
	value      text.Range // parts, none for a long text
	figures    text.Range // of the value, into Reading.figures
	terms      text.Range // of the value, in the evidence
	record     int32
	state      state
	named      bool // the label names what is measured; its unit is no part of it
	code       bool // the value is the number of an account, order, telephone and the like
}

// record is a record, or the row of a table.
type record struct {
	unit          int32
	fields, names text.Range // names: parts
	table         uint64     // records of one table have the same
	single        bool       // it is the only one of its table
}

// part is a word of a label, value or name.
type part struct {
	text    string
	stem    uint64
	capital bool // written with a capital letter
	hits    text.Range
	found   bool  // hits are known
	owner   int32 // the record that it names, and 2; 0 for none, 1 for several
}

// name is a value that names a record.
type name struct {
	parts  text.Range
	record int32
	first  bool // of the first field
}

// word is a word of the answer; joined ones ("Wi-Fi") have an entry of their own.
type word struct {
	text string
	stem uint64
	term int32
}

const (
	maxRecords = 200
	maxFields  = 1000
	maxValue   = 6 // terms of a value that is compared by its words
	nameFields = 2 // the first fields, which may name a record
)

//nolint:gochecknoglobals // read-only tables
var (
	trueWords  = text.HashSet("true yes y ja oui si")
	falseWords = text.HashSet("false no n nein non")
	nullWords  = text.HashSet("null none nil undefined n/a unknown")
	prices     = text.HashSet("price cost costs fee fare total amount budget salary rent")
	percents   = text.HashSet("pct percent percentage prozent")
	codeNames  = text.HashSet("acct account card customer client order number no nr num nbr id ids ref reference code phone tel telephone mobile fax zip postcode postal policy meter serial ean gtin isbn sku iban iin ticket invoice booking member user contract case konto karte kunde kundin auftrag bestellung rechnung vertrag police plz nummer zähler telefon handy artikel compte carte commande numero facture contrat compteur cuenta tarjeta cliente pedido factura contador poliza contrato telefono movil codigo codice conto carta tessera ordine fattura polizza contatore cap cellulare contratto kundennummer kontonummer auftragsnummer bestellnummer rechnungsnummer vertragsnummer kartennummer artikelnummer telefonnummer kundennr kontonr auftragsnr rechnungsnr artikelnr")
	degrees    = map[string]figures.Dimension{"c": figures.Celsius, "f": figures.Fahrenheit}
)

// readRecords lists the records of the sources.
func (r *Reading) readRecords(sources []evidence.Prepared) {
	for i := range r.x.Evidence.Units {
		u := &r.x.Evidence.Units[i]
		if u.Form != units.Record && u.Form != units.Row || u.Source < 0 {
			continue
		}
		if len(r.records) == maxRecords || len(r.fields) > maxFields {
			break
		}
		r.readRecord(int32(i), sources[u.Source].Text)
	}
	for i := range r.records {
		a := &r.records[i]
		a.single = true
		for k := range r.records {
			if k != i && r.records[k].table == a.table {
				a.single = false
				break
			}
		}
		if !a.single {
			r.nameRecord(int32(i))
		}
	}
}

// headsEnd is the end of the terms from k on that are heads, or are none.
func headsEnd(terms []evidence.Term, k int, heads bool) int {
	for k < len(terms) && terms[k].Has(evidence.Head) == heads {
		k++
	}
	return k
}

func (r *Reading) readRecord(unit int32, source string) {
	terms := r.x.Evidence.TermsOf(int(unit))
	rec := record{unit: unit, fields: text.Range{First: int32(len(r.fields))}}
	for k := 0; k < len(terms); {
		from := k
		k = headsEnd(terms, k, true)
		label := k
		for label > from && (label == k || !terms[label].Has(evidence.Halt)) {
			label--
		}
		if from == 0 {
			rec.names = r.addParts(terms[:label], source) // the path names it
		}
		if rec.fields.First+2 > int32(len(r.fields)) { // the first two labels tell tables apart
			for j := label; j < k; j++ {
				rec.table = rec.table*31 + terms[j].Word
			}
		}
		first := k
		if k = headsEnd(terms, k, false); first < k {
			r.addField(unit, label, first, k, source)
		}
	}
	if rec.fields.Last = int32(len(r.fields)); rec.fields.Len() > 0 {
		r.readPair(&rec)
		r.records = append(r.records, rec)
	}
}

// tellingParts copies the parts that are no fillers.
func (r *Reading) tellingParts(key text.Range) text.Range {
	first := int32(len(r.partIDs))
	for k := key.First; k < key.Last; k++ {
		if id := r.partIDs[k]; !fillers.Has(text.Hash(r.parts[id].text)) {
			r.partIDs = append(r.partIDs, id)
		}
	}
	return text.Range{First: first, Last: int32(len(r.partIDs))}
}

// readPair gives the value of a record of a name and a value that name. Without other fields it is no row of a table.
func (r *Reading) readPair(rec *record) {
	name := &r.fields[rec.fields.First]
	for i := rec.fields.First + 1; i < rec.fields.Last && name.value.Len() > 0; i++ {
		f := &r.fields[i]
		if f.key.Len() != 1 || r.parts[r.partIDs[f.key.First]].text != "value" {
			continue
		}
		f.key, f.label = name.value, name.value
		if rec.fields.Len() == 2 {
			rec.fields.First++
			rec.table = uint64(rec.unit)<<32 | 1
		}
		return
	}
}

// addField adds the field with the label [label, value) and the value [value, last) of the terms of the unit.
func (r *Reading) addField(unit int32, label, value, last int, source string) {
	f := field{record: int32(len(r.records))}
	terms := r.x.Evidence.TermsOf(int(unit))
	f.key = r.addParts(terms[label:value], source)
	f.label = r.tellingParts(f.key)
	v := terms[value:last]
	base := r.x.Evidence.Units[unit].Terms.First
	f.terms = text.Range{First: base + int32(value), Last: base + int32(last)}
	if len(v) == 1 {
		switch w := v[0].Word; {
		case trueWords.Has(w):
			f.state = isTrue
		case falseWords.Has(w):
			f.state = isFalse
		case nullWords.Has(w):
			f.state = isNull
		}
	}
	f.figures = text.Range{First: int32(len(r.figures)), Last: int32(len(r.figures))}
	if f.state == plain {
		r.addFigures(&f, v)
		f.code = len(v) == 1 && r.isCode(&f, source[v[0].Start:v[0].End], v[0].Start > 0 && source[v[0].Start-1] == '"')
		if len(v) <= maxValue {
			f.value = r.addParts(v, source)
		}
	}
	r.fields = append(r.fields, f)
}

// addFigures adds the figures of the value, with the unit that the label ends with: "temp_c", "price (EUR)". The index has that
// unit from now on.
func (r *Reading) addFigures(f *field, value []evidence.Term) {
	unit, percent := r.unitOf(f.key)
	if f.named = percent || unit.Dimension != figures.None; f.named && f.label.Len() > 1 {
		f.label.Last-- // the unit is no filler
	}
	for i := range value {
		if value[i].Figure < 0 {
			continue
		}
		g := &r.x.Evidence.Figures[value[i].Figure].Figure
		if g.Kind == figures.Count && g.Unit.Dimension == figures.None {
			switch {
			case percent:
				g.Kind = figures.Percent
			case unit.Dimension >= figures.Dollar && unit.Dimension <= figures.Ruble:
				g.Kind, g.Unit = figures.Money, unit
			default:
				g.Unit = unit
			}
		}
		r.figures = append(r.figures, *g)
	}
	f.figures.Last = int32(len(r.figures))
}

// isCode reports five digits or more that name a thing: within quotes, or by the last word of the label.
func (r *Reading) isCode(f *field, value string, quoted bool) bool {
	isNumber := f.key.Len() > 0 && len(value) >= 5 && strings.Trim(value, "0123456789") == ""
	return isNumber && (quoted && !f.named && !r.isPrice(f) || codeNames.Has(text.Hash(r.parts[r.partIDs[f.key.Last-1]].text)))
}

func (r *Reading) unitOf(label text.Range) (u figures.Unit, percent bool) {
	if label.Len() == 0 {
		return u, false
	}
	last := r.parts[r.partIDs[label.Last-1]].text
	if last == "age" {
		return figures.Unit{Dimension: figures.Calendar, Factor: 12}, false
	}
	if percents.Has(text.Hash(last)) {
		return u, true
	}
	if d := degrees[last]; d != figures.None && label.Len() > 1 {
		return figures.Unit{Dimension: d, Factor: 1}, false
	}
	u, _ = figures.UnitNamed(&text.Token{Hash: text.Hash(last)})
	return u, false
}

// nameRecord lists the values that name the record: its path and the first fields.
func (r *Reading) nameRecord(i int32) {
	rec := &r.records[i]
	for k := rec.names.First; k < rec.names.Last; k++ {
		if len(r.parts[r.partIDs[k]].text) > 2 {
			r.claim(r.partIDs[k], i)
		}
	}
	for k := rec.fields.First; k < min(rec.fields.Last, rec.fields.First+nameFields); k++ {
		f := &r.fields[k]
		first := k == rec.fields.First
		if f.state != plain || f.value.Len() == 0 || !r.isName(f, first) || r.nameShared(rec, f, first) {
			continue
		}
		r.nameList = append(r.nameList, name{f.value, i, first})
		for n := f.value.First; n < f.value.Last; n++ {
			if p := &r.parts[r.partIDs[n]]; p.capital && len(p.text) > 2 && !isDigit(p.text[0]) {
				r.claim(r.partIDs[n], i)
			}
		}
	}
}

// nameShared lets a value that also stands in another column name all records that have it: a team that plays at home and away.
func (r *Reading) nameShared(rec *record, f *field, first bool) (ok bool) {
	r.work.Spend(len(r.fields) / 8)
	for i := range r.fields {
		d := &r.fields[i]
		if r.records[d.record].table == rec.table && slices.Equal(r.idsOf(d.value), r.idsOf(f.value)) && !slices.Equal(r.idsOf(d.key), r.idsOf(f.key)) {
			r.nameList = append(r.nameList, name{f.value, d.record, first}, name{f.value, f.record, first})
			ok = true
		}
	}
	return ok
}

// isName reports a value that is a name, or the number of a thing.
func (r *Reading) isName(f *field, first bool) bool {
	for k := f.figures.First; k < f.figures.Last; k++ {
		if !isNameLike(&r.figures[k], first) {
			return false
		}
	}
	n := 0
	for _, id := range r.idsOf(f.value) {
		if n += len(r.parts[id].text); !isDigit(r.parts[id].text[0]) {
			n++
		}
	}
	return n > 2 || n == 2 && f.figures.Len() == 0
}

// isNameLike reports a figure that may be in a name. The first field may also look like a year or a measure.
func isNameLike(g *figures.Figure, first bool) bool {
	switch g.Kind {
	case figures.Code, figures.Ordinal:
		return true
	case figures.Date:
		return g.Month == 0 && (first || g.Year == 0) // a weekday
	case figures.Count:
		return g.Decimals == 0 && (first || g.Unit.Dimension == figures.None)
	default:
		return false
	}
}

// claim notes that the part names the record, or several.
func (r *Reading) claim(id, rec int32) {
	if p := &r.parts[id]; p.owner == 0 || p.owner == rec+2 {
		p.owner = rec + 2
	} else {
		p.owner = 1
	}
}

// addParts adds the words of the terms, apart where they are joined.
func (r *Reading) addParts(terms []evidence.Term, source string) text.Range {
	first := int32(len(r.partIDs))
	for i := range terms {
		s := source[terms[i].Start:terms[i].End]
		for a, b := nextWord(s, 0); a < b; a, b = nextWord(s, b) {
			r.partIDs = append(r.partIDs, r.partOf(s[a:b], &terms[i], b-a == len(s)))
		}
	}
	return text.Range{First: first, Last: int32(len(r.partIDs))}
}

func (r *Reading) partOf(s string, t *evidence.Term, whole bool) int32 {
	h := text.Hash(s)
	if id, ok := r.byHash[h]; ok {
		r.parts[id].capital = r.parts[id].capital || text.IsUpper(s[0])
		return id
	}
	p := part{text: strings.ToLower(s), stem: h, capital: text.IsUpper(s[0])}
	if whole && !t.Has(evidence.Numeric) {
		p.stem = t.Key
	}
	id := int32(len(r.parts))
	r.parts = append(r.parts, p)
	r.byHash[h] = id
	return id
}

// nextWord is the next word of s from the byte on: letters, of which only the first ones are capitals, or digits.
func nextWord(s string, i int) (first, last int) {
	for i < len(s) && class(s[i]) == 0 {
		i++
	}
	first = i
	for ; i < len(s); i++ {
		c := class(s[i])
		if c == 0 || i > first && (c == 'd') != (class(s[i-1]) == 'd') {
			break
		}
		if i > first && text.IsUpper(s[i]) && !text.IsUpper(s[i-1]) {
			break
		}
	}
	return first, i
}

// class is 'd' for a digit, 'a' for a letter, 0 for another byte.
func class(c byte) byte {
	switch {
	case isDigit(c):
		return 'd'
	case c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80:
		return 'a'
	}
	return 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
