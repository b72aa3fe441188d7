package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"confab/internal/files"
	"confab/internal/redact"
)

// maxSecretBytes bounds a file that holds a secret.
const maxSecretBytes = 64 << 10

// fileKey is the key of the twin that names a file instead of holding the secret.
func fileKey(name string) string { return name + "_file" }

// twins holds the present source's secrets against their *_file twins: one source gives one of them, and whichever it
// gives replaces both of earlier sources.
func (d *decoder) twins(fields []field, path string) {
	byName := make(map[string]field, len(fields))
	for _, f := range fields {
		byName[f.name] = f
	}
	here := d.layer
	set := func(f field) bool {
		place, ok := d.places[join(path, f.name)]
		return ok && place.layer == here && f.value.String() != ""
	}
	for _, secret := range fields {
		file, ok := byName[fileKey(secret.name)]
		if !ok || !isSecret(secret.value.Type()) {
			continue
		}
		switch {
		case set(secret) && set(file):
			d.problems = append(d.problems, Problem{
				Place: d.places[join(path, file.name)], Path: join(path, file.name),
				Message: "given beside " + secret.name + "; keep one of them",
			})
		case set(secret):
			file.value.SetString("")
		case set(file):
			secret.value.SetString("")
		}
	}
}

// readFiles reads the secrets that *_file keys name, and makes sure that every other file and directory named is there.
func (d *decoder) readFiles(into any) { d.readFilesOf(reflect.ValueOf(into).Elem(), "") }

func (d *decoder) readFilesOf(v reflect.Value, path string) {
	fields := fieldsOf(v)
	secrets := make(map[string]reflect.Value, len(fields))
	for _, f := range fields {
		if isSecret(f.value.Type()) {
			secrets[fileKey(f.name)] = f.value
		}
	}
	for _, f := range fields {
		below := join(path, f.name)
		switch {
		case f.value.Kind() == reflect.Struct:
			d.readFilesOf(f.value, below)
		case f.value.Kind() != reflect.String || f.value.String() == "":
		case secrets[f.name].IsValid():
			d.readSecret(f.value.String(), secrets[f.name], below)
		case strings.HasSuffix(f.name, "_file"):
			d.exists(f.value.String(), false, below)
		case strings.HasSuffix(f.name, "_dir"):
			d.exists(f.value.String(), true, below)
		}
	}
}

func (d *decoder) readSecret(name string, secret reflect.Value, path string) {
	text, err := files.Read(name, maxSecretBytes)
	value := strings.TrimRight(string(text), "\r\n")
	switch {
	case err != nil:
		d.unreadable(path, err)
	case value == "":
		d.problems = append(d.problems, Problem{Place: d.places[path], Path: path, Message: name + " is empty; write the secret into it"})
	default:
		secret.Set(reflect.ValueOf(redact.Secret(value)))
	}
}

func (d *decoder) exists(name string, dir bool, path string) {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() != dir {
		err = fmt.Errorf("%s: a directory; name a file", name)
		if dir {
			err = fmt.Errorf("%s: not a directory", name)
		}
	}
	if err != nil {
		d.unreadable(path, err)
	}
}

func (d *decoder) unreadable(path string, err error) {
	message := "cannot be read: " + err.Error()
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		message = fmt.Sprintf("cannot read %s: %s; check the path and its permissions", pe.Path, reason(pe.Err))
	}
	d.problems = append(d.problems, Problem{Place: d.places[path], Path: path, Message: message})
}

// reason is an error of the file system in words that are the same everywhere.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	default:
		return err.Error()
	}
}

// secretFiles are the files that hold secrets of the struct that v points to, each once, sorted: those beside a secret's
// key, and private keys.
func secretFiles(v any) []string { return secretFilesOf(reflect.ValueOf(v).Elem()) }

func secretFilesOf(v reflect.Value) []string {
	var files []string
	fields := fieldsOf(v)
	for _, f := range fields {
		switch {
		case f.value.Kind() == reflect.Struct:
			files = append(files, secretFilesOf(f.value)...)
		case f.value.Kind() != reflect.String || f.value.String() == "":
		case f.name == "key_file", slices.ContainsFunc(fields, func(s field) bool {
			return isSecret(s.value.Type()) && fileKey(s.name) == f.name
		}):
			files = append(files, f.value.String())
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
