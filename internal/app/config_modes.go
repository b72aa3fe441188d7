package app

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// othersRead is the permission of everybody to read a file.
const othersRead = 0o004

// FileWarnings are the files of secrets that every user of the machine can read, one sentence each. It looks at the file
// system, so it is asked by people's commands and not at each start.
func (c *Config) FileWarnings() []string {
	if runtime.GOOS == "windows" {
		return nil
	}
	var list []string
	for _, name := range secretFiles(c) {
		info, err := os.Stat(name)
		if err == nil && info.Mode().Perm()&othersRead != 0 && !isMountedVolume(name) {
			list = append(list, fmt.Sprintf("%s holds a secret, and every user of this machine can read it: chmod o-r %s", name, name))
		}
	}
	return list
}

// isMountedVolume reports whether a file comes from a volume that Kubernetes projects: its modes are the pod's business, and
// nobody else lives in the container. The kubelet swaps a directory whose name begins with two dots.
func isMountedVolume(name string) bool {
	resolved, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(resolved), "/"), func(part string) bool {
		return strings.HasPrefix(part, "..") && part != ".."
	})
}
