package avro

// typeCode is a typeKind that a switch decides on in one step.
type typeCode uint8

const (
	codeNull typeCode = iota
	codeBoolean
	codeInt
	codeLong
	codeFloat
	codeDouble
	codeBytes
	codeString
	codeFixed
	codeEnum
	codeArray
	codeMap
	codeRecord
	codeUnion
)

// compiledType is a type of a writer's schema as values are read: references are written out, and the fields of records
// have the numbers of our fields.
type compiledType struct {
	code    typeCode
	width   int            // least bytes of a value
	cost    int            // most memory that goavro allocates for a value, without list items
	parts   []compiledType // fields of a record, branches of a union, the item of a list
	targets []int8         // of a record: the numbers of our fields, noField for the others
	symbols []string       // of an enum
	unit    timeUnit       // of a long
}

// noField is the target of a field that is ignored.
const noField = -1

// timeUnit is the unit in which a writer counts time since 1970.
type timeUnit uint8

const (
	unitMillis timeUnit = iota
	unitMicros
	unitNanos
)

// unitOf returns the unit of a logical type, milliseconds by default.
func unitOf(logical string) timeUnit {
	switch logical {
	case "timestamp-micros":
		return unitMicros
	case "timestamp-nanos":
		return unitNanos
	}
	return unitMillis
}

func codeOf(k typeKind) typeCode {
	switch k {
	case kindBoolean:
		return codeBoolean
	case kindInt:
		return codeInt
	case kindLong:
		return codeLong
	case kindFloat:
		return codeFloat
	case kindDouble:
		return codeDouble
	case kindBytes:
		return codeBytes
	case kindString:
		return codeString
	case kindFixed:
		return codeFixed
	case kindEnum:
		return codeEnum
	case kindArray:
		return codeArray
	default:
		return codeOfNested(k)
	}
}

func codeOfNested(k typeKind) typeCode {
	switch k {
	case kindMap:
		return codeMap
	case kindRecord:
		return codeRecord
	case kindUnion:
		return codeUnion
	default:
		return codeNull
	}
}

// fieldNumbers numbers our fields of one kind of record, in the order in which they are read.
type fieldNumbers []string

func (f fieldNumbers) number(name string) int8 {
	for i, known := range f {
		if known == name {
			return int8(i) // there are fewer than 128
		}
	}
	return noField
}

// compileType compiles n, whose records have the known fields s. numbers numbers them.
func compileType(n *schemaType, s knownFields, numbers fieldNumbers) compiledType {
	c := compiledType{code: codeOf(n.kind), width: n.width, cost: n.cost, symbols: n.symbols, unit: unitOf(n.logical)}
	switch n.kind {
	case kindRecord:
		c.parts, c.targets = make([]compiledType, len(n.fields)), make([]int8, len(n.fields))
		for i, target := range s.targets(n.fields) {
			c.targets[i] = numbers.number(target)
			c.parts[i] = compileType(n.fields[i].typ, s[target], nestedNumbers(target))
		}
	case kindUnion:
		c.parts = make([]compiledType, len(n.branches))
		for i, b := range n.branches {
			c.parts[i] = compileType(b, s, numbers)
		}
	case kindArray:
		c.parts = []compiledType{compileType(n.items, s, numbers)}
	case kindMap: // keys are not fields
		c.parts = []compiledType{compileType(n.items, nil, nil)}
	default:
	}
	return c
}

// blockCost returns the memory of a block of count list items.
func (c *compiledType) blockCost(count int) int {
	switch {
	case count == 0:
		return 0
	case c.code == codeMap:
		return costBlock + count*(costEntry+c.parts[0].cost)
	default:
		return count * (costItem + c.parts[0].cost)
	}
}
