package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
)

func TestEmails(t *testing.T) {
	requireRedacted(t, []matcherCase{
		{"A.B@C.COM", "[email]"},
		{"a_b@c.museum.", "[email]."},
		{"1@b.co", "[email]"},
		{"a%b@c.de", "[email]"},
		{"to=b@c.de", "to=[email]"},
		{"x@example.com's", "[email]'s"},
		{"'x@example.com'", "'[email]'"},
		{"a@b.co/x", "[email]/x"},
		{"a@b.co:1", "[email]:1"},
		{"a@xn--mller-kva.de", "[email]"},
		{"a@b@c.de", "a@[email]"},
		{"a@10.0.0.1", "a@[ip]"},
		{"👍a@b.co👍", "👍[email]👍"},
		{"a@b.co，c@d.co。", "[email]，[email]。"},
		{"é@b.co", "[email]"},
		{"to élise@b.co, ünal@müller.de", "to [email], [email]"},
		{"éa@b.co", "[email]"},
		{"иван@пример.рф", "[email]"},
		{"日é@b.co", "日[email]"},
		{"é b.co", ""},
		{"a@b.c", ""},
		{"a@b..co", ""},
		{"@a.co", ""},
		{"a@.co", ""},
		{"a@b.1c", ""},
		{"name@3x.jpg", ""},
	})
}

func TestCards(t *testing.T) {
	requireRedacted(t, []matcherCase{
		{"4222222222222", "[card]"},   // 13 digits
		{"30569309025904", "[card]"},  // 14
		{"378282246310005", "[card]"}, // 15
		{"2223003122003222", "[card]"},
		{"2220000000000000", ""},
		{"2221000000000009", "[card]"},
		{"2720000000000005", "[card]"},
		{"2721000000000004", ""},
		{"2999000000000009", ""},
		{"6999000000000000", "[card]"},
		{"7000000000000005", ""},
		{"3530111333300000", "[card]"},
		{"5500000000000004", "[card]"},
		{"6011111111111117", "[card]"},
		{"6304000000000000000", "[card]"}, // 19
		{"3056 930902 5904", "[card]"},
		{"4111 1111 1111 1111 2024", "[card] 2024"},
		{"00 4111 1111 1111 1111", "00 [card]"},
		{"$4111111111111111", "$[card]"},
		{"é4111111111111111é", "é[card]é"},
		{"x4111111111111111", ""},
		{"4111111111111111x", ""},
		{"41111111 11111111", ""}, // not the groups of a card
		{"4111  1111  1111  1111", ""},
		{"4111.1111.1111.1111", "[card]"},
		{"4111\u00a01111\u00a01111\u202f1111", "[card]"},
		{"\uff14111111111111111", "[card]"},
		{"4111.1111.1111.1112", ""},
		{"1234567812345670", ""}, // passes the check, but no issuer has the range
		{"9111111111111111", ""},
		{"0000000000000000", ""},
		{"42222222222220000000", ""}, // 20 digits
	})
}

func TestIBANs(t *testing.T) {
	for _, iban := range []string{
		exampleIBAN, "AT611904300234573201", "BE68539007547034", "CH9300762011623852957", "ES9121000418450200051332",
		"FR1420041010050500013M02606", "GB82WEST12345698765432", "IT60X0542811101000000123456", "MT84MALT011000012345MTLCAST001S",
		"NL91ABNA0417164300", "NO9386011117947",
	} {
		requireRedacted(t, []matcherCase{
			{iban, "[iban]"},
			{"IBAN:" + grouped(iban, " ") + ",", "IBAN:[iban],"},
			{grouped(iban, "-"), "[iban]"},
			{"é" + iban + "é", "é[iban]é"},
			{"x" + iban, ""},
			{iban + "0", ""},
			{strings.ToLower(iban), "[iban]"},
			{grouped(iban, "\u00a0"), "[iban]"},
		})
	}
}

