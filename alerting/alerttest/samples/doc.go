// Package samples holds flags and alerts for tests, hostile texts, and canaries for redaction. It imports schemas only, so that tests of every package may use it. Only tests import it.
package samples
