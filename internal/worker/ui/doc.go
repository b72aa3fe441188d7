// Package ui is the page on which people read incidents, label them and see trends: `confab ui`.
package ui
