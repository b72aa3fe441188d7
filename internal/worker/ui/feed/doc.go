// Package feed reads flags, labels and alert states from their topics into the store of the page.
package feed