func grouped(s, sep string) string {
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && i%4 == 0 {
			b.WriteString(sep)
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Both check sums detect every change of one digit.
func TestChecksumsRejectChangedDigits(t *testing.T) {
	for _, valid := range []string{exampleCard, "378282246310005", exampleIBAN, "NO9386011117947"} {
		for i := range valid {
			for d := byte('0'); d <= '9'; d++ {
				if valid[i] < '0' || valid[i] > '9' || valid[i] == d {
					continue
				}
				changed := valid[:i] + string(d) + valid[i+1:]
				require.Equal(t, changed, redact.Redact(changed))
			}
		}
	}
}

func TestIPAddresses(t *testing.T) {
	requireRedacted(t, []matcherCase{
		{"0.0.0.0", "[ip]"},
		{"255.255.255.255", "[ip]"},
		{"10.0.0.0/24", "[ip]/24"},
		{"10.0.0.1-10.0.0.9", "[ip]-[ip]"},
		{"http://10.0.0.1/x", "http://[ip]/x"},
		{"é10.0.0.1é", "é[ip]é"},
		{"10.0.0.1 version 5.6.7.8", "[ip] version 5.6.7.8"},
		{"256.1.1.1", ""},
		{"1.2.3", ""},
		{"10.0.0.1.5", ""},
		{"10..0.0.1", ""},
		{"a10.0.0.1", ""},
		{"10.0.0.1a", ""},
		{"release 1.2.3.4", ""},
		{"Build  1.2.3.4", ""},
		{"clause 1.2.3.4", ""},

		{"2001:DB8::A", "[ip]"},
		{"1:2:3:4:5:6:7:8", "[ip]"},
		{"2001:db8::1/64", "[ip]/64"},
		{"fe80::1%eth0", "[ip]%eth0"},
		{"fe80::1, fe80::2.", "[ip], [ip]."},
		{"fe80::1: refused", "[ip]: refused"},
		{"http://[2001:db8::1]/", "http://[[ip]]/"},
		{"1:2:3:4:5:6:7", ""},
		{"00:1a:2b:3c:4d:5e", ""}, // a MAC address
		{"2001:db8::g", ""},
		{"face::feed", ""}, // no digit
		{"12:34:56", ""},
		{"1::1::1::", ""},
		{"from:2001:db8::1", "from:[ip]"},
		{"http://2001:db8::1.invalid/x", "http://[ip].invalid/x"},
	})
}

func TestPhones(t *testing.T) {
	requireRedacted(t, []matcherCase{
		{"+1 555 123 4567", "[phone]"},
		{"+49 (0)171 1234567", "[phone]"},
		{"+49-171-1234567", "[phone]"},
		{"+49.171.1234567", "[phone]"},
		{"+49 171/1234567", "[phone]"},
		{"(555)123-4567", "[phone]"},
		{"1 555 123 4567", "[phone]"},
		{"call 555.123.4567.", "call [phone]."},
		{"0171 1234567", "[phone]"},
		{"030 1234567", "[phone]"},
		{"01234 5678901", "[phone]"},
		{"01234 56789012", ""},
		{"(+1 555 123 4567)", "([phone])"},
		{"é+15551234567é", "é[phone]é"},
		{"+1 555 123 4567 and +1 555 123 4568", "[phone] and [phone]"},
		{"100 200 3000", ""},
		{"200 300 4000", ""},
		{"212 555 4567 8", ""},
		{"17 212 555 4567", ""},
		{"212 555 4567", "[phone]"},
		{"1 212 555 4567", "[phone]"},
		{"(100) 200 3000", "[phone]"},
		{"100-200-3000", "[phone]"},
		{"+1234567", ""},
		{"+123456789", ""},
		{"+1234567890123456", ""}, // 16 digits
		{"+1 234 567", ""},
		{"+5.12345678", ""},
		{"5551234567", ""},
		{"01711234567", ""},
		{"030 123456", ""},
		{"01.02.2026", ""},
		{"123-45-6789", ""},
		{"555-123-45678", ""},
		{"x555-123-4567", ""},
		{"tel 555-123-4567x89", ""},
		{"2026-11-21 123", ""},
	})
}
