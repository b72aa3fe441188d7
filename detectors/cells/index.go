package cells

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/synonyms"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/jsonscan"
)

// ValueKind is the kind of a cell's value.
type ValueKind uint8

// The kinds of a value.
const (
	NullValue   ValueKind = iota // null, an empty text, a dash
	FalseValue                   // false, no
	TrueValue                    // true, yes
	NumberValue                  // a JSON number, or a text that is one figure
	TextValue
)

// Cell is one value of a record. Offsets are bytes of its source.
type Cell struct {
	Record, Column         int32
	Next                   int32 // the record's next cell, -1 at the end
	Source                 int32
	KeyStart, KeyEnd       int32
	Start, End             int32
	FirstFigure, EndFigure int32 // among figures
	FirstWord, EndWord     int32 // among words: the content words of a short text
	Kind                   ValueKind
	Element                bool // of a list
}

// Column holds the cells of equal keys of sibling records.
type Column struct {
	Group              int32
	key                uint64
	FirstWord, EndWord int32 // among words
	Needed             int32 // words that a mention must have
	Distinct           bool  // words that other columns share do not count
	Unit               figures.Unit
	Percent            bool
	Money              bool    // amounts, perhaps without a currency
	Scale              float64 // of its numbers if the key says so, else 0
	Content            int32   // words that an assertion must have
	Kinds              uint8   // bits of its value kinds
	Naming             bool    // its values name the records
	Lead               bool    // the first naming column, or one of identifiers
	Numbering          bool    // numbers that name the records: order 1042
}

// Has reports whether the column has a value of the kind.
func (c *Column) Has(k ValueKind) bool { return c.Kinds&(1<<k) != 0 }

// cellRecord is a JSON object or a row of a table.
type cellRecord struct {
	Group, Parent      int32
	FirstCell, endCell int32        // chain of cells
	firstWord, endWord int32        // among words: the key of an object
	unit               figures.Unit // of its numbers, from its key
}

// recordGroup is a set of sibling records.
type recordGroup struct {
	parent  int32
	key     uint64
	Records int32
}

// Caps, far above usual records.
const (
	maxCells     = 1024
	maxRecords   = 256
	maxColumns   = 256
	maxDepth     = 12
	maxTextWords = 6  // content words of a text that is compared as a whole
	maxValues    = 16 // figures of one cell; a text with more is read as prose
	proseWords   = 30 // words of a text that is prose
)

// Costs, in units of [detectors.Work].
const (
	readBytes = 4 // bytes per unit
	cellCost  = 24
	wordCost  = 12
)

// Index has the cells of all sources that are records or tables.
type Index struct {
	Content // what the sources alone determine

	Work     *detectors.Work
	tokens   []text.Token
	scratch  []figures.Figure
	moments  []moment // of the first cells, once one is needed
	Roots    []uint64 // by token of the answer, like Concepts; see Prepare
	Concepts []synonyms.Concept

	tokenizer *text.Tokenizer
	kept      [1 << keptBits]keptWord // read with Synonyms, like keptKeys
	keptKeys  [1 << keptKeyBits]keptKey
}

// keyWord is a content word of a key or value.
type keyWord struct {
	Root     uint64
	Concept  synonyms.Concept
	Optional bool // a mention of the key may leave it out: "max"
	Shared   bool // other columns of the group have it too
	Generic  bool // says little: "is", "value", a unit
	vague    bool // generic, but no unit
}

// Entry leads from a word to the column or cell that has it.
type Entry struct {
	root   uint64
	Column int32 // -1 for a word of a value
	Ref    int32 // the column's word, the cell, or the record named by its key
	Kind   entryKind
}

type entryKind uint8

// The kinds of an entry.
const (
	KeyEntry entryKind = iota
	valueEntry
	RecordEntry
)

// Of returns the cells of the document, read on first use.
func Of(d *detectors.Document) *Index {
	x, fresh := detectors.Scratch[Index](d)
	if fresh {
		x.read(d)
	}
	return x
}

// Plain reports whether every source of the document is a record or table without prose. Wording then says little: only
// values can be compared.
func Plain(d *detectors.Document) bool { return Of(d).plain }

// HasCells reports whether a source has cells.
func (x *Index) HasCells() bool { return len(x.Cells) > 0 }

