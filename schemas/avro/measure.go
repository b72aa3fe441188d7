package avro

// Limits of writers' schemas. Within them, every value that a body of some bytes decodes to takes memory in proportion
// to these bytes.
const (
	MaxSchemaBytes = 64 << 10
	MaxSchemaDepth = 32
	MaxSchemaTypes = 1 << 12 // types, with every reference written out

	maxFreeValues = 16      // values of no bytes in an item of a list
	maxWidth      = 1 << 30 // where sums of widths stop
)

// measure fills in the sizes of n from those of its parts, and refuses what is too large.
func (n *node) measure() error {
	n.height, n.nodes, n.free, n.values = 1, 1, 0, 1
	switch n.kind {
	case kindNull:
		n.width, n.free = 0, 1
	case kindFloat:
		n.width = 4
	case kindDouble:
		n.width = 8
	case kindFixed:
		n.width = n.size
	case kindRecord:
		n.width, n.free = 0, 1
		for _, f := range n.fields {
			n.add(f.typ)
			n.width = min(n.width+f.typ.width, maxWidth)
			n.free = min(n.free+f.typ.free, maxWidth)
			n.values = min(n.values+f.typ.values, maxWidth)
		}
	case kindUnion:
		least := maxWidth
		for _, b := range n.branches {
			n.add(b)
			least = min(least, b.width)
			n.free = max(n.free, b.free-1) // the branch's number pays for one
			n.values = max(n.values, 1+b.values)
		}
		n.width = min(1+least, maxWidth)
	case kindArray, kindMap:
		n.add(n.items)
		n.width = 1
	default:
		n.width = 1
	}
	return n.judge()
}

func (n *node) judge() error {
	if n.height > MaxSchemaDepth {
		return refuse("types are nested more than 32 deep")
	}
	if n.nodes > MaxSchemaTypes {
		return refuse("more than 4,096 types, with every reference written out")
	}
	return nil
}

func (n *node) add(part *node) {
	n.height = max(n.height, 1+part.height)
	n.nodes = min(n.nodes+part.nodes, maxWidth)
}
