package jsonwalk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachMember(t *testing.T) {
	t.Parallel()
	const object = ` {"a" : 1,"b":[2,{"c":"]"}] , "d\"":"x\\","e":{"f":{}},"g":null}`
	var got []string
	EachMember(object[1:], func(name, value string, at int) bool {
		require.Equal(t, value, object[1+at:1+at+len(value)])
		got = append(got, name+"="+value)
		return name != "e"
	})
	require.Equal(t, []string{"a=1", `b=[2,{"c":"]"}]`, `d\"="x\\"`, `e={"f":{}}`}, got)
	EachMember("{}", func(string, string, int) bool { t.Fatal("no member"); return true })
}

func TestEachElement(t *testing.T) {
	t.Parallel()
	var got []string
	EachElement("[ 1 , \"a,]\" ,[],{\"b\":[1]},\ttrue]", func(value string) bool {
		got = append(got, value)
		return true
	})
	require.Equal(t, []string{"1", `"a,]"`, "[]", `{"b":[1]}`, "true"}, got)
	EachElement("[ ]", func(string) bool { t.Fatal("no element"); return true })
}

func TestUnquote(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{`"a"`: "a", `"a\nb"`: "a\nb", "1.5": "1.5", `"ä"`: "ä"} {
		require.Equal(t, want, Unquote(value))
	}
}