func (x *Index) read(d *detectors.Document) {
	x.Work, x.tokenizer = d.Work(), d.Tokenizer()
	x.useSynonyms(synonyms.Of(d))
	x.Roots, x.Concepts, x.moments = x.Roots[:0], x.Concepts[:0], x.moments[:0]
	x.readSources(d)
	if len(x.Cells) > 0 {
		x.Work.Spend(wordCost * len(d.Tokens())) // of Prepare
	}
}

// readSource reads one source and reports whether it is nothing but records. tokens are its tokens, nil if they are not known.
func (x *Index) readSource(s string, source int32, tokens []text.Token) bool {
	at := jsonscan.SkipSpace(s, 0)
	if at == len(s) {
		return true
	}
	if !x.Work.Spend(1 + len(s)/readBytes) {
		return false
	}
	if s[at] == '{' || s[at] == '[' {
		p := jsonReader{Scanner: jsonscan.Scanner{JSON: s, At: at}, source: source, index: x}
		if !strings.Contains(s, "【") { // a marker that may hold quotes
			p.tokens = tokens
		}
		return p.document()
	}
	return x.readTables(s, source)
}

// addRecord adds a record to the group of siblings with the key; -1 at the cap.
func (x *Index) addRecord(parent int32, key uint64, name string) int32 {
	if len(x.Records) == maxRecords {
		return -1
	}
	g := slices.IndexFunc(x.Groups, func(g recordGroup) bool { return g.parent == parent && g.key == key })
	x.Work.Spend(1 + len(x.Groups)/detectors.ScanRows)
	if g < 0 {
		x.Groups = append(x.Groups, recordGroup{parent: parent, key: key})
		g = len(x.Groups) - 1
	}
	x.Groups[g].Records++
	first := len(x.Words)
	var named Column
	if name != "" {
		x.addKey(&named, name)
	}
	x.Records = append(x.Records, cellRecord{
		Group: int32(g), Parent: parent, FirstCell: -1, endCell: -1, firstWord: int32(first), endWord: int32(len(x.Words)), unit: named.Unit,
	})
	return int32(len(x.Records) - 1)
}

// columnOf returns the column of the key in the record's group; -1 at the cap.
func (x *Index) columnOf(rec int32, key string) int32 {
	g, h := x.Records[rec].Group, text.Hash(key)
	x.Work.Spend(1 + len(x.Columns)/detectors.ScanRows)
	for i := range x.Columns {
		if c := &x.Columns[i]; c.key == h && c.Group == g {
			return int32(i)
		}
	}
	if len(x.Columns) == maxColumns {
		return -1
	}
	c := x.newColumn(key, h)
	c.Group, c.key = g, h
	if c.Unit.Dimension == figures.None {
		c.Unit = x.Records[rec].unit
	}
	x.Columns = append(x.Columns, c)
	return int32(len(x.Columns) - 1)
}

// addCell adds a value to the record; false at the cap. known are the tokens of the value in its source, nil if they are not
// known.
func (x *Index) addCell(c Cell, value string, known []text.Token) bool {
	if c.Column < 0 || len(x.Cells) == maxCells {
		return false
	}
	x.readValue(&c, value, known)
	x.Columns[c.Column].Kinds |= 1 << c.Kind
	x.Cells = append(x.Cells, c)
	own := int32(len(x.Cells) - 1)
	r := &x.Records[c.Record]
	if r.FirstCell < 0 {
		r.FirstCell = own
	} else {
		x.Cells[r.endCell].Next = own
	}
	r.endCell = own
	return true
}

// CellAt returns the first cell of the record in the column, -1 for none.
func (x *Index) CellAt(rec, column int32) int32 {
	for i := x.Records[rec].FirstCell; i >= 0; i = x.Cells[i].Next {
		x.Work.Spend(1)
		if x.Cells[i].Column == column {
			return i
		}
	}
	return -1
}

// Compatible reports whether a claim about the named record may be about rec: the same one, a part of it, what it is part
// of, or another kind of record.
func (x *Index) Compatible(named, rec int32) bool {
	for n := named; n >= 0; n = x.Records[n].Parent {
		for k := rec; k >= 0; k = x.Records[k].Parent {
			x.Work.Spend(1)
			if x.Records[k].Group == x.Records[n].Group && k != n {
				return false
			}
		}
	}
	return true
}
