// Package page has the settings of `confab ui`.
package page
