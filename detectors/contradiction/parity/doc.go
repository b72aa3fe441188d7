// Package parity finds claims in languages other than English that repeat a clause of a source and drop or add its negation.
package parity
