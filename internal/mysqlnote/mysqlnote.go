// Package mysqlnote finds the tables in statements as a MySQL or MariaDB server
// prints them: in the note of EXPLAIN, or as the definition of a view.
package mysqlnote

import (
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/secureview/dialect"
)

// Tables returns the tables and views of a statement as a server prints it:
// in the note of EXPLAIN, or as the definition of a view. Servers print them with
// a schema; names without one, such as those of common table expressions, are not
// returned. It returns false if the text is not in the form that servers print.
func Tables(text string) (tables []dialect.TableName, ok bool) {
	tables, _, ok = read(text)
	return tables, ok
}

// TablesAnywhere returns every name after FROM and JOIN in a text that a
// server prints, also inside of strings. It is for MySQL's notes, which contain
// values of rows without escaping, so that the end of a value cannot be found. It
// may return names that are part of a value, but a value cannot hide a table.
func TablesAnywhere(text string) (tables []dialect.TableName) {
	for _, at := range tableName.FindAllStringSubmatchIndex(text, -1) {
		if strings.HasPrefix(text[at[1]:], ".`") || inTrimOrExtract(text[:at[0]]) {
			continue // a column
		}
		t := dialect.TableName{Schema: unquote(text[at[2]:at[3]]), Name: unquote(text[at[4]:at[5]])}
		if !slices.Contains(tables, t) {
			tables = append(tables, t)
		}
	}
	return tables
}

var tableName = regexp.MustCompile("(?i)\\b(?:from|join)[ (]+`((?:[^`]|``)+)`\\.`((?:[^`]|``)+)`")

// inTrimOrExtract reports whether a FROM after the text is part of
// extract(unit FROM x) or trim(x FROM y).
func inTrimOrExtract(before string) bool {
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth < 0 {
				function := ascii.Lower(before[max(0, i-len("extract")):i])
				return strings.HasSuffix(function, "trim") || function == "extract"
			}
		}
	}
	return false
}

func unquote(name string) string { return strings.ReplaceAll(name, "``", "`") }

// UnquotedLabel returns a name in a statement of dialect/mysql that needs quotes but
// that servers print without them: the name of a common table expression or the
// alias of a table that contains a quote or a parenthesis. What the server prints
// then has another meaning. It returns "" if there is none, and false if the text
// is not in the form that the dialect prints.
func UnquotedLabel(printed string) (name string, ok bool) {
	_, labels, ok := read(printed)
	for _, label := range labels {
		if strings.ContainsAny(label, "'\"`()/") {
			return label, ok
		}
	}
	return "", ok
}

// token matches what is in a text that a server or dialect/mysql printed. Names are in
// backticks, strings in single quotes, of which a doubled one is two strings, and the only
// comments are those that number the SELECTs, and the one before IS NULL if the operand
// cannot be NULL.
var token = regexp.MustCompile("(?s)`(?:[^`]|``)*`|'(?:[^'\\\\]|\\\\.)*'|" +
	`/\* select#[\w$]* \*/|/\*always not null\*/|/\*|[\w$\x{80}-\x{10ffff}]+|\S`)

// A frame is what was read in one pair of parentheses or at the top.
type frame struct {
	with     bool // after WITH and before SELECT: names are common table expressions
	selected bool // after SELECT
	from     bool // between FROM and the next clause
	expect   bool // before a table or an opening parenthesis
}

// read returns the tables of a text, and its labels: the aliases of tables and the names of
// common table expressions. ok is false if no server prints such a text.
func read(text string) (tables []dialect.TableName, labels []string, ok bool) {
	frames := make([]frame, 1)
	tokens := token.FindAllString(text, -1)
	for i := 0; i < len(tokens); i++ {
		f := &frames[len(frames)-1]
		switch t := tokens[i]; {
		case t == "`", t == "'", t == `"`, t == "/*": // without an end, or never printed
			return nil, nil, false
		case t[0] == '`':
			parts := []string{unquote(t[1 : len(t)-1])}
			for i+2 < len(tokens) && tokens[i+1] == "." && len(tokens[i+2]) > 1 && tokens[i+2][0] == '`' {
				i += 2
				parts = append(parts, unquote(tokens[i][1:len(tokens[i])-1]))
			}
			switch {
			case f.expect && len(parts) > 2:
				return nil, nil, false
			case f.expect && len(parts) == 2:
				if t := (dialect.TableName{Schema: parts[0], Name: parts[1]}); !slices.Contains(tables, t) {
					tables = append(tables, t)
				}
			case len(parts) == 1 && !f.expect && (f.from || f.with):
				labels = append(labels, parts[0])
			}
			f.expect = false
		case t == "(":
			inner := frame{from: f.expect, expect: f.expect}
			f.expect = false
			frames = append(frames, inner)
		case t == ")":
			if len(frames) == 1 || f.expect {
				return nil, nil, false
			}
			frames = frames[:len(frames)-1]
		case t == ",":
			if f.expect {
				return nil, nil, false
			}
			f.expect = f.from
		case ascii.IsWordByte(t[0]):
			f.word(t)
		}
	}
	return tables, labels, len(frames) == 1 && !frames[0].expect
}

func (f *frame) word(word string) {
	switch ascii.Lower(word) {
	case "with": // also in WITH ROLLUP
		f.with, f.expect = !f.selected, false
	case "select":
		*f = frame{selected: true}
	case "from": // also in extract(.. from ..) and trim(.. from ..)
		f.from, f.expect = f.selected, f.selected
	case "join", "straight_join":
		f.expect = f.from
	case "where", "group", "having", "order", "limit", "window", "union", "intersect", "except":
		f.from = false
	case "materialize", "lateral": // a parenthesis follows
	default:
		f.expect = false // dual, values, json_table
	}
}
