package strictyaml

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

// fileOf is the field that names the file of a secret.
func fileOf(secret Field, fields []Field) (Field, bool) {
	at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == secret.Name+"_file" })
	if at < 0 || !IsSecret(secret.Value.Type()) {
		return Field{}, false
	}
	return fields[at], true
}

func isSecretFile(file Field, fields []Field) bool {
	return slices.ContainsFunc(fields, func(f Field) bool {
		own, ok := fileOf(f, fields)
		return ok && own.Name == file.Name
	})
}

// resolveSecretFiles reports secrets that the current source sets together with their *_file keys. Whichever of the two it
// sets clears the other one of earlier sources.
func (d *Decoder) resolveSecretFiles(fields []Field, path string) {
	set := func(f Field) bool {
		place, ok := d.places[JoinPath(path, f.Name)]
		return ok && place.layer == d.layer && f.Value.String() != ""
	}
	for _, secret := range fields {
		file, ok := fileOf(secret, fields)
		switch {
		case !ok:
		case set(secret) && set(file):
			at := JoinPath(path, file.Name)
			d.problems = append(d.problems, Problem{Place: d.places[at], Path: at, Message: "is set together with " + secret.Name + "; keep one of them"})
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
	switch v.Kind() { //nolint:exhaustive // the others hold no file
	case reflect.Struct:
		d.readFields(Fields(v), path)
	case reflect.Pointer:
		if !v.IsNil() {
			d.readFilesOf(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			d.readFilesOf(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			item := reflect.New(v.Type().Elem()).Elem() // items of a map cannot be changed in place
			item.Set(v.MapIndex(key))
			d.readFilesOf(item, JoinPath(path, key.String()))
			v.SetMapIndex(key, item)
		}
	}
}

func (d *Decoder) readFields(fields []Field, path string) {
	for _, f := range fields {
		below := JoinPath(path, f.Name)
		file, secret := fileOf(f, fields)
		switch {
		case f.Value.Kind() != reflect.String:
			d.readFilesOf(f.Value, below)
		case secret && file.Value.String() != "":
			d.readSecret(file.Value.String(), f.Value, below+"_file")
		case f.Value.String() == "" || isSecretFile(f, fields):
		case strings.HasSuffix(f.Name, "_file"), strings.HasSuffix(f.Name, "_dir"):
			if info, err := os.Stat(f.Value.String()); err != nil {
				d.reportUnreadable(below, err)
			} else if dir := strings.HasSuffix(f.Name, "_dir"); info.IsDir() != dir {
				d.reportUnreadable(below, fmt.Errorf("%s: %s", f.Value, map[bool]string{true: "not a directory", false: "a directory; name a file"}[dir]))
			}
		}
	}
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

// reportUnreadable describes errors of the file system in the same words on every system.
func (d *Decoder) reportUnreadable(path string, err error) {
	message := "cannot be read: " + err.Error()
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		why := pe.Err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			why = "no such file"
		} else if errors.Is(err, fs.ErrPermission) {
			why = "permission denied"
		}
		message = fmt.Sprintf("cannot read %s: %s; check the path and its permissions", pe.Path, why)
	}
	d.problems = append(d.problems, Problem{Place: d.places[path], Path: path, Message: message})
}
