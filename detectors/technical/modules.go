package technical

import (
	"strings"

	"confab/detectors/technical/mentions"
	"confab/internal/names"
)

// python judges an imported module: by its first name, or as a part of the standard library.
func (j *judge) python(m *mentions.Mention, path string) verdict {
	k := j.ecosystems[names.PyPI]
	module, _, below := strings.Cut(path, ".")
	if k.standard.Contains(module) {
		if below && !j.partOfPython(path) {
			return verdict{faultUnknownName, weightNoStandard, "the standard library of Python has no such module"}
		}
		return verdict{}
	}
	m.End = m.Start + int32(len(module)) // what is below it belongs to the package
	if _, ok := j.modules[module]; ok || k.popular.Contains(module) || j.known.holds(module) {
		return verdict{}
	}
	if local(module) || j.declares(module, ".py") || j.fetched(names.PyPI, module) {
		return verdict{fault: faultUnjudged}
	}
	return j.module(k, names.PyPI, module)
}

// partOfPython reports whether the standard library has the part, or may have it: parts of which there is no list, and
// private ones.
func (j *judge) partOfPython(path string) bool {
	root, _, _ := strings.Cut(path, ".")
	return j.ecosystems[names.PyPI].standard.Contains(path) || strings.Contains(path, "._") || j.known.holds(path) ||
		mentions.Listed(" idlelib lib2to3 test turtledemo pydoc_data encodings distutils ensurepip msilib lib tkinter ", root)
}

// script judges the package of a module specifier, or a module of Node.js.
func (j *judge) script(spec string) verdict {
	k := j.ecosystems[names.NPM]
	if module, node := strings.CutPrefix(spec, "node:"); node {
		if k.standard.Contains(module) || j.known.holds(spec) {
			return verdict{}
		}
		return verdict{faultUnknownName, weightNoStandard, "Node.js has no such module"}
	}
	switch {
	case k.standard.Contains(spec) || k.popular.Contains(spec) || j.known.holds(spec):
		return verdict{}
	case local(spec) || j.fetched(names.NPM, spec) || !names.NPM.Valid(spec):
		return verdict{fault: faultUnjudged}
	}
	return j.wellFormed(k, names.NPM, spec, weightUnknown)
}

// goImport judges an import path. One whose first element is no host is of the standard library or of the project.
func (j *judge) goImport(path string) verdict {
	k := j.ecosystems[names.Go]
	if k.standard.Contains(path) || j.known.holds(path) {
		return verdict{}
	}
	root, _, below := strings.Cut(path, "/")
	switch {
	case strings.Contains(root, "."):
		if !names.Go.Valid(path) {
			return verdict{faultMalformed, weightMalformed, noteModulePath}
		}
		if example(root) {
			return verdict{fault: faultUnjudged}
		}
		return j.modulePath(path)
	case below && k.standard.Contains(root) && root != "internal":
		return verdict{faultUnknownName, weightNoStandard, "the standard library of Go has no such package"}
	case !below && !local(root):
		return verdict{faultUnknownName, weightOddModule, "neither a package of Go's standard library nor the path of a module"}
	default:
		return verdict{fault: faultUnjudged}
	}
}

// module judges a module by the packages of its ecosystem, whose names it need not share.
func (j *judge) module(k *knowledge, e names.Ecosystem, module string) verdict {
	v := j.wellFormed(k, e, module, weightUnknownModule)
	if v.fault == faultNearMiss && v.weight < weightShortTypo {
		return verdict{fault: faultUnjudged} // modules carry affixes that packages lack
	}
	return v
}

// rust judges the first name of a path.
func (j *judge) rust(crate string) verdict {
	k := j.ecosystems[names.Crates]
	switch {
	case mentions.Listed(" crate self super ", crate) || upper(crate[0]):
		return verdict{fault: faultUnjudged}
	case k.popular.Contains(crate) || mentions.Listed(" std core alloc proc_macro test ", crate) || j.known.holds(crate):
		return verdict{}
	case local(crate) || j.declares("mod "+crate, "") || j.fetched(names.Crates, crate):
		return verdict{fault: faultUnjudged}
	}
	return j.module(k, names.Crates, crate)
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }

// rustStandard judges a module of std, core or alloc.
func (j *judge) rustStandard(module string) verdict {
	if upper(module[0]) || module == "self" || j.ecosystems[names.Crates].standard.Contains(module) || j.known.holds(module) {
		return verdict{}
	}
	return verdict{faultUnknownName, weightNoStandard, "the standard library of Rust has no such module"}
}
