// Package incidents follows flags, labels incidents and silences alert groups.
package incidents
