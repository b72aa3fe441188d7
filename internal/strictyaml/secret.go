package strictyaml

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"confab/internal/files"
	"confab/internal/redact"
)

// maxSecretBytes bounds a file that holds a secret.
const maxSecretBytes = 64 << 10

// fileKey is the key that names a file with the secret of the key name.
func fileKey(name string) string { return name + "_file" }

// resolveSecretFiles reports secrets that the current source sets together with their *_file keys. Whichever of the two it
// sets clears the other one of earlier sources.
func (d *Decoder) resolveSecretFiles(fields []Field, path string) {
	byName := make(map[string]Field, len(fields))
	for _, f := range fields {
		byName[f.Name] = f
	}
	here := d.layer
	set := func(f Field) bool {
		place, ok := d.places[JoinPath(path, f.Name)]
		return ok && place.layer == here && f.Value.String() != ""
	}
	for _, secret := range fields {
		file, ok := byName[fileKey(secret.Name)]
		if !ok || !isSecret(secret.Value.Type()) {
			continue
		}
		switch {
		case set(secret) && set(file):
			d.problems = append(d.problems, Problem{
				Place: d.places[JoinPath(path, file.Name)], Path: JoinPath(path, file.Name),
				Message: "is set together with " + secret.Name + "; keep one of them",
			})
		case set(secret):
			file.Value.SetString("")
		case set(file):
			secret.Value.SetString("")
		}
	}
}

// ReadFiles reads the secrets that *_file keys name, and checks that all other named files and directories exist.
func (d *Decoder) ReadFiles(into any) { d.readFilesOf(reflect.ValueOf(into).Elem(), "") }

func (d *Decoder) readFilesOf(v reflect.Value, path string) {
	fields := Fields(v)
	secrets := make(map[string]reflect.Value, len(fields))
	for _, f := range fields {
		if isSecret(f.Value.Type()) {
			secrets[fileKey(f.Name)] = f.Value
		}
	}
	for _, f := range fields {
		below := JoinPath(path, f.Name)
		switch {
		case f.Value.Kind() == reflect.Struct:
			d.readFilesOf(f.Value, below)
		case isSectionList(f.Value):
			for i := range f.Value.Len() {
				d.readFilesOf(f.Value.Index(i), below+"["+strconv.Itoa(i)+"]")
			}
		case f.Value.Kind() != reflect.String || f.Value.String() == "":
		case secrets[f.Name].IsValid():
			d.readSecret(f.Value.String(), secrets[f.Name], below)
		case strings.HasSuffix(f.Name, "_file"):
			d.checkExists(f.Value.String(), false, below)
		case strings.HasSuffix(f.Name, "_dir"):
			d.checkExists(f.Value.String(), true, below)
		}
	}
}

// isSectionList reports whether the value is a list of sections.
func isSectionList(v reflect.Value) bool {
	return v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct && !IsScalar(v.Type().Elem())
}

func (d *Decoder) readSecret(name string, secret reflect.Value, path string) {
	text, err := files.Read(name, maxSecretBytes)
	value := strings.TrimRight(string(text), "\r\n")
	switch {
	case err != nil:
		d.reportUnreadable(path, err)
	case value == "":
		d.problems = append(d.problems, Problem{Place: d.places[path], Path: path, Message: name + " is empty; write the secret into it"})
	default:
		secret.Set(reflect.ValueOf(redact.Secret(value)))
	}
}

func (d *Decoder) checkExists(name string, dir bool, path string) {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() != dir {
		err = fmt.Errorf("%s: a directory; name a file", name)
		if dir {
			err = fmt.Errorf("%s: not a directory", name)
		}
	}
	if err != nil {
		d.reportUnreadable(path, err)
	}
}

func (d *Decoder) reportUnreadable(path string, err error) {
	message := "cannot be read: " + err.Error()
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		message = fmt.Sprintf("cannot read %s: %s; check the path and its permissions", pe.Path, describeFileError(pe.Err))
	}
	d.problems = append(d.problems, Problem{Place: d.places[path], Path: path, Message: message})
}

// describeFileError describes an error of the file system in the same words on every system.
func describeFileError(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	default:
		return err.Error()
	}
}

// SecretFiles returns the files with secrets of the struct that v points to, each once, sorted: those of *_file keys, and
// private keys.
func SecretFiles(v any) []string { return secretFilesOf(reflect.ValueOf(v).Elem()) }

func secretFilesOf(v reflect.Value) []string {
	var files []string
	fields := Fields(v)
	for _, f := range fields {
		switch {
		case f.Value.Kind() == reflect.Struct:
			files = append(files, secretFilesOf(f.Value)...)
		case isSectionList(f.Value):
			for i := range f.Value.Len() {
				files = append(files, secretFilesOf(f.Value.Index(i))...)
			}
		case f.Value.Kind() != reflect.String || f.Value.String() == "":
		case f.Name == "key_file", slices.ContainsFunc(fields, func(s Field) bool {
			return isSecret(s.Value.Type()) && fileKey(s.Name) == f.Name
		}):
			files = append(files, f.Value.String())
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
