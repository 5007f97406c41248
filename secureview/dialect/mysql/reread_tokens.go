package mysql

import (
	"slices"

	"github.com/xwb1989/sqlparser"

	"github.com/qedkit/qed/secureview/dialect"
)

// tokenTables returns the tables of a printed statement, by the tokens of the
// second parser. It returns false if they are not in the form that the printer
// writes.
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

// tableScan scans tokens for the places at which a table can be named: after FROM
// and JOIN, after a comma between FROM and the next clause, and in parentheses
// that open there. That is exact for what the printer writes: names are in
// backticks, keywords are not, an alias has its AS, and only common table
// expressions have no schema.
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

// frame is the state of the scan in one pair of parentheses or at the top.
type frame struct {
	selected bool // after SELECT
	from     bool // between FROM and the next clause
	expect   bool // before a table or an opening parenthesis
	scope    int  // length of visible when the frame opened

	body      bool   // the body of a common table expression
	naming    bool   // before the name of a common table expression
	recursive bool   // common table expressions are visible in their own bodies
	cte       string // the common table expression that is being declared
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

// token handles the current token. It returns false if the printer does not write
// it there.
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
		f.naming = !f.selected // otherwise it is WITH ROLLUP
		f.expect = false
	case sqlparser.VALUES:
		f.from, f.expect = false, false
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

func (s *tableScan) declares(f *frame) bool { return len(s.visible) > f.scope }

// bareWord handles a keyword that the second parser does not have.
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

// name handles a quoted name and the name after its dot.
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
