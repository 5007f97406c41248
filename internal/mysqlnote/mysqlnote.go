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
	s := scanner{src: text, frames: make([]frame, 1)}
	if !s.run() {
		return nil, false
	}
	return s.tables, true
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
	s := scanner{src: printed, frames: make([]frame, 1)}
	ok = s.run()
	for _, label := range s.labels {
		if strings.ContainsAny(label, "'\"`()/") {
			return label, ok
		}
	}
	return "", ok
}

// scanner scans the tokens of a text that a server or dialect/mysql printed.
// Names are in backticks, strings in single quotes, and the only comments are
// those that number the SELECTs, and notNull.
type scanner struct {
	src    string
	at     int
	frames []frame
	tables []dialect.TableName
	labels []string // aliases of tables and names of common table expressions
}

// frame is the state of the scan in one pair of parentheses or at the top.
type frame struct {
	with     bool // after WITH and before SELECT: names are common table expressions
	selected bool // after SELECT
	from     bool // between FROM and the next clause
	expect   bool // before a table or an opening parenthesis
}

func (s *scanner) run() bool {
	for s.skipSpace(); s.at < len(s.src); s.skipSpace() {
		if !s.token() {
			return false
		}
	}
	return len(s.frames) == 1 && !s.frames[0].expect
}

func (s *scanner) skipSpace() {
	for s.at < len(s.src) && ascii.IsSpace(s.src[s.at]) {
		s.at++
	}
}

// token scans one token. It returns false if a server does not print it there.
func (s *scanner) token() bool {
	f := &s.frames[len(s.frames)-1]
	switch c := s.src[s.at]; {
	case c == '`':
		return s.name(f)
	case c == '\'':
		return s.skipString()
	case c == '"':
		return false
	case c == '/' && strings.HasPrefix(s.src[s.at:], notNull):
		s.at += len(notNull) - 1
	case c == '/' && strings.HasPrefix(s.src[s.at:], "/*"):
		return s.skipNumber()
	case c == '(':
		inner := frame{from: f.expect, expect: f.expect}
		f.expect = false
		s.frames = append(s.frames, inner)
	case c == ')':
		if len(s.frames) == 1 || f.expect {
			return false
		}
		s.frames = s.frames[:len(s.frames)-1]
	case c == ',':
		if f.expect {
			return false
		}
		f.expect = f.from
	case c == '.' || !ascii.IsWordByte(c): // also < and > of <materialize>
	default:
		s.word(f)
		return true
	}
	s.at++
	return true
}

func (s *scanner) word(f *frame) {
	start := s.at
	for s.at < len(s.src) && ascii.IsWordByte(s.src[s.at]) {
		s.at++
	}
	switch ascii.Lower(s.src[start:s.at]) {
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

// name scans a name and the names after its dots.
func (s *scanner) name(f *frame) bool {
	parts := make([]string, 0, 3)
	for {
		part, ok := s.backquoted()
		if !ok {
			return false
		}
		parts = append(parts, part)
		if !strings.HasPrefix(s.src[s.at:], ".`") {
			break
		}
		s.at++
	}
	switch {
	case f.expect && len(parts) == 2:
		if t := (dialect.TableName{Schema: parts[0], Name: parts[1]}); !slices.Contains(s.tables, t) {
			s.tables = append(s.tables, t)
		}
	case f.expect && len(parts) > 2:
		return false
	case len(parts) == 1 && !f.expect && (f.from || f.with):
		s.labels = append(s.labels, parts[0])
	}
	f.expect = false
	return true
}

func (s *scanner) backquoted() (string, bool) {
	var name strings.Builder
	for s.at++; ; s.at++ {
		end := strings.IndexByte(s.src[s.at:], '`')
		if end < 0 {
			return "", false
		}
		name.WriteString(s.src[s.at : s.at+end])
		if s.at += end + 1; s.at >= len(s.src) || s.src[s.at] != '`' {
			return name.String(), true
		}
		name.WriteByte('`')
	}
}

func (s *scanner) skipString() bool {
	for s.at++; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '\\':
			s.at++
		case '\'': // a doubled quote is scanned as two strings
			s.at++
			return true
		}
	}
	return false
}

// notNull is what MariaDB prints before IS NULL if the operand cannot be NULL.
const notNull = "/*always not null*/"

// skipNumber skips a comment such as /* select#1 */.
func (s *scanner) skipNumber() bool {
	rest, ok := strings.CutPrefix(s.src[s.at:], "/* select#")
	n := 0
	for n < len(rest) && ascii.IsWordByte(rest[n]) {
		n++
	}
	rest, closed := strings.CutPrefix(rest[n:], " */")
	s.at = len(s.src) - len(rest)
	return ok && closed
}
