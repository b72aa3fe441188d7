package redact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every kind hides its example, in every shape; a changed digit is not an id, where the kind has a check digit.
func TestNationalIDs(t *testing.T) {
	unchecked := map[string]bool{"India, PAN": true, "Korea, resident registration number": true, "Mexico, CURP": true, "United Kingdom, National Insurance": true}
	countries := map[string]bool{}
	for _, k := range idKinds {
		t.Run(k.name, func(t *testing.T) {
			compact := strings.NewReplacer(" ", "", "-", "", ".", "", "/", "", "+", "").Replace(k.example)
			for _, shape := range k.shapes {
				text, i := "", 0
				for _, b := range []byte(shape) {
					if b == 'd' || b == 'L' || b == 'X' {
						b = compact[i]
						i++
					} else if b >= 'A' {
						return // the letter is a part of the id
					}
					text += string(rune(b))
				}
				for _, frame := range []string{"Use # here.", "(#)", "id=#,", "#"} {
					require.Equal(t, strings.Replace(frame, "#", idLabel, 1), Redact(strings.Replace(frame, "#", text, 1)), text)
				}
				for _, frame := range []string{"x#", "#0", "0#"} {
					require.NotContains(t, Redact(strings.Replace(frame, "#", text, 1)), idLabel, text)
				}
				if unchecked[k.name] {
					continue
				}
				hidden := 0
				for d := '0'; d <= '9'; d++ {
					changed := []rune(text)
					at := len(changed) - 2
					if changed[at] == d || changed[at] < '0' || changed[at] > '9' {
						continue
					}
					changed[at] = d
					if Redact(string(changed)) != string(changed) {
						hidden++
					}
				}
				require.LessOrEqual(t, hidden, 1, text)
			}
		})
		if country, _, _ := strings.Cut(k.name, ","); !unchecked[k.name] {
			countries[country] = true
		}
	}
	require.GreaterOrEqual(t, len(countries), 10)
}
