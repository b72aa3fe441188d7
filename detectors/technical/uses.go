package technical

import (
	"regexp"
	"slices"
	"strings"

	"confab/internal/names"
)

const (
	// minListed is the number of endpoints, or of functions of one object, from which the context counts as their list.
	minListed = 3
	maxListed = 512 // of each kind that are read
	callCost  = 4   // per listed name that is compared, in units of [detectors.Work]
)

// member assesses a member of a module, such as pd.read_csv. Modules whose members are not listed are undecided.
func (c *checker) member(m *mention, words string) verdict {
	k := c.ecosystems[m.ecosystem]
	module := strings.TrimPrefix(m.of, "node:")
	object, name, found := strings.Cut(words, ".")
	switch {
	case !found:
		name = words
	case module == "":
		module = object
	}
	switch {
	case !k.members.Lists(module), strings.HasPrefix(name, "_"), inList(" prototype call apply bind default ", name), m.ecosystem == names.Go && !isUpper(name[0]):
		return verdict{undecided, ""}
	case k.members.Contains(module, name), c.known.contains(name):
		return verdict{sound, ""}
	}
	return c.noMember(k, module, name)
}

// noMember is the verdict on a name that the listed module lacks.
func (c *checker) noMember(k *ecosystemNames, module, name string) verdict {
	c.work.Spend(k.members.Count(module) * nearestCost)
	if near := k.members.Nearest(module, name); near != "" {
		return verdict{memberTypo, module + " has no " + name + "; nearest: " + near}
	}
	return verdict{noMember, module + " has no " + name}
}

// listedNames are the endpoints and functions that the context names, with the parameters of functions.
type listedNames struct {
	read             bool
	endpoints, calls []string
	parameters       map[string]string // by function
}

// listed reads the names of the context on first use.
func (c *checker) listed() *listedNames {
	l := &c.names
	if l.read {
		return l
	}
	*l = listedNames{read: true, endpoints: l.endpoints[:0], calls: l.calls[:0], parameters: map[string]string{}}
	for _, text := range c.known.texts {
		if !c.work.Spend(1 + patternCost*len(text)) {
			return l
		}
		for _, m := range endpointForm.FindAllStringSubmatch(text, maxListed) {
			l.endpoints = appendNew(l.endpoints, m[1])
		}
		for _, m := range callForm.FindAllStringSubmatchIndex(text, maxListed) {
			name := text[m[2]:m[3]]
			if !compound.MatchString(name) {
				continue
			}
			l.calls = appendNew(l.calls, name)
			if len(l.parameters) < maxListed {
				l.parameters[name] += signature.FindString(text[m[3]:min(len(text), m[3]+maxArguments)])
			}
		}
	}
	return l
}

func appendNew(list []string, name string) []string {
	if len(list) == maxListed || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// signature describes the parameters of a function: names, one of them with a default at least.
var signature = regexp.MustCompile(`^\(\s*\w[^()=]*=[^()]*(?:\([^()]*\)[^()]*)*\)`)

// keyword assesses a keyword argument if the context describes the function's parameters.
func (c *checker) keyword(m *mention, name string) verdict {
	parameters := c.listed().parameters[m.of]
	switch {
	case parameters == "", strings.Contains(parameters, "*"), strings.Contains(parameters, ".."), strings.Contains(parameters, "…"), c.declares("def " + m.of):
		return verdict{undecided, ""}
	case c.known.contains(name):
		return verdict{sound, ""}
	}
	return verdict{noKeyword, parameters}
}

// endpoint assesses an endpoint such as "GET /v1/users" if the context lists endpoints.
func (c *checker) endpoint(_ *mention, words string) verdict {
	list := c.listed().endpoints
	if len(list) < minListed || !c.work.Spend(callCost*len(list)) {
		return verdict{undecided, ""}
	}
	method, path, _ := strings.Cut(words, " ")
	v := verdict{noEndpoint, ""}
	for _, other := range list {
		verb, otherPath, _ := strings.Cut(other, " ")
		if !samePath(path, otherPath) {
			continue
		}
		if method == verb {
			return verdict{sound, ""}
		}
		v = verdict{otherMethod, other}
	}
	return v
}

// samePath reports whether the paths have equal segments from their end on. A placeholder or a number equals any segment.
func samePath(a, b string) bool {
	for {
		i, k := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		x, y := a[i+1:], b[k+1:]
		if x != y && !valueForm.MatchString(x) && !valueForm.MatchString(y) || idForm.MatchString(y) && verbForm.MatchString(x) {
			return false
		}
		a, b = a[:i], b[:k]
		if a == "" || b == "" {
			return true
		}
	}
}

// The forms of segments: one that stands for a value, one for an id, and a verb such as list_all, which is no id.
var (
	valueForm = regexp.MustCompile(`^(?:[{:<$\[]|\d+$|.{8}.*\d|.*\d.{8}|.{1,7}\d.{1,7}$)`)
	idForm    = regexp.MustCompile(`^[{:<$\[]+(?:(?i:id)|\w+(?:_id|Id))[}>\]]*$`)
	verbForm  = regexp.MustCompile(`^[a-z]+_[a-z_]*$`)
)

// call assesses a function such as client.list_users if the context lists functions of the same object.
func (c *checker) call(_ *mention, words string) verdict {
	list := c.listed().calls
	if len(list) < minListed || !c.work.Spend(callCost*len(list)) {
		return verdict{undecided, ""}
	}
	object, name := splitCall(words)
	siblings, near := 0, ""
	for _, other := range list {
		owner, sibling := splitCall(other)
		if sibling == name {
			return verdict{sound, ""}
		}
		if owner != object {
			continue
		}
		siblings++
		if near == "" && names.Resemble(sibling, name) {
			near = sibling
		}
	}
	switch {
	case siblings < minListed || c.known.contains(name) || c.defines(name):
		return verdict{undecided, ""}
	case near != "":
		return verdict{callTypo, near}
	}
	return verdict{noCall, ""}
}

// splitCall splits a name at its last dot.
func splitCall(words string) (object, name string) {
	at := strings.LastIndexByte(words, '.')
	return words[:max(at, 0)], words[at+1:]
}

// defines reports whether the answer defines the function itself.
func (c *checker) defines(name string) bool {
	return slices.ContainsFunc([]string{"def ", "function ", "func ", "fn ", "const ", "let ", "var "}, func(key string) bool { return c.declares(key + name) })
}
