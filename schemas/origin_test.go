package schemas_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestOriginHeader(t *testing.T) {
	tests := map[string]struct {
		origin schemas.Origin
		tenant string
		want   string
	}{
		"plain":   {schemas.Origin{Topic: "llm.interactions", Partition: 3, Offset: 1042, Index: 7}, "default", "1;llm.interactions;3;1042;7;default"},
		"escaped": {schemas.Origin{Topic: "t"}, "a;b%c é", "1;t;0;0;0;a%3Bb%25c%20%C3%A9"},
		"empty":   {schemas.Origin{}, "", "1;;0;0;0;"},
		"largest": {
			schemas.Origin{Topic: "t", Partition: math.MaxInt32, Offset: math.MaxInt64, Index: math.MaxInt32},
			"x",
			"1;t;2147483647;9223372036854775807;2147483647;x",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, string(tt.origin.Header(tt.tenant)))
			got, tenant, err := schemas.ParseOrigin([]byte(tt.want))
			require.NoError(t, err)
			require.Equal(t, tt.origin, got)
			require.Equal(t, tt.tenant, tenant)
		})
	}
}

func TestParseOriginRefuses(t *testing.T) {
	for name, header := range map[string]string{
		"nothing": "", "no fields": "1", "newer": "2;t;0;0;0;x", "too few": "1;t;0;0;0", "too many": "1;t;0;0;0;x;y",
		"no number": "1;t;a;0;0;x", "negative": "1;t;-1;0;0;x", "plus": "1;t;+1;0;0;x", "leading zero": "1;t;01;0;0;x",
		"minus zero": "1;t;-0;0;0;x", "partition too large": "1;t;2147483648;0;0;x", "offset too large": "1;t;0;9223372036854775808;0;x",
		"lower-case escape": "1;t;0;0;0;%c3%a9", "needless escape": "1;t;0;0;0;%41", "cut escape": "1;t;0;0;0;%2", "bare space": "1;t;0;0;0;a b",
		"empty number": "1;t;;0;0;x",
	} {
		t.Run(name, func(t *testing.T) {
			o, tenant, err := schemas.ParseOrigin([]byte(header))
			require.Error(t, err)
			require.Zero(t, o)
			require.Empty(t, tenant)
		})
	}
}

func FuzzParseOrigin(f *testing.F) {
	f.Add([]byte("1;llm.interactions;3;1042;0;default"))
	f.Add([]byte("1;t;0;0;0;a%3Bb%25c%20%C3%A9"))
	f.Add([]byte("2;t;0;0;0;x"))
	f.Fuzz(func(t *testing.T, header []byte) {
		o, tenant, err := schemas.ParseOrigin(header)
		if err != nil {
			return
		}
		require.Equal(t, string(header), string(o.Header(tenant)), "accepted another spelling")
	})
}

func FuzzOriginHeader(f *testing.F) {
	f.Add("llm.interactions", int32(3), int64(1042), uint16(7), "a;b")
	f.Fuzz(func(t *testing.T, topic string, partition int32, offset int64, index uint16, tenant string) {
		want := schemas.Origin{Topic: topic, Partition: partition & math.MaxInt32, Offset: offset & math.MaxInt64, Index: int(index)}
		got, gotTenant, err := schemas.ParseOrigin(want.Header(tenant))
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, tenant, gotTenant)
	})
}
