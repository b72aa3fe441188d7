// Package access finds permissions that brokers do not report: those of groups that do not exist yet, and of transactional
// ids. Its requests change nothing.
package access
