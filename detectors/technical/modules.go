package technical

import (
	"strings"

	"confab/internal/names"
)

// python assesses an imported module by its first name, or as a part of the standard library.
func (c *mentionChecker) python(m *Mention, path string) assessment {
	k := c.ecosystems[names.PyPI]
	module, _, below := strings.Cut(path, ".")
	if k.standard.Contains(module) {
		if below && !c.partOfPython(path) {
			return assessment{faultUnknownName, weightNoStandard, "the standard library of Python has no such module"}
		}
		return assessment{}
	}
	if v := c.part(k, module, path); v.fault != faultNone {
		return v
	}
	m.End = m.Start + int32(len(module)) // the rest of the path belongs to the package
	if _, ok := c.modules[module]; ok || k.popular.Contains(module) || c.known.contains(module) {
		return assessment{}
	}
	if isLocalName(module) || c.declares(module, ".py") || c.fetched(names.PyPI, module) {
		return assessment{fault: faultUndecided}
	}
	return c.module(k, names.PyPI, module)
}

// partOfPython reports whether the standard library has the part, or may have it: private parts, and packages whose parts are
// not listed.
func (c *mentionChecker) partOfPython(path string) bool {
	root, _, _ := strings.Cut(path, ".")
	return c.ecosystems[names.PyPI].standard.Contains(path) || strings.Contains(path, "._") || c.known.contains(path) ||
		InList(" idlelib lib2to3 test turtledemo pydoc_data encodings distutils ensurepip msilib lib tkinter ", root)
}

// script assesses the package of a module specifier, or a module of Node.js.
func (c *mentionChecker) script(m *Mention, spec string) assessment {
	k := c.ecosystems[names.NPM]
	if module, node := strings.CutPrefix(spec, "node:"); node {
		if k.standard.Contains(module) || c.known.contains(spec) {
			return assessment{}
		}
		return assessment{faultUnknownName, weightNoStandard, "Node.js has no such module"}
	}
	switch {
	case k.standard.Contains(spec) && c.subpath(m, k):
		return assessment{faultUnknownName, weightNoStandard, "Node.js has no such module"}
	case k.standard.Contains(spec) || k.popular.Contains(spec) || c.known.contains(spec):
		return assessment{}
	case isLocalName(spec) || c.fetched(names.NPM, spec) || !names.NPM.Valid(spec):
		return assessment{fault: faultUndecided}
	}
	return c.wellFormed(k, names.NPM, spec, weightUnknown)
}

// goImport assesses an import path. Without a host as first element it belongs to the standard library or the project.
func (c *mentionChecker) goImport(path string) assessment {
	k := c.ecosystems[names.Go]
	if k.standard.Contains(path) || c.known.contains(path) {
		return assessment{}
	}
	root, _, below := strings.Cut(path, "/")
	switch {
	case strings.Contains(root, "."):
		if !names.Go.Valid(path) {
			return assessment{faultMalformed, weightMalformed, noteModulePath}
		}
		if isReservedHost(root) {
			return assessment{fault: faultUndecided}
		}
		return c.modulePath(path)
	case below && k.standard.Contains(root) && root != "internal":
		return assessment{faultUnknownName, weightNoStandard, "the standard library of Go has no such package"}
	case !below && !isLocalName(root):
		return assessment{faultUnknownName, weightOddModule, "neither a package of Go's standard library nor the path of a module"}
	default:
		return assessment{fault: faultUndecided}
	}
}

// module assesses a module by the packages of its ecosystem, whose names may differ.
func (c *mentionChecker) module(k *ecosystemNames, e names.Ecosystem, module string) assessment {
	v := c.wellFormed(k, e, module, weightUnknownModule)
	if v.fault == faultNearMiss && v.weight < weightShortTypo {
		return assessment{fault: faultUndecided} // modules have affixes that packages lack
	}
	return v
}

// rust assesses the first name of a path.
func (c *mentionChecker) rust(crate string) assessment {
	k := c.ecosystems[names.Crates]
	switch {
	case InList(" crate self super ", crate) || isUpper(crate[0]):
		return assessment{fault: faultUndecided}
	case k.popular.Contains(crate) || InList(" std core alloc proc_macro test ", crate) || c.known.contains(crate):
		return assessment{}
	case isLocalName(crate) || c.declares("mod "+crate, "") || c.fetched(names.Crates, crate):
		return assessment{fault: faultUndecided}
	}
	return c.module(k, names.Crates, crate)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// rustStandard assesses a module of std, core or alloc.
func (c *mentionChecker) rustStandard(module string) assessment {
	if isUpper(module[0]) || module == "self" || c.ecosystems[names.Crates].standard.Contains(module) || c.known.contains(module) {
		return assessment{}
	}
	return assessment{faultUnknownName, weightNoStandard, "the standard library of Rust has no such module"}
}
