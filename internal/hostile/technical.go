package hostile

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// technicalKinds returns links, identifiers and names of packages.
func technicalKinds() []Kind {
	const pip = ValueCap - 100_000
	popular := []string{"requests", "numpy", "pandas", "tensorflow", "beautifulsoup4", "scikit-learn"}
	alike := func(r *rand.Rand) string {
		name := []byte(popular[r.IntN(len(popular))])
		name[r.IntN(len(name))] = byte('a' + r.IntN(26))
		return string(name)
	}
	return []Kind{
		repeatedUnits("links", func(r *rand.Rand) string {
			return "https://" + randomWord(r) + "." + randomWord(r) + "/" + randomWord(r) + "?q=" + randomWord(r) + " "
		}),
		constantUnit("one long link", "https://a.example/"),
		{"one long host", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string { return "https://" + strings.Repeat("a.", n/2) + "com/ " })
		}},
		{"one long path", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string { return "https://a.example/" + strings.Repeat("(%41/../", n/8) })
		}},
		repeatedUnits("links with logins", func(r *rand.Rand) string {
			return "http://" + randomWord(r) + ":" + randomWord(r) + "@[::1]:99999/%zz "
		}),
		repeatedUnits("encoded hosts", func(r *rand.Rand) string {
			return "http://xn--" + randomWord(r) + "." + randomRunes(r, 0x0430, 0x044f, 5) + ".com/ "
		}),
		repeatedUnits("bare domains", func(r *rand.Rand) string { return randomWord(r) + "." + pickOne(r, "com", "org", "io", "xyz") + " " }),
		repeatedUnits("dois", func(r *rand.Rand) string {
			return fmt.Sprintf("10.%d/%s.%d ", 1000+r.IntN(90000), randomWord(r), r.IntN(1e6))
		}),
		repeatedUnits("identifiers", func(r *rand.Rand) string {
			return fmt.Sprintf("arXiv:%d.%05d ISBN 978-%d RFC %d CVE-2024-%d PMID %d ", 1000+r.IntN(1500), r.IntN(1e5), r.IntN(1e9), r.IntN(9999), r.IntN(99999), r.IntN(1e8))
		}),
		repeatedUnits("python imports", func(r *rand.Rand) string {
			return "import " + randomWord(r) + "\nfrom " + randomWord(r) + "." + randomWord(r) + " import " + randomWord(r) + ", " + randomWord(r) + "\n"
		}),
		repeatedUnits("imports in a fence", func(r *rand.Rand) string { return "```python\nimport " + alike(r) + "\n```\n" }),
		repeatedUnits("script imports", func(r *rand.Rand) string {
			return "const a = require('" + randomWord(r) + "'); import {b} from \"@" + randomWord(r) + "/" + randomWord(r) + "\";\n"
		}),
		repeatedUnits("go imports", func(r *rand.Rand) string {
			return "import (\n\t\"github.com/" + randomWord(r) + "/" + randomWord(r) + "\"\n)\n"
		}),
		constantUnit("one import of many", "import a, b, c, d, e, f, "),
		{"pip lines", pip, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n, func() string { return "pip install " + alike(b.Rand) + "==1.2.3 \\\n" })
		}},
		repeatedUnits("npm lines", func(r *rand.Rand) string {
			return "npm install --save @" + randomWord(r) + "/" + alike(r) + "@latest\n"
		}),
		{"one install of many", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string {
				return "```sh\npip install " + fillText(n, func() string { return alike(b.Rand) + " " })
			})
		}},
		{"one long package name", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string { return "pip install " + strings.Repeat("requests-", n/9) })
		}},
		repeatedUnits("look-alike packages", func(r *rand.Rand) string { return "pip install " + alike(r) + " " + alike(r) + "\n" }),
		constantUnit("install words", "pip install "),
	}
}

