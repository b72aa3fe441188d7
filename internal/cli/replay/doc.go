// Package replay measures a range of a topic again, without publishing: `confab replay`.
package replay
