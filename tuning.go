package confab

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"confab/calibration"
	"confab/detectors/standard"
	"confab/internal/files"
)

// maxModelBytes bounds a model file; the embedded one has 375 kB.
const maxModelBytes = 8 << 20

// Tuning holds the contents of a calibration and a model, which may change while a process runs. An empty file name means
// the embedded one.
type Tuning struct {
	CalibrationFile, ModelFile string
	calibration, model         []byte
}

// ReadTuning reads the named files without parsing them.
func ReadTuning(calibrationFile, modelFile string) (Tuning, error) {
	t := Tuning{CalibrationFile: calibrationFile, ModelFile: modelFile}
	for _, f := range []struct {
		key, name string
		limit     int64
		content   *[]byte
	}{
		{"calibration_file", calibrationFile, calibration.MaxBytes, &t.calibration},
		{"model_file", modelFile, maxModelBytes, &t.model},
	} {
		if f.name == "" {
			continue
		}
		var err error
		if *f.content, err = files.Read(f.name, f.limit); err != nil {
			return t, fmt.Errorf("%s: %w", f.key, err)
		}
	}
	return t, nil
}

// WithCalibration returns t with another calibration, which errors call by the name.
func (t Tuning) WithCalibration(name string, content []byte) Tuning {
	t.CalibrationFile, t.calibration = name, content
	return t
}

// Digest is a digest of the contents.
func (t *Tuning) Digest() [sha256.Size]byte {
	content := binary.AppendUvarint(nil, uint64(len(t.calibration)))
	return sha256.Sum256(append(append(content, t.calibration...), t.model...))
}

// ParseCalibration parses the calibration file, or the embedded one without it.
func (t *Tuning) ParseCalibration() (*calibration.Calibration, error) {
	if t.CalibrationFile == "" {
		return calibration.Default()
	}
	cal, err := calibration.Load(bytes.NewReader(t.calibration))
	if err != nil {
		return nil, fmt.Errorf("calibration_file %s: %w", t.CalibrationFile, err)
	}
	return cal, nil
}

// CalibrationWith is the parsed calibration with thresholds that outweigh it, by detector.
func (t *Tuning) CalibrationWith(thresholds map[string]float64) (*calibration.Calibration, error) {
	cal, err := t.ParseCalibration()
	if err != nil {
		return nil, err
	}
	return cal.WithThresholds(thresholds)
}

// ParseModel parses the model file, or the embedded one without it.
func (t *Tuning) ParseModel() (*standard.Model, error) {
	if t.ModelFile == "" {
		return standard.DefaultModel()
	}
	m, err := standard.LoadModel(bytes.NewReader(t.model))
	if err != nil {
		return nil, fmt.Errorf("model_file %s: %w", t.ModelFile, err)
	}
	return m, nil
}
