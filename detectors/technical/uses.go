package technical

import (
	"regexp"
	"strings"
)

const maxListed = 512 // functions of the context that are read

// parametersOf reads the parameters of functions that the context describes, on first use.
func (c *checker) parametersOf(function string) string {
	if c.parameters == nil {
		c.parameters = map[string]string{}
		for _, text := range c.known.texts {
			if !c.work.Spend(1 + patternCost*len(text)) {
				break
			}
			for _, m := range callForm.FindAllStringSubmatchIndex(text, maxListed) {
				if name := text[m[2]:m[3]]; compound.MatchString(name) && len(c.parameters) < maxListed {
					c.parameters[name] += signature.FindString(text[m[3]:min(len(text), m[3]+maxArguments)])
				}
			}
		}
	}
	return c.parameters[function]
}

// signature describes the parameters of a function: names, one of them with a default at least.
var signature = regexp.MustCompile(`^\(\s*\w[^()=]*=[^()]*(?:\([^()]*\)[^()]*)*\)`)

// keyword assesses a keyword argument if the context describes the function's parameters.
func (c *checker) keyword(m *mention, name string) verdict {
	parameters := c.parametersOf(m.of)
	switch {
	case parameters == "", strings.Contains(parameters, "*"), strings.Contains(parameters, ".."), strings.Contains(parameters, "…"), c.declares("def " + m.of):
		return verdict{undecided, ""}
	case c.known.contains(name):
		return verdict{sound, ""}
	}
	return verdict{noKeyword, parameters}
}
