// Package logging makes the worker's logger. It suppresses repeated warnings and errors.
package logging
