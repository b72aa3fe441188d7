package calibration

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStalenessWarnings(t *testing.T) {
	t.Parallel()
	sound := File{
		Format: Format, ID: "2026-11-21-9addd63d", CreatedBy: "confab tune v1.2.0", Model: "2026-11-20-aa",
		Data: Data{Fingerprint: "9addd63ddf0a2a3e"},
	}
	for name, tt := range map[string]struct {
		change func(*File)
		want   string // "" for none
	}{
		"sound":                 {func(*File) {}, ""},
		"of an unknown program": {func(f *File) { f.CreatedBy = "" }, ""},
		"of no model":           {func(f *File) { f.Model = "" }, ""},
		"of a name of its own":  {func(f *File) { f.ID = "spring-cleaning" }, ""},
		"without a fingerprint": {func(f *File) { f.Data.Fingerprint = "" }, ""},
		"of another version":    {func(f *File) { f.CreatedBy = "confab tune v1.2.01" }, `written by "confab tune v1.2.01" and this is v1.2.0`},
		"of another model":      {func(f *File) { f.Model = "2026-11-19-bb" }, "fitted with the learned model 2026-11-19-bb and 2026-11-20-aa is in force"},
		"of two files":          {func(f *File) { f.Data.Fingerprint = "0123456789abcdef" }, "its id names the data 9addd63d and data.fingerprint is 0123456789abcdef"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := sound
			tt.change(&f)
			c, err := New(f)
			require.NoError(t, err)
			warnings := c.StalenessWarnings("v1.2.0", "2026-11-20-aa")
			if tt.want == "" {
				require.Empty(t, warnings)
				return
			}
			require.Len(t, warnings, 1)
			require.Contains(t, warnings[0], tt.want)
		})
	}
}
