package redact_test

import (
	"testing"

	"confab/internal/redact"
)

// The value behind an announcement is hidden whatever it looks like.
func TestAnnouncedValues(t *testing.T) {
	requireRedacted(t, []matcherCase{
		{"The password is Xy7!pq.", "The password is [secret]."},
		{"Das Passwort lautet Xy7!pq", "Das Passwort lautet [secret]"},
		{"Datenbankpasswort: geheim", "Datenbankpasswort: [secret]"},
		{"mot de passe : tulipe", "mot de passe : [secret]"},
		{"La contraseña es Xy7!pq, cámbiala", "La contraseña es [secret], cámbiala"},
		{"The password is ab1(c;d,e!f.", "The password is [secret]."},
		{"(password: Xy7!pq), then", "(password: [secret]), then"},
		{"密码：abc123", "密码：[secret]"},
		{"密码是abc123", "密码是[secret]"},
		{"ｐａｓｓｗｏｒｄ＝ａｂｃ１２３", "ｐａｓｓｗｏｒｄ＝[secret]"},
		{"**Password:** `Sommer`", "**Password:** `[secret]`"},
		{"password for the portal: Xy7!pq", "password for the portal: [secret]"},
		{"the password has been changed to Xy7!pq", "the password has been changed to [secret]"},
		{"“API key”: abcdef", "“API key”: [secret]"},
		{"api key → abcdef", "api key → [secret]"},
		{"password Xy7pq9", "password [secret]"},
		{"password=a@b.co", "password=[email]"},
		{"passphrase: \"four plain small words\"", "passphrase: \"[secret]\""},
		{"PIN 4711, CVC: 123", "PIN [secret], CVC: [secret]"},
		{"Your verification code is 123 456.", "Your verification code is [secret]."},
		{"SSN 078-05-1120", "SSN [id]"},
		{"Passport No. C01X00T47 of Ann", "Passport No. [id] of Ann"},
		{"T.C. kimlik no: 10000000146", "T.C. kimlik no: [id]"},
		{"N° de sécurité sociale : 1 85 05 78 006 084 36", "N° de sécurité sociale : [id]"},
		{"date of birth: 4 May 1990", "date of birth: [birth-date]"},
		{"DOB 1990-05-04", "DOB [birth-date]"},
		{"call me at 212 5550147", "call me at [phone]"},
		{"0049 30 901820", "[phone]"},
		{"8 (495) 123-45-67", "[phone]"},
		{"06\u00a039\u00a098\u00a001\u00a023", "[phone]"},
		{"seed phrase: twelve or more words", ""},
		{"seed phrase: apple basic cable dance early fancy giant happy image joint kneel lemon", "seed phrase: [secret]"},
		{"to 0x" + "f58f0b14fc6ed5ec9f0be13378161f116ae87377", "to [wallet]"},
		{"anna (at) example (dot) com", "[email]"},
		{"ANNA%40example.com", "[email]"},
		{"anna＠example．com", "[email]"},
		{"\"anna rossi\"@example.org", "[email]"},
		{"anna@[192.0.2.7]", "[email]"},
	})
}

// Prose about secrets is kept.
func TestAnnouncementsWithoutValue(t *testing.T) {
	for _, text := range []string{
		"password: required", "The password is wrong.", "Das Passwort ist Pflicht.", "La contraseña es incorrecta.", "The highest pass was PLOVER-1.",
		"password=<password>", "password=${PASSWORD}", "password: ****", "password = getpass.getpass()", "token: &str", "token_limit: 4096", "tokens: 4096",
		"The secret is safe. Version B2 follows.", "password: must have 12 characters", "PIN 12 of the connector", "The passport costs 120 euros.",
		"Call of Duty 4 sold 15 700 000 copies", "date of birth: unknown", "secret to Ridge, RJ and others", "X-Sig). The cluster stays on HMAC-SHA256.",
		"密码是什么？", "密码：必须有8个字符", "password:", "password is", "PIN:", "seed phrase:",
	} {
		if got := redact.Redact(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
