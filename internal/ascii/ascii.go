// Package ascii changes and compares the case of ASCII letters alone, as
// databases do with names. With Unicode's rules a name with a long s, or the sign
// of the Kelvin, would be taken for a table that the database holds to be another.
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

// Upper returns s with its ASCII letters in capitals.
func Upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - ('a' - 'A')
		}
	}
	return string(b)
}

// LowerByte returns c in lower case where it is an ASCII letter.
func LowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// EqualFold reports whether a and b differ in the case of ASCII letters at most.
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
