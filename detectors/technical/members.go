package technical

import (
	"strings"

	"confab/internal/names"
)

// member assesses a member of a module, such as pd.read_csv. Modules whose members are not listed are undecided.
func (c *mentionChecker) member(m *Mention, words string) assessment {
	k := c.ecosystems[m.Ecosystem]
	module := strings.TrimPrefix(c.doc.Answer()[m.ModuleStart:m.ModuleEnd], "node:")
	object, name, found := strings.Cut(words, ".")
	switch {
	case !found:
		name = words
	case module == "":
		module = object
	}
	if !k.members.Lists(module) || strings.HasPrefix(name, "_") || InList(" prototype call apply bind default ", name) || m.Ecosystem == names.Go && !isUpper(name[0]) {
		return assessment{fault: faultUndecided}
	}
	if k.members.Contains(module, name) || c.known.contains(name) {
		return assessment{}
	}
	return c.noMember(k, module, name)
}

// noMember is the assessment of a name that the listed module lacks.
func (c *mentionChecker) noMember(k *ecosystemNames, module, name string) assessment {
	c.known.work.Spend(k.members.Count(module) * nearestCost)
	v := assessment{faultUnknownName, weightNoMember, module + " has no " + name}
	if near := k.members.Nearest(module, name); near != "" {
		v.weight = weightMemberTypo
		v.note += "; nearest: " + near
	}
	return v
}

// part assesses the second name of an imported path, such as boto3.uploader.
func (c *mentionChecker) part(k *ecosystemNames, module, path string) assessment {
	_, below, _ := strings.Cut(path, ".")
	name, _, _ := strings.Cut(below, ".")
	if name == "" || name[0] == '_' || !k.members.Lists(module) || k.members.Contains(module, name) || c.known.contains(path) {
		return assessment{}
	}
	return c.noMember(k, module, name)
}

// subpath extends the mention of a module of Node.js to the path behind it, and reports whether Node.js lacks that module.
func (c *mentionChecker) subpath(m *Mention, k *ecosystemNames) bool {
	rest := c.doc.Answer()[m.End:]
	if !strings.HasPrefix(rest, "/") {
		return false
	}
	end := strings.IndexAny(rest, "\"'`\n")
	if end < 2 {
		return false
	}
	spec := c.doc.Answer()[m.Start : int(m.End)+end]
	if k.standard.Contains(spec) || c.known.contains(spec) {
		return false
	}
	m.End += int32(end)
	return true
}
