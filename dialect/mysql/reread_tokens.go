package mysql

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/qedkit/qed/dialect"
)

// tokenTables answers the tables that a printed statement names, by the second
// reader's tokens alone; false where they are not what the printer writes.
func tokenTables(printed string) ([]dialect.TableName, bool) {
	s := tableScan{src: printed, tokens: sqlparser.NewStringTokenizer(printed)}
	s.frames = append(s.frames, frame{})
	for s.next(); s.kind != 0; s.next() {
		if !s.token() {
			return nil, false
		}
	}
	return s.found, len(s.frames) == 1 && !s.top().expect
}

// tableScan walks over tokens and knows no more of SQL than where a table can be
// named: after FROM and JOIN, after a comma between FROM and the next clause, and
// in parentheses that open there. What the printer writes makes that exact: names
// stand in backticks, keywords do not, an alias has its AS, and only a common
// table expression stands without a schema.
type tableScan struct {
	src    string
	tokens *sqlparser.Tokenizer
	kind   int    // of the current token
	text   []byte // of the current token, if it is a name
	last   int    // the kind of the token before

	frames  []frame
	visible []string // common table expressions in scope, outermost first
	found   []dialect.TableName
}

// frame is what is known about a pair of parentheses, or about the statement.
type frame struct {
	selected bool // a SELECT stood here
	from     bool // between FROM and the next clause
	expect   bool // a table or an opening parenthesis comes next
	scope    int  // length of visible when the frame opened

	body      bool   // of a common table expression
	naming    bool   // the name of a common table expression comes next
	recursive bool   // it is visible in its own body
	cte       string // it is being declared, up to the end of its body
}

func (s *tableScan) top() *frame { return &s.frames[len(s.frames)-1] }

func (s *tableScan) next() {
	s.last = s.kind
	s.kind, s.text = s.tokens.Scan()
}

// quoted reports whether the current token ends in a backtick.
func (s *tableScan) quoted() bool {
	end := s.tokens.Position - 2
	return 0 <= end && end < len(s.src) && s.src[end] == '`'
}

// token takes the current token; false if it cannot stand there.
func (s *tableScan) token() bool {
	f := s.top()
	switch s.kind {
	case sqlparser.LEX_ERROR, sqlparser.COMMENT, ';':
		return false
	case '(':
		s.open(f)
		return true
	case ')':
		return s.close()
	case sqlparser.ID:
		if s.quoted() {
			return s.name(f)
		}
		return s.bareWord(f)
	}
	switch s.kind {
	case sqlparser.WITH:
		f.naming = !f.selected // else it is WITH ROLLUP
		f.expect = false
	case sqlparser.VALUES:
		f.expect = false
	case sqlparser.SELECT:
		f.selected, f.from, f.expect = true, false, false
	case sqlparser.FROM: // also in EXTRACT(.. FROM ..) and TRIM(.. FROM ..)
		f.from, f.expect = f.selected, f.selected
	case sqlparser.JOIN, sqlparser.STRAIGHT_JOIN:
		f.expect = f.from
		return f.from
	case ',':
		if f.expect {
			return false
		}
		f.expect = f.from
		f.naming = !f.selected && s.last == ')' && s.declares(f)
	case sqlparser.WHERE, sqlparser.GROUP, sqlparser.HAVING, sqlparser.ORDER, sqlparser.LIMIT, sqlparser.UNION:
		f.from = false
		return !f.expect
	default:
		return !f.expect
	}
	return true
}

// declares reports whether the frame is in its WITH clause.
func (s *tableScan) declares(f *frame) bool { return len(s.visible) > f.scope }

// bareWord takes a keyword that the second reader does not know.
func (s *tableScan) bareWord(f *frame) bool {
	switch string(s.text) {
	case "RECURSIVE":
		f.recursive = f.naming
		return true
	case "LATERAL":
		return f.expect
	case "WINDOW", "INTERSECT", "EXCEPT":
		f.from = false
	}
	return !f.expect && !f.naming
}

// name takes a quoted name, with what is behind its dot.
func (s *tableScan) name(f *frame) bool {
	switch {
	case f.naming:
		f.naming, f.cte = false, string(s.text)
		return true
	case !f.expect:
		return true
	}
	f.expect = false
	schema, name := "", string(s.text)
	if s.tokens.Position-1 < len(s.src) && s.src[s.tokens.Position-1] == '.' {
		s.next()
		s.next()
		if s.kind != sqlparser.ID || !s.quoted() {
			return false
		}
		schema, name = name, string(s.text)
	}
	if schema != "" || !slices.Contains(s.visible, name) {
		s.found = addTable(s.found, schema, name)
	}
	return true
}

func (s *tableScan) open(f *frame) {
	inner := frame{from: f.expect, expect: f.expect, body: f.cte != "" && s.last == sqlparser.AS}
	f.expect = false
	if inner.body && f.recursive {
		s.visible = append(s.visible, f.cte)
	}
	inner.scope = len(s.visible)
	s.frames = append(s.frames, inner)
}

func (s *tableScan) close() bool {
	inner := *s.top()
	if len(s.frames) == 1 || inner.expect {
		return false
	}
	s.visible = s.visible[:inner.scope]
	s.frames = s.frames[:len(s.frames)-1]
	f := s.top()
	if inner.body {
		if !f.recursive {
			s.visible = append(s.visible, f.cte)
		}
		f.cte = ""
	}
	return true
}
