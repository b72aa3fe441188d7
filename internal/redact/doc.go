// Package redact keeps personal data and credentials out of what Confab shows: excerpts in flags, alerts, prompts to
// judges and logs. [Redact] replaces e-mail addresses, phone and card numbers, IBANs, IP addresses, tokens, keys and
// webhook URLs in a text by labels such as [email]; [Secret] is a configured credential that cannot print itself.
//
// Every matcher is written by hand over bytes. Each looks at a bounded number of bytes, or at a run of bytes that is
// scanned once, so the time is linear in the text whatever the text is. Redacting twice changes nothing more, and text
// that was valid UTF-8 stays so.
//
// It errs on the side of showing: an order number, a date, a version, a UUID or a hexadecimal digest survives, because an
// alert that a person cannot read is of no use. It knows patterns, not people: names and addresses are not recognised.
// Redact before cutting a text short, never after: half a key is no pattern any more.
//
// It refuses policy (what may be shown to whom) and does no I/O.
package redact
