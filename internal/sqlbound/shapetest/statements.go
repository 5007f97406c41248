package shapetest

import (
	_ "embed"
	"strings"
)

// A Statement is one of some dialects, which are given by their letters.
type Statement struct{ Dialects, SQL string }

//go:embed statements.txt
var lines string

// Statements are accepted in their dialects.
func Statements() (list []Statement) {
	for line := range strings.Lines(lines) {
		dialects, sql, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && dialects != "#" {
			list = append(list, Statement{dialects, sql})
		}
	}
	return list
}
