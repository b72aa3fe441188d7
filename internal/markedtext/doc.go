// Package markedtext cuts a text into pieces at the borders of marked places, which may overlap.
package markedtext
