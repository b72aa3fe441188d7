package otlp

import (
	"cmp"
	"slices"
)

// Limits of a join. They bound its cost for a record of many spans.
const (
	maxAncestors       = 32      // of one span
	maxRows            = 1 << 18 // pairs of a span and its ancestor
	maxTools           = 64      // spans of tools of one trace
	maxGroup           = 16      // spans that one answer takes sources from
	noNode       int32 = -1
)

// spanKey identifies a span; that of a trace has no span id.
type spanKey struct {
	trace [16]byte
	span  [8]byte
}

// relations knows which spans of a record belong together. Its nodes are the entries, parents that are not in the record, and
// traces, which are the parents of spans without one.
type relations struct {
	nodes    map[spanKey]int32
	parents  []int32 // by node
	missing  int32   // nodes from here on are not in the record
	rows     []joinRow
	tools    map[[16]byte][]int32 // spans of tools, by trace
	messages map[spanKey][]int32  // log records with messages of a prompt, by span

	wraps    []int32 // by entry: the nearest answer above
	below    []int32 // by entry: 1 + the first answer that it wraps
	siblings []int32 // by entry: 1 + the next answer that the same one wraps
	answers  []string
}

// keepNodes is the number of nodes up to which their table is kept for the next record.
const keepNodes = 4096

// joinRow is an answer or a span with sources below an ancestor. Rows are sorted by ancestor and start.
type joinRow struct {
	ancestor int32
	entry    int32
	start    uint64
	last     int32 // Build of the last row of the ancestor with sources, up to this one; -1 for none
	answer   bool
}

// compare orders rows by their ancestors, below one by time.
func (r joinRow) compare(o joinRow) int {
	return cmp.Or(cmp.Compare(r.ancestor, o.ancestor), cmp.Compare(r.start, o.start), cmp.Compare(r.entry, o.entry))
}

// reset empties the relations.
func (j *relations) reset() {
	if len(j.nodes) > keepNodes {
		j.nodes = nil
	}
	clear(j.nodes)
	clear(j.tools)
	clear(j.messages)
	clear(j.answers)
	*j = relations{
		nodes: j.nodes, tools: j.tools, messages: j.messages, parents: j.parents[:0], rows: j.rows[:0],
		wraps: j.wraps[:0], below: j.below[:0], siblings: j.siblings[:0], answers: j.answers[:0],
	}
}

// build finds the relations of a record's entries.
func (j *relations) build(entries []entry, roles []spanRole) {
	if j.nodes == nil {
		j.nodes = make(map[spanKey]int32, len(entries))
	}
	if j.messages == nil {
		j.messages, j.tools = map[spanKey][]int32{}, map[[16]byte][]int32{}
	}
	for i := range entries {
		j.parents = append(j.parents, noNode)
		j.addNode(&entries[i], int32(i), roles[i])
	}
	j.missing = int32(len(entries))
	for i := range entries {
		if e := &entries[i]; e.err == nil && !e.log && e.trace != [16]byte{} {
			j.parents[i] = j.parentOf(e)
		}
	}
	j.findWrappers(entries, roles)
	j.addRows(entries, roles)
}

// addNode makes an entry known by its ids. The first of two spans with the same ids counts.
func (j *relations) addNode(e *entry, i int32, role spanRole) {
	if e.err != nil || e.trace == [16]byte{} || e.span == [8]byte{} {
		return
	}
	key := spanKey{e.trace, e.span}
	if e.log {
		if role == roleMessage {
			j.messages[key] = append(j.messages[key], i)
		}
		return
	}
	if _, known := j.nodes[key]; !known {
		j.nodes[key] = i
	}
	if tools := j.tools[e.trace]; role == roleTool && len(tools) < maxTools {
		j.tools[e.trace] = append(tools, i)
	}
}

// parentOf returns the node of the span's parent.
func (j *relations) parentOf(e *entry) int32 {
	trace := j.node(spanKey{trace: e.trace}, noNode)
	if e.parent == [8]byte{} {
		return trace
	}
	return j.node(spanKey{e.trace, e.parent}, trace)
}

// node returns the node of a key, a new one with that parent if there is none.
func (j *relations) node(key spanKey, parent int32) int32 {
	n, ok := j.nodes[key]
	if !ok {
		n = int32(len(j.parents))
		j.nodes[key] = n
		j.parents = append(j.parents, parent)
	}
	return n
}

// ancestors calls visit for the nodes above a node, nearest first, until it returns false.
func (j *relations) ancestors(n int32, visit func(int32) bool) {
	for range maxAncestors {
		if n = j.parents[n]; n == noNode || !visit(n) {
			return
		}
	}
}

