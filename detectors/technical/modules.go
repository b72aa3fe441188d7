package technical

import (
	"strings"

	"confab/detectors/technical/mentions"
	"confab/internal/names"
)

// python judges an imported module: by its first name, or as a part of the standard library.
func (j *mentionChecker) python(m *mentions.Mention, path string) assessment {
	k := j.ecosystems[names.PyPI]
	module, _, below := strings.Cut(path, ".")
	if k.standard.Contains(module) {
		if below && !j.partOfPython(path) {
			return assessment{faultUnknownName, weightNoStandard, "the standard library of Python has no such module"}
		}
		return assessment{}
	}
	m.End = m.Start + int32(len(module)) // what is below it belongs to the package
	if _, ok := j.modules[module]; ok || k.popular.Contains(module) || j.known.contains(module) {
		return assessment{}
	}
	if isLocalName(module) || j.declares(module, ".py") || j.fetched(names.PyPI, module) {
		return assessment{fault: faultUnknown}
	}
	return j.module(k, names.PyPI, module)
}

// partOfPython reports whether the standard library has the part, or may have it: parts of which there is no list, and
// private ones.
func (j *mentionChecker) partOfPython(path string) bool {
	root, _, _ := strings.Cut(path, ".")
	return j.ecosystems[names.PyPI].standard.Contains(path) || strings.Contains(path, "._") || j.known.contains(path) ||
		mentions.InList(" idlelib lib2to3 test turtledemo pydoc_data encodings distutils ensurepip msilib lib tkinter ", root)
}

// script judges the package of a module specifier, or a module of Node.js.
func (j *mentionChecker) script(spec string) assessment {
	k := j.ecosystems[names.NPM]
	if module, node := strings.CutPrefix(spec, "node:"); node {
		if k.standard.Contains(module) || j.known.contains(spec) {
			return assessment{}
		}
		return assessment{faultUnknownName, weightNoStandard, "Node.js has no such module"}
	}
	switch {
	case k.standard.Contains(spec) || k.popular.Contains(spec) || j.known.contains(spec):
		return assessment{}
	case isLocalName(spec) || j.fetched(names.NPM, spec) || !names.NPM.Valid(spec):
		return assessment{fault: faultUnknown}
	}
	return j.wellFormed(k, names.NPM, spec, weightUnknown)
}

// goImport judges an import path. One whose first element is no host is of the standard library or of the project.
func (j *mentionChecker) goImport(path string) assessment {
	k := j.ecosystems[names.Go]
	if k.standard.Contains(path) || j.known.contains(path) {
		return assessment{}
	}
	root, _, below := strings.Cut(path, "/")
	switch {
	case strings.Contains(root, "."):
		if !names.Go.Valid(path) {
			return assessment{faultMalformed, weightMalformed, noteModulePath}
		}
		if isReservedHost(root) {
			return assessment{fault: faultUnknown}
		}
		return j.modulePath(path)
	case below && k.standard.Contains(root) && root != "internal":
		return assessment{faultUnknownName, weightNoStandard, "the standard library of Go has no such package"}
	case !below && !isLocalName(root):
		return assessment{faultUnknownName, weightOddModule, "neither a package of Go's standard library nor the path of a module"}
	default:
		return assessment{fault: faultUnknown}
	}
}

// module judges a module by the packages of its ecosystem, whose names it need not share.
func (j *mentionChecker) module(k *ecosystemNames, e names.Ecosystem, module string) assessment {
	v := j.wellFormed(k, e, module, weightUnknownModule)
	if v.fault == faultNearMiss && v.weight < weightShortTypo {
		return assessment{fault: faultUnknown} // modules carry affixes that packages lack
	}
	return v
}

// rust judges the first name of a path.
func (j *mentionChecker) rust(crate string) assessment {
	k := j.ecosystems[names.Crates]
	switch {
	case mentions.InList(" crate self super ", crate) || isUpper(crate[0]):
		return assessment{fault: faultUnknown}
	case k.popular.Contains(crate) || mentions.InList(" std core alloc proc_macro test ", crate) || j.known.contains(crate):
		return assessment{}
	case isLocalName(crate) || j.declares("mod "+crate, "") || j.fetched(names.Crates, crate):
		return assessment{fault: faultUnknown}
	}
	return j.module(k, names.Crates, crate)
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// rustStandard judges a module of std, core or alloc.
func (j *mentionChecker) rustStandard(module string) assessment {
	if isUpper(module[0]) || module == "self" || j.ecosystems[names.Crates].standard.Contains(module) || j.known.contains(module) {
		return assessment{}
	}
	return assessment{faultUnknownName, weightNoStandard, "the standard library of Rust has no such module"}
}
