package alerting

import "time"

// spoofs are names that look like the tenant bank, or try to be taken for it.
func spoofs() []string {
	return []string{
		"", "Bank", "BANK", "bAnK", " bank", "bank ", "bank\n", "\tbank", "bank\x00", "\x00bank", "bank\r", "bank\x1b[0m", "bank\x7f",
		"bank\u200b", "\ufeffbank", "ba\u00adnk", "b\u0430nk", "b\u0061\u0301nk", "\uff42\uff41\uff4e\uff4b", "ban\u212a", "bank\u202e",
		"\u202eknab", "bank/", "bank#1", "bank,shop", "bank\",\"tenant\":\"bank", "tenants.bank", "../bank", "bank%00", "bank;", "*",
		".*", "bank|", "$bank", "default", "unknown", "bank\xff", "\xffbank",
	}
}

// saturday is one, in the morning.
func saturday() time.Time { return time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC) }
