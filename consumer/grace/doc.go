// Package grace divides the time that a loop has between the request to stop and its end.
package grace
