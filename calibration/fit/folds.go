package fit

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"io"
	"maps"
	"slices"

	"confab/schemas"
)

// Folds assigns each row to one of k folds. Rows of one group, and rows with the same source text, share a fold. The
// assignment depends on the set of rows and the seed, not on the order.
func Folds(rows []schemas.Labelled, k int, seed uint64) []int {
	parent := make([]int, len(rows))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	first := map[string]int{}
	keys := make([]uint64, len(rows)) // hash of the content
	for i := range rows {
		keys[i] = contentKey(&rows[i], seed)
		for _, tie := range sharedKeys(&rows[i]) {
			if j, ok := first[tie]; ok {
				parent[find(i)] = find(j)
			} else {
				first[tie] = i
			}
		}
	}
	return dealToFolds(rows, keys, find, k)
}

// contentKey hashes the content of the row with the seed.
func contentKey(row *schemas.Labelled, seed uint64) uint64 {
	h := fnv.New64a()
	var salt [8]byte
	binary.LittleEndian.PutUint64(salt[:], seed)
	_, _ = h.Write(salt[:])
	for i := range row.Interaction.Messages { // short answers repeat, questions rarely
		_, _ = io.WriteString(h, row.Interaction.Messages[i].Content)
	}
	_, _ = io.WriteString(h, row.Interaction.Answer)
	for i := range row.Interaction.Sources {
		_, _ = io.WriteString(h, row.Interaction.Sources[i].Text)
	}
	x := h.Sum64() // mix: the last bytes hardly reach the high bits
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>32
}

// sharedKeys are the group and the source texts: rows that share one stay in one fold.
func sharedKeys(row *schemas.Labelled) (list []string) {
	if row.Group != "" {
		list = append(list, "group:"+row.Dataset+":"+row.Group)
	}
	for i := range row.Interaction.Sources {
		if s := row.Interaction.Sources[i].Text; s != "" {
			list = append(list, "source:"+s)
		}
	}
	return list
}

// dealToFolds assigns each cluster to the fold with the fewest rows of its data sets so far.
func dealToFolds(rows []schemas.Labelled, keys []uint64, find func(int) int, k int) []int {
	members := map[int][]int{}
	least := map[int]uint64{}
	for i := range rows {
		root := find(i)
		if key, ok := least[root]; !ok || keys[i] < key {
			least[root] = keys[i]
		}
		members[root] = append(members[root], i)
	}
	roots := slices.Sorted(maps.Keys(members)) // equal rows keep their order
	slices.SortStableFunc(roots, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(members[b]), len(members[a])), cmp.Compare(least[a], least[b]))
	})
	folds := make([]int, len(rows))
	counts := map[string][]int{}
	for _, root := range roots {
		best := leastLoadedFold(rows, members[root], counts, k)
		for _, i := range members[root] {
			folds[i] = best
			counts[rows[i].Dataset][best]++
		}
	}
	return folds
}

func leastLoadedFold(rows []schemas.Labelled, members []int, counts map[string][]int, k int) int {
	loads := make([]int, k)
	seen := map[string]bool{}
	for _, i := range members {
		set := rows[i].Dataset
		if seen[set] {
			continue
		}
		seen[set] = true
		if counts[set] == nil {
			counts[set] = make([]int, k)
		}
		for f, n := range counts[set] {
			loads[f] += n
		}
	}
	return slices.Index(loads, slices.Min(loads))
}
