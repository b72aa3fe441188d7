// Package coverage measures how much of the traffic can be checked: metrics by service and model, the share of answers with
// nothing to check, unknown and malformed fields, and a warning with the cause and the remedy. An answer is checked if at
// least one detector fired or is clear. Otherwise it is unchecked: every detector was not_checkable, skipped or failed.
package coverage
