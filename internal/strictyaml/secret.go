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

// secretFilePairs are the *_file fields by the name of their secret.
func secretFilePairs(fields []Field) map[string]Field {
	pairs := map[string]Field{}
	for _, secret := range fields {
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == secret.Name+"_file" })
		if at >= 0 && IsSecret(secret.Value.Type()) {
			pairs[secret.Name] = fields[at]
		}
	}
	return pairs
}

// resolveSecretFiles reports secrets that the current source sets together with their *_file keys. Whichever of the two it
// sets clears the other one of earlier sources.
func (d *Decoder) resolveSecretFiles(fields []Field, path string) {
	set := func(f Field) bool {
		place, ok := d.places[JoinPath(path, f.Name)]
		return ok && place.layer == d.layer && f.Value.String() != ""
	}
	pairs := secretFilePairs(fields)
	for _, secret := range fields {
		file, ok := pairs[secret.Name]
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
	fields := Fields(v)
	secrets := map[string]reflect.Value{} // by their file key
	for name, file := range secretFilePairs(fields) {
		secrets[file.Name] = fields[slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })].Value
	}
	for _, f := range fields {
		below := JoinPath(path, f.Name)
		switch {
		case f.Value.Kind() != reflect.String:
			eachStruct(f.Value, below, d.readFilesOf)
		case f.Value.String() == "":
		case secrets[f.Name].IsValid():
			d.readSecret(f.Value.String(), secrets[f.Name], below)
		case strings.HasSuffix(f.Name, "_file"), strings.HasSuffix(f.Name, "_dir"):
			d.checkExists(f.Value.String(), strings.HasSuffix(f.Name, "_dir"), below)
		}
	}
}

// eachStruct calls do for the struct that v is, points to or holds as a list or a map, with its path, which do may change.
func eachStruct(v reflect.Value, path string, do func(v reflect.Value, path string)) {
	switch v.Kind() { //nolint:exhaustive // the others hold no struct
	case reflect.Struct:
		do(v, path)
	case reflect.Pointer:
		if !v.IsNil() {
			eachStruct(v.Elem(), path, do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachStruct(v.Index(i), fmt.Sprintf("%s[%d]", path, i), do)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			item := reflect.New(v.Type().Elem()).Elem() // items of a map cannot be changed in place
			item.Set(v.MapIndex(key))
			eachStruct(item, JoinPath(path, key.String()), do)
			v.SetMapIndex(key, item)
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
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
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
	for _, f := range secretFilePairs(fields) {
		files = append(files, f.Value.String())
	}
	for _, f := range fields {
		if f.Name == "key_file" {
			files = append(files, f.Value.String())
		}
		eachStruct(f.Value, "", func(v reflect.Value, _ string) { files = append(files, secretFilesOf(v)...) })
	}
	slices.Sort(files)
	return slices.DeleteFunc(slices.Compact(files), func(name string) bool { return name == "" })
}