// isAbove reports whether a node is an ancestor of another.
func (j *relations) isAbove(above, n int32) (found bool) {
	j.ancestors(n, func(a int32) bool { found = a == above; return !found })
	return found
}

// findWrappers finds answers within answers: a library's span around that of the client's call.
func (j *relations) findWrappers(entries []entry, roles []spanRole) {
	for range entries {
		j.wraps, j.below, j.siblings, j.answers = append(j.wraps, noNode), append(j.below, 0), append(j.siblings, 0), append(j.answers, "")
	}
	for i := range entries {
		if roles[i] != roleAnswer || entries[i].log {
			continue
		}
		j.ancestors(int32(i), func(a int32) bool {
			if a >= j.missing || roles[a] != roleAnswer || a == int32(i) {
				return true
			}
			j.wraps[i] = a
			j.siblings[i], j.below[a] = j.below[a], int32(i)+1
			return false
		})
	}
}

// isWrapper reports an answer around others.
func (j *relations) isWrapper(i int) bool { return i < len(j.below) && j.below[i] > 0 }

// depth is the number of answers above an answer.
func (j *relations) depth(i int) (n int) {
	for a := j.wraps[i]; a != noNode && n < maxAncestors; a = j.wraps[a] {
		n++
	}
	return n
}

// isWrapped reports an answer within another. If it is empty, the other one is read instead.
func (j *relations) isWrapped(i int) bool { return i < len(j.wraps) && j.wraps[i] != noNode }

// repeats reports whether one of the answers that a wrapper wraps is its own, or any if it has none.
func (j *relations) repeats(i int, answer string) bool {
	for k := j.below[i]; k > 0; k = j.siblings[k-1] {
		inner := j.answers[k-1]
		if inner != "" && (answer == "" || inner == answer) {
			j.answers[i] = inner
			return true
		}
	}
	return false
}

// addRows adds a row for every answer and span with sources below each of its ancestors.
func (j *relations) addRows(entries []entry, roles []spanRole) {
	for i := range entries {
		if !roles[i].hasSources() && roles[i] != roleAnswer || entries[i].log {
			continue
		}
		row := joinRow{entry: int32(i), start: entries[i].start, answer: roles[i] == roleAnswer}
		j.ancestors(int32(i), func(a int32) bool {
			row.ancestor = a
			j.rows = append(j.rows, row)
			return len(j.rows) < maxRows
		})
	}
	slices.SortFunc(j.rows, joinRow.compare)
	for k := range j.rows {
		r := &j.rows[k]
		switch {
		case !r.answer:
			r.last = int32(k)
		case k > 0 && j.rows[k-1].ancestor == r.ancestor:
			r.last = j.rows[k-1].last
		default:
			r.last = -1
		}
	}
}

// group returns the spans with sources below an ancestor that an answer follows: the last ones that start before it, back to
// the answer before them. They are in order. An answer follows all that is below itself.
func (j *relations) group(ancestor int32, entries []entry, i int32) (list []int32) {
	e := &entries[i]
	until := joinRow{ancestor: ancestor, start: e.start, entry: i}
	if ancestor == i {
		until = joinRow{ancestor: ancestor + 1}
	}
	at, _ := slices.BinarySearchFunc(j.rows, until, joinRow.compare)
	at--
	if at < 0 || j.rows[at].ancestor != ancestor || j.rows[at].last < 0 {
		return nil
	}
	at = int(j.rows[at].last)
	for steps := 0; at >= 0 && j.rows[at].ancestor == ancestor && len(list) < maxGroup && steps < 2*maxAncestors; steps++ {
		r := &j.rows[at]
		if !r.answer {
			list = append(list, r.entry)
		} else if ancestor != i && entries[r.entry].end <= e.start {
			break
		}
		at--
	}
	slices.Reverse(list)
	return list
}

// hasRetrieverBelow reports whether a retriever is among the last spans below an ancestor. Tools that an answer calls start
// after it.
func (j *relations) hasRetrieverBelow(ancestor int32, roles []spanRole) bool {
	at, _ := slices.BinarySearchFunc(j.rows, ancestor+1, func(r joinRow, a int32) int { return int(r.ancestor) - int(a) })
	for steps := 0; steps < maxAncestors && at > 0 && j.rows[at-1].ancestor == ancestor; steps++ {
		at--
		if r := roles[j.rows[at].entry]; r == roleRetriever || r == roleReranker {
			return true
		}
	}
	return false
}

// isMissing reports a node that is a span outside the record.
func (j *relations) isMissing(n int32) bool { return n >= j.missing && j.parents[n] != noNode }

// setAnswer notes the answer of an entry.
func (j *relations) setAnswer(i int, answer string) {
	if i < len(j.answers) {
		j.answers[i] = answer
	}
}
