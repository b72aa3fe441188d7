package figures

import (
	"strings"
	"unicode/utf8"
)

// ReadIdeographs reads the Chinese numerals at the start of s, such as 二十, 一百二十 and 三千五百, and returns how many bytes it
// read, 0 for none. A single 一 is left out: it mostly is an article.
func ReadIdeographs(s string) (value float64, size int) {
	total, group, digit, signs := 0.0, 0.0, -1.0, 0
	for size < len(s) && signs <= maxIdeographs {
		r, n := utf8.DecodeRuneInString(s[size:])
		switch v := ideographValue(r); {
		case v < 0:
			return finishIdeographs(total+group+max(digit, 0), size, signs, s)
		case v < 10:
			if digit >= 0 && digit != 0 {
				return 0, 0 // 二三: a list
			}
			digit = v
		case v < 1e4:
			group += max(digit, 1) * v
			digit = -1
		default:
			if group+max(digit, 0) == 0 {
				return 0, 0
			}
			total += (group + max(digit, 0)) * v
			group, digit = 0, -1
		}
		size += n
		signs++
	}
	return finishIdeographs(total+group+max(digit, 0), size, signs, s)
}

// ReadMinutes reads the minutes after a Chinese hour at the start of s, such as 半, 三十五分 and 35分, and returns how many
// bytes it read, 0 for none.
func ReadMinutes(s string) (minutes float64, size int) {
	const half, sign = "半", "分"
	if strings.HasPrefix(s, half) {
		return 30, len(half)
	}
	if minutes, size = ReadIdeographs(s); size == 0 {
		for size < min(len(s), 2) && '0' <= s[size] && s[size] <= '9' {
			minutes, size = 10*minutes+float64(s[size]-'0'), size+1
		}
	}
	if size == 0 || minutes >= 60 || !strings.HasPrefix(s[size:], sign) {
		return 0, 0
	}
	return minutes, size + len(sign)
}

// maxIdeographs is the longest number, in characters.
const maxIdeographs = 12

func finishIdeographs(v float64, size, signs int, s string) (value float64, read int) {
	if signs == 0 || signs > maxIdeographs || v == 0 || signs == 1 && (v == 1 || v >= 100) {
		return 0, 0
	}
	if rest, _ := utf8.DecodeRuneInString(s[size:]); rest == '多' || rest == '几' || rest == '余' {
		return 0, 0 // 二十多: more than 20
	}
	return v, size
}

// ideographValue is the value of a digit or power of ten, -1 for another character.
func ideographValue(r rune) float64 {
	switch r {
	case '零', '〇':
		return 0
	case '一':
		return 1
	case '二', '两':
		return 2
	case '三':
		return 3
	case '四':
		return 4
	case '五':
		return 5
	case '六':
		return 6
	case '七':
		return 7
	case '八':
		return 8
	case '九':
		return 9
	case '十':
		return 10
	case '百':
		return 100
	case '千':
		return 1000
	case '万':
		return 1e4
	case '亿':
		return 1e8
	default:
		return -1
	}
}

// IsCounter reports a Chinese measure word at the start of tail.
func IsCounter(tail string) bool {
	for _, sign := range [...]string{"个", "名", "位", "张", "人", "次", "件", "家", "台", "辆", "间", "层", "本", "份", "条", "项", "种", "倍", "篇", "号", "度"} {
		if strings.HasPrefix(tail, sign) {
			return true
		}
	}
	return false
}
