// Package access finds permissions that brokers do not report: those of groups that do not exist yet, of transactional ids
// and of idempotent writes. Its requests change nothing.
package access
