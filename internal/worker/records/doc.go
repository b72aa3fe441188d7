// Package records reads and writes the records of the worker's topics: interactions, sampled copies, flags and alert
// state. It decides the format of a value, the trusted tenant and the id of interactions without one, and shortens flags
// and states that do not fit their topic.
package records
