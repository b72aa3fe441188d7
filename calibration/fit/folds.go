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

// Folds assigns each row to one of k folds. Rows of one group, and rows with the same text of a source, share a fold.
// The fold of a row depends on the rows as a set and on the seed, not on their order.
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
	keys := make([]uint64, len(rows)) // by content, so that no name decides
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

// contentKey hashes what the row says, under the seed.
func contentKey(row *schemas.Labelled, seed uint64) uint64 {
	h := fnv.New64a()
	var salt [8]byte
	binary.LittleEndian.PutUint64(salt[:], seed)
	_, _ = h.Write(salt[:])
	for i := range row.Interaction.Messages { // short answers repeat, questions hardly
		_, _ = io.WriteString(h, row.Interaction.Messages[i].Content)
	}
	_, _ = io.WriteString(h, row.Interaction.Answer)
	for i := range row.Interaction.Sources {
		_, _ = io.WriteString(h, row.Interaction.Sources[i].Text)
	}
	x := h.Sum64() // its last bytes stir the high bits little
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>32
}

// sharedKeys are what a row shares with the rows that must not be apart from it.
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

// dealToFolds gives the clusters to the folds, each to the fold that has fewest rows of the cluster's data set so far.
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
	roots := slices.Sorted(maps.Keys(members)) // rows that say the same keep the order they came in
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

// leastLoadedFold is the fold with fewest rows of the data sets that the members are of.
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
