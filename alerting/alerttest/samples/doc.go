// Package samples holds flags, alerts and hostile texts for tests. It imports schemas only, so that tests of every package may use it. Only tests import it.
package samples
