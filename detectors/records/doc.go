// Package records reads sources that are JSON records and compares claims with their fields and opening hours.
package records
