package schemas

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// originVersion opens every encoded origin. A reader refuses versions that it does not know.
const originVersion = "1"

var (
	errOriginVersion = errors.New("parse origin: unknown version: written by a newer confab, upgrade the reader first")
	errOriginForm    = errors.New("parse origin: not of the form 1;topic;partition;offset;index;tenant")
)

// Header encodes the origin and the tenant as the value of the confab-origin header of a forwarded copy:
//
//	1;topic;partition;offset;index;tenant
//
// Numbers are decimal. In topic and tenant every byte but ASCII letters, digits, and - . _ ~ is written as %XX in
// upper-case hexadecimal. The encoding is canonical: equal values have equal bytes.
func (o Origin) Header(tenant string) []byte {
	return fmt.Appendf(nil, "%s;%s;%d;%d;%d;%s", originVersion, escape(o.Topic), o.Partition, o.Offset, o.Index, escape(tenant))
}

// ParseOrigin reads what Header wrote. It refuses everything else, other spellings of the same values included.
func ParseOrigin(header []byte) (o Origin, tenant string, err error) {
	version, rest, found := strings.Cut(string(header), ";")
	if !found {
		return Origin{}, "", errOriginForm
	}
	if version != originVersion {
		return Origin{}, "", errOriginVersion
	}
	parts := strings.Split(rest, ";")
	if len(parts) != 5 {
		return Origin{}, "", errOriginForm
	}
	var numbers [3]int64
	for i, limit := range [3]int64{math.MaxInt32, math.MaxInt64, math.MaxInt32} {
		n, err := strconv.ParseInt(parts[1+i], 10, 64)
		if err != nil || n < 0 || n > limit || strconv.FormatInt(n, 10) != parts[1+i] {
			return Origin{}, "", errOriginForm
		}
		numbers[i] = n
	}
	topic, okTopic := unescape(parts[0])
	tenant, okTenant := unescape(parts[4])
	if !okTopic || !okTenant {
		return Origin{}, "", errOriginForm
	}
	return Origin{Topic: topic, Partition: int32(numbers[0]), Offset: numbers[1], Index: int(numbers[2])}, tenant, nil
}

// escape writes every byte but the unreserved ones of RFC 3986 as %XX.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// unescape reads what escape writes, and nothing else.
func unescape(s string) (string, bool) {
	text, err := url.PathUnescape(s)
	return text, err == nil && escape(text) == s
}
