// Package redacting has the settings of redaction: an operator's own patterns.
package redacting
