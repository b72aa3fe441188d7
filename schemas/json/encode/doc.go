// Package encode writes interactions in their canonical JSON form.
package encode
