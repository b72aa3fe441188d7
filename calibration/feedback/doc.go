// Package feedback turns recorded incidents and human verdicts into weighted rows. An [IncidentStore] counts incidents
// by stratum. [WeightedLabels] weigh each label with the inverse of the probability that such an answer is recorded and
// labelled.
package feedback
