// Package incidents follows flags, labels incidents and manages silences.
package incidents
