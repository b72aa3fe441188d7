package cells

import (
	"slices"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/detectors/synonyms"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figures"
)

// valueKind is the kind of a cell's value.
type valueKind uint8

const (
	nullValue   valueKind = iota // null, an empty text, a dash
	falseValue                   // false, no
	trueValue                    // true, yes
	numberValue                  // a JSON number, or a text that is one figure
	textValue
)

// cell is one value of a record. Offsets are bytes of its source.
type cell struct {
	record, column         int32
	next                   int32 // the record's next cell, -1 at the end
	source                 int32
	keyStart, keyEnd       int32
	start, end             int32
	firstFigure, endFigure int32 // among figures
	firstWord, endWord     int32 // among words: the content words of a short text
	kind                   valueKind
	element                bool // of a list
}

// column holds the cells of equal keys of sibling records.
type column struct {
	group              int32
	key                uint64
	firstWord, endWord int32 // among words
	needed             int32 // words that a mention must have
	distinct           bool  // words that other columns share do not count
	unit               figures.Unit
	percent            bool
	scale              float64 // of its numbers if the key says so, else 0
	content            int32   // words that an assertion must have
	kinds              uint8   // bits of its value kinds
	naming             bool    // its values name the records
	lead               bool    // the first naming column, or one of identifiers
	numbering          bool    // numbers that name the records: order 1042
}

func (c *column) has(k valueKind) bool { return c.kinds&(1<<k) != 0 }

// record is a JSON object or a row of a table.
type record struct {
	group, parent      int32
	firstCell, endCell int32        // chain of cells
	firstWord, endWord int32        // among words: the key of an object
	unit               figures.Unit // of its numbers, from its key
}

// group is a set of sibling records.
type group struct {
	parent  int32
	key     uint64
	records int32
}

// Caps, far above usual records.
const (
	maxCells     = 1024
	maxRecords   = 256
	maxColumns   = 256
	maxDepth     = 12
	maxTextWords = 6  // content words of a text that is compared as a whole
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
	work    *detectors.Work
	cells   []cell
	columns []column
	records []record
	groups  []group
	words   []word
	figures []figures.Figure
	entries []entry

	plain    bool // every source is a record or table without prose
	tokens   []text.Token
	scratch  []figures.Figure
	roots    []uint64 // by token of the answer
	concepts []synonyms.Concept
	claim    claimReader
	sentence int32 // of the claim that named current
	current  int32 // the record that the last claim named, -1 for none
	list     *figureindex.Findings
	synonyms *synonyms.Table
	quantity synonyms.Concept // of columns that count the things of a record
}

// word is a content word of a key or value.
type word struct {
	root     uint64
	concept  synonyms.Concept
	optional bool // a mention of the key may leave it out: "max"
	shared   bool // other columns of the group have it too
	generic  bool // says little: "is", "value", a unit
}

// entry leads from a word to the column or cell that has it.
type entry struct {
	root   uint64
	column int32 // -1 for a word of a value
	ref    int32 // the column's word, the cell, or the record named by its key
	kind   entryKind
}

type entryKind uint8

const (
	keyEntry entryKind = iota
	valueEntry
	recordEntry
)

// Of reads the cells of the document on first use. Findings go to list.
func Of(d *detectors.Document, list *figureindex.Findings) *Index {
	x, fresh := detectors.Scratch[Index](d)
	if fresh {
		x.read(d)
	}
	x.list = list
	return x
}

// Plain reports whether every source of the document is a record or table without prose. Wording then says little: only
// values can be compared.
func Plain(d *detectors.Document) bool {
	x, fresh := detectors.Scratch[Index](d)
	if fresh {
		x.read(d)
	}
	return x.plain
}

// HasCells reports whether a source has cells.
func (x *Index) HasCells() bool { return len(x.cells) > 0 }

