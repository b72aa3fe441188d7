package hashtable

// filter has a bit set for the high bits of each hash that was added. It rejects nearly all others.
type filter [1 << 6]uint64

const filterShift = 64 - 12

func (f *filter) add(h uint64) { f[h>>filterShift>>6] |= 1 << (h >> filterShift & 63) }

// mayHold is false if the hash was not added.
func (f *filter) mayHold(h uint64) bool { return f[h>>filterShift>>6]>>(h>>filterShift&63)&1 != 0 }
