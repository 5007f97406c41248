package mysql

import (
	"unicode/utf8"
)

// clip shortens what is quoted from a statement in a message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	n := most
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + ".."
}
