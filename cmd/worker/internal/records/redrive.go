package records

import (
	"slices"

	"confab/consumer"
	"confab/schemas/json/scan"
)

// RedriveClass says whether it helps to process a dead letter again.
type RedriveClass string

// The classes, in the order in which people read them.
const (
	// RedriveTransient: what failed was outside the record and may be right by now.
	RedriveTransient RedriveClass = "transient"
	// RedriveAfterFix: a setting, a limit or a version has to change first, as the remedy says.
	RedriveAfterFix RedriveClass = "fix, then redrive"
	// RedriveNever: the record itself is faulty, so it would become a dead letter again.
	RedriveNever RedriveClass = "never"
)

// ClassOf is the class of dead letters of a reason. One that Confab does not give is in class never.
func ClassOf(stage, reason string) RedriveClass {
	switch {
	case stage == consumer.StagePublish:
		return RedriveAfterFix
	case reason == reasonUnknownSchema:
		return RedriveTransient
	case slices.Contains(fixable(), reason):
		return RedriveAfterFix
	}
	return RedriveNever
}

// fixable are the reasons whose remedy is a setting of Confab or another version.
func fixable() []string {
	return []string{
		scan.ReasonTooLarge, scan.ReasonCaseVariant, scan.ReasonMissingAnswer, scan.ReasonWrongType, scan.ReasonOutOfRange, scan.ReasonUnmapped,
		reasonUnknownFormat, reasonTenantUnverified, consumer.ReasonPanic, consumer.ReasonCrashSuspect,
	}
}
