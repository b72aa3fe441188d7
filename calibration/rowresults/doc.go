// Package rowresults turns measured labelled rows into results that a person can look up: one per answer, with what
// each rule said, the risk and the alert; and the worst false alarms and misses among them.
package rowresults
