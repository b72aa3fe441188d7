package calibration

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"confab/internal/strictyaml"
)

// MaxBytes bounds a calibration file: thresholds of thousands of tenants fit.
const MaxBytes = 1 << 20

// Load reads a calibration file. It is strict: unknown, repeated and missing keys, wrong types and values out of range are
// all reported at once, each with its line and column.
func Load(r io.Reader) (*Calibration, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("calibration: read: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("calibration: the file is larger than %d bytes, which is the limit: is it the right one?", MaxBytes)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("calibration: the file is empty: write one with confab tune")
	}
	f, err := decodeFile(data)
	if err != nil {
		return nil, err
	}
	return New(f)
}

// decodeFile decodes the text and validates it. Of a file of another format it reports the format only.
func decodeFile(data []byte) (File, error) {
	d := strictyaml.NewDecoder(nil)
	d.MaxValues = MaxBytes // each takes a byte at least
	var f File
	d.File(data, "", &f)
	if f.Format != 0 && f.Format != Format {
		return f, problemsError([]strictyaml.Problem{{Place: d.PlaceOf("format", ""), Path: "format", Message: formatMessage(f.Format)}})
	}
	if d.Err() != nil && !d.IsSet("format") {
		return f, prefixError(d.Err())
	}
	d.Report(f.validate(), "")
	return f, prefixError(d.Err())
}

func problemsError(problems []strictyaml.Problem) error {
	return prefixError(strictyaml.NewError(problems))
}

// prefixError drops the type of err: the command line takes a *strictyaml.Error for one of the configuration.
func prefixError(err error) error {
	if err == nil {
		return nil
	}
	return errors.New("calibration: " + err.Error())
}
