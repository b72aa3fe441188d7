// Package rates prints the share of wrong answers, estimated from flags, labels and reviewed tables.
package rates
