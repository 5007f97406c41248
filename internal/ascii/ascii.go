// Package ascii changes and compares the case of ASCII letters, as databases do
// with names. Unicode's rules would fold a long s or the Kelvin sign, and so treat
// two names as the same that are different names in the database.
package ascii

// Lower returns s with its ASCII letters in lower case.
func Lower(s string) string {
	for i := range len(s) {
		if LowerByte(s[i]) != s[i] {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = LowerByte(b[i])
			}
			return string(b)
		}
	}
	return s
}

// Upper returns s with its ASCII letters in upper case.
func Upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - ('a' - 'A')
		}
	}
	return string(b)
}

// LowerByte returns c in lower case if it is an ASCII letter, otherwise c.
func LowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// EqualFold reports whether a and b are equal or differ in the case of ASCII
// letters only.
func EqualFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i] != b[i] && LowerByte(a[i]) != LowerByte(b[i]) {
			return false
		}
	}
	return true
}

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsWordByte reports whether c can be in a word of SQL: a keyword, a number or a name
// without quotes. Every byte of a non-ASCII character can.
func IsWordByte(c byte) bool {
	lower := LowerByte(c)
	return 'a' <= lower && lower <= 'z' || IsDigit(c) || c == '_' || c == '$' || c >= 0x80
}

// IsSpace reports whether c is white space in SQL.
func IsSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
