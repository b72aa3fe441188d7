package consumer

// flattenIDs returns the partitions of a map by topic.
func flattenIDs(m map[string][]int32) []partitionID {
	var ids []partitionID
	for topic, ps := range m {
		for _, p := range ps {
			ids = append(ids, partitionID{topic, p})
		}
	}
	return ids
}

// byTopic is the reverse of flattenIDs.
func byTopic[P holder](ps []P) map[string][]int32 {
	m := make(map[string][]int32)
	for _, p := range ps {
		id := p.Assignment().ID
		m[id.Topic] = append(m[id.Topic], id.Partition)
	}
	return m
}

// notifyOwners calls f, unless it is nil, with the partitions of each topic.
func notifyOwners[P holder](f func(topic string, partitions []int32), ps []P) {
	if f == nil {
		return
	}
	for topic, partitions := range byTopic(ps) {
		f(topic, partitions)
	}
}
