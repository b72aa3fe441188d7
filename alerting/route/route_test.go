package route

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestReceivers(t *testing.T) {
	receivers := []string{"default", "pager", "audit", "bank"}
	routes := Options{Receiver: "default", Routes: []Branch{
		{Receiver: "audit", Matchers: []string{`tenant=~"bank|insurer"`}, Continue: true},
		{Receiver: "pager", Matchers: []string{`severity="high"`, `service!="demo"`}},
		{Receiver: "bank", Matchers: []string{"tenant = bank"}, Continue: true},
		{Receiver: "bank", Matchers: []string{`model!~"gpt-.*"`, `provider="x"`, `operation="o"`}},
	}}
	for name, tt := range map[string]struct {
		options Options
		labels  Labels
		want    []string
	}{
		"no routes":              {Options{}, Labels{Severity: "high"}, receivers},
		"root only":              {Options{Receiver: "pager"}, Labels{Severity: "normal"}, []string{"pager"}},
		"nothing matches":        {routes, Labels{Severity: "normal", Tenant: "shop"}, []string{"default"}},
		"one matches":            {routes, Labels{Severity: "high", Tenant: "shop"}, []string{"pager"}},
		"not all matchers match": {routes, Labels{Severity: "high", Tenant: "shop", Service: "demo"}, []string{"default"}},
		"continue":               {routes, Labels{Severity: "high", Tenant: "bank"}, []string{"audit", "pager"}},
		"continue to the end":    {routes, Labels{Severity: "normal", Tenant: "bank", Model: "gpt-4"}, []string{"audit", "bank"}},
		"each once":              {routes, Labels{Severity: "normal", Tenant: "bank", Provider: "x", Operation: "o"}, []string{"audit", "bank"}},
		"whole values":           {routes, Labels{Severity: "normal", Tenant: "bank2"}, []string{"default"}},
		"no line tricks":         {routes, Labels{Severity: "normal", Tenant: "bank\nx"}, []string{"default"}},
		"severity in full":       {routes, Labels{Severity: "hig", Tenant: "shop"}, []string{"default"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, problems := New(tt.options, receivers)
			require.Empty(t, problems)
			require.Equal(t, tt.want, r.Receivers(tt.labels))
			f := schemas.Flag{Tenant: tt.labels.Tenant, Service: tt.labels.Service, Operation: tt.labels.Operation, Provider: tt.labels.Provider, Model: tt.labels.Model}
			for _, receiver := range receivers {
				require.Equal(t, strings.Contains(strings.Join(tt.want, " "), receiver), r.Routes(receiver, &f, schemas.Severity(tt.labels.Severity)))
			}
		})
	}
}

func TestProblems(t *testing.T) {
	_, problems := New(Options{Receiver: "nobody", Routes: []Branch{
		{Receiver: "default", Matchers: []string{"severity", `team="x"`, `tenant=~"("`, `tenant="x`, `tenant=a"b`, `tenant!x`, strings.Repeat("a", 1_001)}},
		{},
	}}, []string{"default"})
	var got []string
	for _, p := range problems {
		got = append(got, p.Path+" "+p.Message)
	}
	require.Len(t, got, 9)
	for i, want := range []string{
		`.receiver names no receiver: "nobody"`, `.routes[0].matchers[0] has no operator`, "matchers[1] names an unknown label", "matchers[2] is not a regular expression",
		"matchers[3] has broken quotes", "matchers[4] put the value into double quotes", "matchers[5] has an unknown operator", "matchers[6] is longer",
		".routes[1].receiver names no receiver",
	} {
		require.Contains(t, got[i], want)
	}
	_, problems = New(Options{Routes: []Branch{{Receiver: "default"}}}, []string{"default"})
	require.Equal(t, []Problem{{".receiver", "is missing: name the receiver of alerts that no route takes"}}, problems)
}

// FuzzMatcher: a matcher that parses matches without a panic, and not both with and without negation.
func FuzzMatcher(f *testing.F) {
	for _, seed := range []string{`severity="high"`, "tenant=~a|b", `model!~"x{1,9}"`, "service!=x", "=", "!", `tenant="\u00e9"`} {
		f.Add(seed, "bank")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		m, err := parseMatcher(text)
		if err != nil {
			return
		}
		l := Labels{value, value, value, value, value, value}
		got := m.matches(&l)
		m.negate = !m.negate
		require.NotEqual(t, got, m.matches(&l))
	})
}
