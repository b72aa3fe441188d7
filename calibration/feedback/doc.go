// Package feedback turns recorded incidents and the verdicts people gave into weighted rows. An [IncidentStore] counts
// incidents by stratum, [WeightedLabels] hold the inverse of the probability with which an answer came to be recorded
// and labelled.
package feedback
