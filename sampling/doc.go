// Package sampling decides which interactions earn the deep look. [Sampler] picks a fixed share of the high-stakes ones
// by a keyed hash of their event id, so that every replica and every replay picks the same ones, and nobody who does not
// know the salt can choose an id that escapes.
//
// It refuses to judge answers, and it does no I/O: carrying a picked interaction to the sampled topic is the role's
// work, its header names are here.
package sampling
