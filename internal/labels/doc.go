// Package labels bounds the values of metric labels that come from the traffic, where the number of names has no limit.
package labels
