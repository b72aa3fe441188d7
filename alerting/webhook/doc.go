// Package webhook posts alerts as JSON to any address, signed as the Standard Webhooks specification says.
package webhook
