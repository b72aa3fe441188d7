package jsonschema

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTranslate(t *testing.T) {
	space := "\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	tests := map[string]struct {
		pattern     string
		match, miss []string
	}{
		"space":                  {`^\s+$`, []string{space}, []string{"\u200b", "\u180e", "\x85", ""}},
		"no space":               {`^\S+$`, []string{"a\u200b\u180e\u2030\U0001f600"}, []string{" ", "\u00a0", "\ufeff"}},
		"space in a class":       {`^[\s,]+$`, []string{space + ","}, []string{"s", "\\"}},
		"no space in a class":    {`^[\S ]+$`, []string{"a b\u0085"}, []string{"a\u00a0"}},
		"neither":                {`[^\s\S]`, nil, []string{"a", " ", "\u00a0", ""}},
		"either":                 {`^[\s\S]$`, []string{"a", "\n", "\u2028", "\U0010ffff"}, []string{""}},
		"hyphen after a set":     {`^[\s-.]+$`, []string{"- ."}, []string{","}},
		"code unit":              {`^\u0041\u00e9+$`, []string{"Aéé"}, []string{"AéAé"}},
		"surrogate pair":         {`^\ud83d\ude00$`, []string{"😀"}, []string{"\ufffd"}},
		"range of pairs":         {`^[\ud83d\ude00-\ud83d\ude02]$`, []string{"😁"}, []string{"😃"}},
		"code point":             {`^\u{1F600}\u{41}$`, []string{"😀A"}, nil},
		"hexadecimal":            {`^\x41$`, []string{"A"}, nil},
		"control":                {`^\cA\cj\0$`, []string{"\x01\n\x00"}, nil},
		"empty class":            {`[]`, nil, []string{"", "a", "]"}},
		"empty class, more":      {`^[]a]`, nil, []string{"a", "a]"}},
		"full class":             {`^[^]a$`, []string{"xa", "\na"}, []string{"a"}},
		"bracket in a class":     {`^[[:alpha:]]$`, []string{"a]", ":]", "[]"}, []string{"b]", "x"}},
		"empty class in a class": {`^[a[]$`, []string{"a", "["}, []string{"]"}},
		"full class in a class":  {`^[a[^]$`, []string{"a", "[", "^"}, []string{"]"}},
		"escaped brackets":       {`^\[\]\\[\]]$`, []string{`[]\]`}, nil},
		"backspace":              {`^[\b]$`, []string{"\b"}, []string{"b"}},
		"word boundary":          {`a\b`, []string{"a b"}, []string{"ab"}},
		"digits are ASCII":       {`^\d\w$`, []string{"1a"}, []string{"١a", "1é"}},
		"property":               {`^\p{L}\P{Lu}$`, []string{"éa"}, []string{"aA"}},
		"identity":               {`^\/\-\.\_\@$`, []string{"/-._@"}, nil},
		"named group":            {`^(?<year>\d)$`, []string{"1"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := new(patterns).compile(tt.pattern)
			require.NoError(t, err)
			require.Equal(t, tt.pattern, p.String())
			text := p.(*pattern).Regexp
			for _, s := range tt.match {
				require.True(t, text.MatchString(s), "%q", s)
			}
			for _, s := range tt.miss {
				require.False(t, text.MatchString(s), "%q", s)
			}
		})
	}
	for _, bad := range []string{
		`\A`, `\z`, `\Z`, `\Qa\E`, `\a`, `\pL`, `\x{41}`, `\x4`, `\12`, `\1`, `\01`, `\k<a>`, `\u00`, `\uzzzz`, `\u{}`, `\u{110000}`, `\c1`, `\C`, `\é`, `\`, `[a`,
		`(?=a)`, `(?<!a)`, `[z-a]`, `a**`,
	} {
		_, err := new(patterns).compile(bad)
		require.Error(t, err, bad)
	}
	_, err := translate(`a\z`)
	require.EqualError(t, err, `\z is no escape of ECMA-262, or not supported`)
}

// What a translation adds counts for the caps.
func TestTranslatedPatternIsCapped(t *testing.T) {
	p := new(patterns)
	_, err := p.compile(`\s`)
	require.NoError(t, err)
	require.Equal(t, len("["+ecmaSpace+"]"), p.bytes)
}

func TestPatternAsText(t *testing.T) {
	for _, good := range []string{
		``, `^a+$`, `(?=a)b`, `(?<!a)b`, `(?<n>a)\k<n>`, `(a)\1`, `\(?P`, `[(?P<]`, `a{1001}`, `\p{Script=Greek}`, `[]`, `[^]`, `\cA`, `(?i:a)`, `(?:a|b)*?`,
	} {
		require.True(t, isPattern(good), good)
	}
	for _, bad := range []string{`(a`, `a)`, `[a`, `*a`, `a**`, `\`, `\a`, `(?P<n>a)`, `(?P=n)`, `(?#c)a`, `(?i)a`, `(?>a)`} {
		require.False(t, isPattern(bad), bad)
	}
}
