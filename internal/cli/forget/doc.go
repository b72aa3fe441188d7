// Package forget deletes the data of one person or tenant: `confab forget`. It says what stays in topics that delete records
// by age only, and until when.
package forget
