// Package verify audits a range of a live topic: `confab verify`. Every record that a worker has committed must have one
// outcome: a flag, a dead letter, or none if nothing fires.
package verify