// answerKinds returns answers of code, markup and JSON.
func answerKinds() []Kind {
	return []Kind{
		constantUnit("code fences", "```\na\n```\n"),
		constantUnit("open fences", "```"),
		constantUnit("backticks", "`"),
		constantUnit("back-quoted words", "`a` "),
		constantUnit("tildes", "~~~\n"),
		constantUnit("escapes", "\\\n\"\t"),
		constantUnit("entities", "&amp;&#1234;<b a='"),
		constantUnit("tags", "<a><b></a>"),
		{"wide JSON", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string {
				return delimitedList(n, "{", "}", func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, b.IntN(1000)) })
			})
		}},
		{"deep JSON", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string { return strings.Repeat(`{"a":[`, n/8) + strings.Repeat("]}", n/8) })
		}},
		repeatedUnits("log lines", func(r *rand.Rand) string {
			return fmt.Sprintf("2026-11-22T07:%02d:00Z level=error msg=%q at com.example.%s(Main.java:%d)\n", r.IntN(60), randomWord(r), randomWord(r), r.IntN(999))
		}),
	}
}

// secretKinds returns claims that fire and contain secrets or similar texts, for the redactor.
func secretKinds() []Kind {
	dressed := func(name string, unit func(r *rand.Rand) string) Kind {
		return repeatedUnits(name, func(r *rand.Rand) string { return "The " + randomWord(r) + " is " + unit(r) + " since 1937 [1]. " })
	}
	digits := func(r *rand.Rand, n int) string { return randomRunes(r, '0', '9', n) }
	encoded := func(r *rand.Rand, n int) string {
		return base64.RawURLEncoding.EncodeToString([]byte(randomRunes(r, 'a', 'z', n)))
	}
	return []Kind{
		{"one long token", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = "The key is " + fillText(n, func() string { return encoded(b.Rand, 60) }) + " since 1937 [1]."
			b.source("1", "Parcels leave the warehouse within two days.")
		}},
		dressed("mail addresses", func(r *rand.Rand) string {
			return randomWord(r) + "." + randomWord(r) + "@" + randomWord(r) + ".example"
		}),
		constantUnit("at signs", "a@"),
		{"one long mail address", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string { return strings.Repeat("a.b+", n/8) + "@" + strings.Repeat("c.d-", n/8) + "com" })
		}},
		dressed("card numbers", func(r *rand.Rand) string { return "4111 1111 1111 " + digits(r, 4) + " and 4242-4242-4242-4242" }),
		dressed("web tokens", func(r *rand.Rand) string {
			return "eyJhbGciOi" + encoded(r, 20) + ".eyJ" + encoded(r, 60) + "." + encoded(r, 40)
		}),
		dressed("access keys", func(r *rand.Rand) string { return "AKIA" + strings.ToUpper(encoded(r, 12)) + " sk-" + encoded(r, 36) }),
		dressed("phone numbers", func(r *rand.Rand) string { return "+49 (" + digits(r, 3) + ") " + digits(r, 4) + "-" + digits(r, 4) }),
		dressed("account numbers", func(r *rand.Rand) string {
			return "DE" + digits(r, 20) + " and " + digits(r, 3) + "-" + digits(r, 2) + "-" + digits(r, 4)
		}),
		dressed("network addresses", func(r *rand.Rand) string { return "10.0." + digits(r, 2) + ".1 fe80::" + digits(r, 4) + ":1" }),
		dressed("credentials", func(r *rand.Rand) string {
			return "password: " + randomWord(r) + " https://a:" + randomWord(r) + "@b.example"
		}),
		constantUnit("private key heads", "-----BEGIN RSA PRIVATE KEY-----\n"),
		constantUnit("dashes", "-"),
		constantUnit("open credentials", "password="),
		constantUnit("colons", "a:"),
		repeatedUnits("hexadecimal", func(r *rand.Rand) string { return fmt.Sprintf("%016x", r.Uint64()) }),
	}
}