func (x *Index) read(d *detectors.Document) {
	x.work, x.synonyms = d.Work(), synonyms.Default()
	x.quantity = x.synonyms.Concept(synonyms.RootOf("quantity"))
	x.claim.first, x.claim.last, x.claim.states = 0, 0, x.claim.states[:0]
	x.claim.keys = x.claim.keys[:0]
	x.cells, x.columns, x.records, x.groups = x.cells[:0], x.columns[:0], x.records[:0], x.groups[:0]
	x.words, x.figures, x.entries, x.roots = x.words[:0], x.figures[:0], x.entries[:0], x.roots[:0]
	x.concepts = x.concepts[:0]
	x.current, x.sentence, x.plain = -1, -1, d.Sources() > 0
	for i := range d.Sources() {
		if !x.readSource(d.Source(i), int32(i)) {
			x.plain = false
		}
	}
	if len(x.cells) == 0 {
		x.plain = false
		return
	}
	if !x.work.Spend(cellCost * (len(x.cells) + len(x.columns))) {
		return
	}
	x.describeColumns(d)
	x.buildEntries()
	x.readRoots(d)
}

// readSource reads one source and reports whether it is nothing but records.
func (x *Index) readSource(s string, source int32) bool {
	at := skipSpace(s, 0)
	if at == len(s) {
		return true
	}
	if !x.work.Spend(1 + len(s)/readBytes) {
		return false
	}
	if s[at] == '{' || s[at] == '[' {
		p := jsonReader{s: s, source: source, at: at, index: x}
		return p.document()
	}
	return x.readTables(s, source)
}

// addRecord adds a record to the group of siblings with the key; -1 at the cap.
func (x *Index) addRecord(parent int32, key uint64, name string) int32 {
	if len(x.records) == maxRecords {
		return -1
	}
	g := slices.IndexFunc(x.groups, func(g group) bool { return g.parent == parent && g.key == key })
	x.work.Spend(1 + len(x.groups)/detectors.ScanRows)
	if g < 0 {
		x.groups = append(x.groups, group{parent: parent, key: key})
		g = len(x.groups) - 1
	}
	x.groups[g].records++
	first := len(x.words)
	var named column
	if name != "" {
		x.addKey(&named, name)
	}
	x.records = append(x.records, record{
		group: int32(g), parent: parent, firstCell: -1, endCell: -1, firstWord: int32(first), endWord: int32(len(x.words)), unit: named.unit,
	})
	return int32(len(x.records) - 1)
}

// columnOf returns the column of the key in the record's group; -1 at the cap.
func (x *Index) columnOf(rec int32, key string) int32 {
	g, h := x.records[rec].group, text.Hash(key)
	x.work.Spend(1 + len(x.columns)/detectors.ScanRows)
	for i := range x.columns {
		if c := &x.columns[i]; c.key == h && c.group == g {
			return int32(i)
		}
	}
	if len(x.columns) == maxColumns {
		return -1
	}
	c := column{group: g, key: h, firstWord: int32(len(x.words))}
	x.addKey(&c, key)
	c.endWord = int32(len(x.words))
	if c.unit.Dimension == figures.None {
		c.unit = x.records[rec].unit
	}
	x.columns = append(x.columns, c)
	return int32(len(x.columns) - 1)
}

// addCell adds a value to the record; false at the cap.
func (x *Index) addCell(c cell, value string) bool {
	if c.column < 0 || len(x.cells) == maxCells {
		return false
	}
	x.readValue(&c, value)
	x.columns[c.column].kinds |= 1 << c.kind
	x.cells = append(x.cells, c)
	own := int32(len(x.cells) - 1)
	r := &x.records[c.record]
	if r.firstCell < 0 {
		r.firstCell = own
	} else {
		x.cells[r.endCell].next = own
	}
	r.endCell = own
	return true
}

// cellAt returns the first cell of the record in the column, -1 for none.
func (x *Index) cellAt(rec, column int32) int32 {
	for i := x.records[rec].firstCell; i >= 0; i = x.cells[i].next {
		x.work.Spend(1)
		if x.cells[i].column == column {
			return i
		}
	}
	return -1
}

// Check compares the claim with the cells that it names. polarity has -1 for each token of the claim that is denied.
func (x *Index) Check(d *detectors.Document, c *textclaims.Claim, found []figures.Figure, polarity []int8) {
	x.claim.states, x.claim.keys = x.claim.states[:0], x.claim.keys[:0]
	if len(x.cells) == 0 || c.Last-c.First > maxClaimTokens || !x.work.Spend(wordCost*int(c.Last-c.First)) {
		return
	}
	x.readClaim(d, c, found, polarity)
}
