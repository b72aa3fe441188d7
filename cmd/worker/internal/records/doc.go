// Package records reads and writes the records of the worker's topics: interactions, sampled copies, flags and alert
// state. It decides the format of a value, the tenant that may be trusted and the id of what came without one, and
// shortens what does not fit its topic.
package records
