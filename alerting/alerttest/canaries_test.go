package alerttest

import "strings"

// Canary is a secret or personal data in a text, with the part that must not be shown.
type Canary struct{ Name, Text, secret string }

// InLink returns the canary as a part of a link. Random letters and digits are not redacted in paths.
func (c Canary) InLink() string {
	if c.Name == "random secret" {
		return "path"
	}
	return c.Text
}

// Leaks returns a part of the canary that out shows, "" for none. It ignores other characters than letters and digits.
func (c Canary) Leaks(out string) string {
	secret, out := alphanumeric(c.secret), alphanumeric(out)
	for i := 0; i+fragment <= len(secret); i++ {
		if strings.Contains(out, secret[i:i+fragment]) {
			return secret[i : i+fragment]
		}
	}
	return ""
}

// joinParts joins parts, so that repository scanners do not report test values as leaked keys.
func joinParts(parts ...string) string { return strings.Join(parts, "") }

// Canaries returns invented canaries, different from each other and from the rest of a message.
func Canaries() []Canary {
	key := func(name, prefix, rest string) Canary { return Canary{name, joinParts(prefix, rest), rest} }
	return []Canary{
		key("OpenAI key", "sk-", "proj-q7Vn2Xb8Zt4Lw9Rk3Hd6"),
		key("Stripe key", "sk_live_", "9fKd72mQxT4vLr81"),
		key("GitHub token", "ghp_", "Zx81kQv72Lm94TnRb65WyHc30Jd"),
		key("GitHub fine-grained token", "github_pat_", "11AQ7Z5XY0mK93vTbnR84wLs"),
		key("GitLab token", "glpat-", "x7Kq2mVn9ZtRb4Lw8Hd3"),
		key("Slack bot token", "xoxb-", "730192846551-kTqWm82Zx91Lr"),
		key("Slack app token", "xapp-", "1-A07QZK31V-849201-b7d2f9"),
		key("AWS key", "AKIA", "Q7ZK3VXM8T2LRW9B"),
		key("Google key", "AIza", "SyQ81kZv72Lm94TnRb65WyHc30JdXf2aQ"),
		key("Hugging Face token", "hf_", "vTqZk81mXn72LrWb65HyJc"),
		key("npm token", "npm_", "k92ZvQ71mLx84TnRb65WyHc30JdXf2aQ"),
		key("SendGrid key", "SG.", "m81ZkQv72Lx94TnRb65Wy.Hc30JdXf2aQ8s"),
		key("webhook signing secret", "whsec_", "4hTz91QmVk72LxRn8wB5"),
		{"card, grouped", "4539 1488 0343 6467", "4539148803436467"},
		{"card, in one piece", "5425233430109903", "5425233430109903"},
		{"card, Amex", "3714 496353 98431", "371449635398431"},
		{"e-mail", "margaret.oconnor@brightwater.example.org", "margaret.oconnor@brightwater"},
		{"e-mail with a plus", "t.lindqvist+claims@saltmarsh.example.net", "lindqvist+claims@saltmarsh"},
		{"e-mail with an umlaut", "jörgensen@kröplin.example.de", "rgensen@kr"},
		{"JWT", joinParts("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiI4MTkyNyJ9", ".Qm7Zk2Vx9TnLr4Wb8Hc3"), "eyJzdWIiOiI4MTkyNyJ9.Qm7Zk2Vx9TnLr4Wb8Hc3"},
		{"Slack webhook", joinParts("https://hooks.slack.com/", "services/T7QZK31VX/B92LMTRWB/x8Kq2mVn9ZtRb4Lw8Hd3"), "T7QZK31VX/B92LMTRWB/x8Kq2mVn9ZtRb4Lw8Hd3"},
		{"Discord webhook", joinParts("https://discord.com/api/", "webhooks/849201773920/k7ZvQ91mLx84TnRb"), "849201773920/k7ZvQ91mLx84TnRb"},
		{"phone, E.164", "+4915238471902", "4915238471902"},
		{"phone, US", "(415) 867-5301", "4158675301"},
		{"IBAN", "GB82 WEST 1234 5698 7654 32", "WEST12345698765432"},
		{"IPv4 address", "203.0.113.187", "203.0.113.187"},
		{"IPv6 address", "2001:db8:7c1f::91ab:30d4", "7c1f::91ab:30d4"},
		{"bearer token", "Authorization: Bearer m7Zk2Vx9TnLr4Wb8Hc3Q", "m7Zk2Vx9TnLr4Wb8Hc3Q"},
		{"basic authorization", "Authorization: Basic c3Zlbjpicm93bi1mb3gtODE=", "c3Zlbjpicm93bi1mb3gtODE"},
		{"password in a URL", "postgres://ledger:gr8-Wombat-71@db.internal:5432/orders", "ledger:gr8-Wombat-71"},
		{"password that is set", "DB_PASSWORD=plover-Quartz-38", "plover-Quartz-38"},
		{"private key", joinParts("-----BEGIN RSA ", "PRIVATE KEY-----\nMIICXAIBAAKBgQDk7Zq9Vx2T\n-----END RSA ", "PRIVATE KEY-----"), "MIICXAIBAAKBgQDk7Zq9Vx2T"},
		{"random secret", "wJk7rZUtnQEMI0K4MDVNG8bPxRfiCYz7Tq2Lm", "wJk7rZUtnQEMI0K4MDVNG8bPxRfiCYz7Tq2Lm"},
	}
}

// fragment is the number of consecutive letters and digits of a canary that count as a leak.
const fragment = 8

// alphanumeric returns the letters and digits of s, in lower case.
func alphanumeric(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}
