// Package redact removes personal data and credentials from text that Confab shows or sends: excerpts in flags, alerts,
// prompts to judges and logs. [Redact] replaces e-mail addresses, phone and card numbers, IBANs, national ids, IP addresses, tokens,
// keys, webhook URLs, and values that a word announces, by labels such as [email]. [Secret] is a configured credential that fmt,
// encoders and slog mask.
//
// Every matcher reads a bounded number of bytes, or a run of bytes that is scanned once, so the time is linear in the text.
// Redact is idempotent and preserves valid UTF-8.
//
// Order numbers, dates, versions, UUIDs and hexadecimal digests are kept, so that alerts stay readable. Names and postal
// addresses are not recognised. Redact a text before truncating it: half a key matches no pattern.
package redact
