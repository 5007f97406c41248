package esquery

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// string parses a string. Without escapes the result is a part of the text.
func (r *reader) string() (string, error) {
	r.at++
	from := r.at
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return r.text[from : r.at-1], nil
		case c == '\\':
			return r.escaped(from)
		case c < ' ':
			return "", r.wrong("a string contains a control character")
		}
		r.at++
	}
	return "", r.wrong("a string has no end")
}

// escaped parses the rest of a string from its first escape on.
func (r *reader) escaped(from int) (string, error) {
	b := append([]byte(nil), r.text[from:r.at]...)
	for r.at < len(r.text) {
		c := r.text[r.at]
		r.at++
		switch {
		case c == '"':
			return string(b), nil
		case c < ' ':
			return "", r.wrong("a string contains a control character")
		case c != '\\':
			b = append(b, c)
			continue
		}
		if r.at == len(r.text) {
			break
		}
		c = r.text[r.at]
		r.at++
		switch c {
		case '"', '\\', '/':
			b = append(b, c)
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			char, err := r.unicode()
			if err != nil {
				return "", err
			}
			b = utf8.AppendRune(b, char)
		default:
			return "", r.wrong("an escape is unknown")
		}
	}
	return "", r.wrong("a string has no end")
}

// unicode parses the digits of \u, and the second half of a surrogate pair.
func (r *reader) unicode() (rune, error) {
	first, err := r.hex()
	if err != nil {
		return 0, err
	}
	if first < 0xD800 || first > 0xDFFF {
		return first, nil
	}
	if first < 0xDC00 && strings.HasPrefix(r.text[r.at:], `\u`) {
		r.at += 2
		second, err := r.hex()
		if err != nil {
			return 0, err
		}
		if second >= 0xDC00 && second <= 0xDFFF {
			return 0x10000 + (first-0xD800)<<10 + (second - 0xDC00), nil
		}
		r.at -= len(`\u0000`)
	}
	if r.halves {
		return utf8.RuneError, nil
	}
	return 0, r.wrong("a string contains half a surrogate pair")
}

func (r *reader) hex() (rune, error) {
	if r.at+4 > len(r.text) {
		return 0, r.wrong("a string has no end")
	}
	n, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 32)
	if err != nil {
		return 0, r.wrong("an escape is not hexadecimal")
	}
	r.at += 4
	return rune(n), nil
}

func (r *reader) number() (string, error) {
	from := r.at
	if r.peek() == '-' {
		r.at++
	}
	if r.peek() == '0' {
		r.at++
	} else if r.digits() == 0 {
		return "", r.wrong("a number has no digits")
	}
	if r.peek() == '.' {
		r.at++
		if r.digits() == 0 {
			return "", r.wrong("a number has no digits")
		}
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.at++
		if c := r.peek(); c == '+' || c == '-' {
			r.at++
		}
		if r.digits() == 0 {
			return "", r.wrong("a number has no digits")
		}
	}
	return r.text[from:r.at], nil
}

func (r *reader) peek() byte {
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

func (r *reader) digits() int {
	from := r.at
	for r.at < len(r.text) && '0' <= r.text[r.at] && r.text[r.at] <= '9' {
		r.at++
	}
	return r.at - from
}
