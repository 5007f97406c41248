package sqlite

import "github.com/qedkit/qed/internal/sqlast"

// boundedFormat reports whether the format of a printf is a literal with widths of
// at most 999. printf('%1000000000d', 1) returns a gigabyte, and a width in an
// argument or in a computed format is not known before the statement runs.
func boundedFormat(args []sqlast.Expr) bool {
	if len(args) == 0 {
		return true
	}
	format, ok := args[0].(*sqlast.String)
	if !ok {
		return false
	}
	const maxDigits = 3
	for s := format.Value; s != ""; s = s[1:] {
		if s[0] != '%' {
			continue
		}
		digits := 0
		for s = s[1:]; s != "" && isFieldByte(s[0]); s = s[1:] {
			switch {
			case s[0] == '*':
				return false
			case '0' <= s[0] && s[0] <= '9':
				if digits++; digits > maxDigits {
					return false
				}
			default:
				digits = 0
			}
		}
		if s == "" {
			break
		}
	}
	return true
}

// isFieldByte reports whether c is a flag, a width or a precision.
func isFieldByte(c byte) bool {
	switch c {
	case '-', '+', ' ', '#', '!', ',', '.', '*', 'l':
		return true
	}
	return '0' <= c && c <= '9'
}
