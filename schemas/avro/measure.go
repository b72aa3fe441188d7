package avro

// Limits of writers' schemas. Within them, the memory of a decoded value is proportional to its bytes.
const (
	MaxSchemaBytes = 64 << 10
	MaxSchemaDepth = 32
	MaxSchemaTypes = 1 << 12 // types, with references expanded

	maxEmptyValues = 16      // zero-byte values in a list item
	maxWidth       = 1 << 30 // limit of sums
)

// Memory that goavro allocates, in bytes, rounded up from measurements (TestDecodeCost checks them).
const (
	costNumber = 8
	costText   = 24
	costArray  = 32
	costMap    = 64  // of a record, a map or a union's value, without its slots
	costSlot   = 36  // a field of a record
	costItem   = 80  // of an array, whose slice grows from block to block
	costEntry  = 150 // of a map
	costBlock  = 288 // of a map

	minSlots = 8 // least slots of a Go map
)

// ownCost returns the memory of a value of n, without its parts.
func (n *schemaType) ownCost() int {
	switch n.kind {
	case kindRecord:
		return mapCost(len(n.fields))
	case kindBytes, kindString, kindFixed, kindEnum:
		return costText
	case kindArray:
		return costArray
	case kindMap:
		return costMap
	default:
		return costNumber
	}
}

// mapCost returns the memory of a Go map that is made for n entries.
func mapCost(n int) int {
	slots := minSlots
	for n > minSlots && slots*7/8 < n {
		slots *= 2
	}
	return costMap + slots*costSlot
}

// measure computes the sizes of n from those of its parts, and fails over a limit.
func (n *schemaType) measure() error {
	n.height, n.nodes, n.emptyValues, n.cost = 1, 1, 0, n.ownCost()
	switch n.kind {
	case kindNull:
		n.width, n.emptyValues = 0, 1
	case kindFloat:
		n.width = 4
	case kindDouble:
		n.width = 8
	case kindFixed:
		n.width = n.size
	case kindRecord:
		n.width, n.emptyValues = 0, 1
		for _, f := range n.fields {
			n.add(f.typ)
			n.width = min(n.width+f.typ.width, maxWidth)
			n.emptyValues = min(n.emptyValues+f.typ.emptyValues, maxWidth)
			n.cost = min(n.cost+f.typ.cost, maxWidth)
		}
	case kindUnion:
		least := maxWidth
		for _, b := range n.branches {
			n.add(b)
			least = min(least, b.width)
			n.emptyValues = max(n.emptyValues, b.emptyValues-1) // the branch index takes a byte
			if b.kind != kindNull {
				n.cost = max(n.cost, mapCost(1)+b.cost)
			}
		}
		n.width = min(1+least, maxWidth)
	case kindArray, kindMap:
		n.add(n.items)
		n.width = 1
	default:
		n.width = 1
	}
	return n.checkLimits()
}

func (n *schemaType) checkLimits() error {
	if n.height > MaxSchemaDepth {
		return badSchema("types are nested more than 32 deep")
	}
	if n.nodes > MaxSchemaTypes {
		return badSchema("more than 4,096 types, with every reference written out")
	}
	return nil
}

func (n *schemaType) add(part *schemaType) {
	n.height = max(n.height, 1+part.height)
	n.nodes = min(n.nodes+part.nodes, maxWidth)
}
