package mysql

import (
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// survey counts what the grammar's tree loses: clauses, types and parentheses that
// servers do not allow or that are rarely written. The reader compares its tree
// with the survey and refuses statements of which a part was lost.
type survey struct {
	withs   int // WITH clauses
	havings int
	into    int // offset of INTO; -1: none
	table   int // offset of JSON_TABLE with an opening parenthesis; -1: none
	ilike   bool

	// replaced is another text for the grammar, with the same offsets. It has NATURAL
	// JOIN for NATURAL INNER JOIN, and ILIKE, which no server has, for SOUNDS LIKE. It
	// is nil if the text has nothing that is replaced.
	replaced []byte
	lists    []columnList // the column lists that replaced does not have

	err *sqlast.Error
}

// replace overwrites the text from one offset to another for the grammar.
func (s *survey) replace(src string, from, to int, by string) {
	if s.replaced == nil {
		s.replaced = []byte(src)
	}
	for i := range s.replaced[from:to] {
		s.replaced[from+i] = ' '
	}
	copy(s.replaced[from:to], by)
}

func (s *survey) fail(code refusal.Code, t token, src, message string) {
	if s.err == nil {
		s.err = &sqlast.Error{Code: code, Name: sqlast.Clip(src[t.at:t.end]), Pos: sqlast.Pos(t.at), Message: message}
	}
}

// newSurvey scans the tokens of a text once.
func newSurvey(src string) survey {
	s := survey{into: -1, table: -1}
	joins := joinParens{src: src}
	scan := scanner{src: src}
	var last token
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		if isMark(src, t, '(') && isWord(src, last, "JSON_TABLE") {
			s.table = last.at
		}
		if t.kind == hint {
			s.fail(sqlast.Hint, t, src, "optimizer hints are not allowed")
		}
		if joins.regrouped(t) {
			s.fail(sqlast.Unsupported, t, src,
				"after a JOIN without ON of a join in parentheses there cannot be another join: add an ON")
		}
		if t.kind == word && !t.afterDot {
			switch text := src[t.at:t.end]; {
			case ascii.EqualFold(text, "WITH"):
				s.withs++
			case ascii.EqualFold(text, "ROLLUP") && isWord(src, last, "WITH"):
				s.withs--
			case ascii.EqualFold(text, "HAVING"):
				s.havings++
			case ascii.EqualFold(text, "INTO") && s.into < 0:
				s.into = t.at
			case ascii.EqualFold(text, "INNER") && isWord(src, last, "NATURAL"):
				s.replace(src, t.at, t.end, "")
			case ascii.EqualFold(text, "LIKE") && isWord(src, last, "SOUNDS"):
				s.replace(src, last.at, t.end, "ILIKE")
			case ascii.EqualFold(text, "ILIKE"):
				s.ilike = true
			case ascii.EqualFold(text, "BINARY") && endsCharacterType(src, last):
				s.fail(sqlast.Unsupported, t, src,
					"the attribute BINARY of a character type is not supported: cast to BINARY or use COLLATE")
			}
		}
		last = t
	}
	return s
}

func isWord(src string, t token, text string) bool {
	return t.kind == word && !t.afterDot && ascii.EqualFold(src[t.at:t.end], text)
}

// endsCharacterType reports whether a token can be the last one of a character type.
func endsCharacterType(src string, t token) bool {
	return isWord(src, t, "CHAR") || isWord(src, t, "CHARACTER") || t.kind == mark && src[t.at] == ')'
}

// joinParens finds joins that the grammar regroups wrongly: A JOIN (B ..) JOIN C,
// if the first JOIN has no condition. The grammar moves A into the parentheses,
// which changes the meaning of a NATURAL or RIGHT JOIN in them.
type joinParens struct {
	src    string
	open   [sqlast.MaxNesting + 1]bool // by depth: opened after JOIN, and not a subquery
	depth  int
	prev   [2]token // the last two tokens
	closed bool     // the last token closed such a parenthesis
}

func (j *joinParens) regrouped(t token) bool {
	defer func() { j.prev[1], j.prev[0] = j.prev[0], t }()
	closed := j.closed
	j.closed = false
	switch {
	case t.kind == mark && j.src[t.at] == '(':
		j.depth++
		if j.depth < len(j.open) {
			j.open[j.depth] = j.afterPlainJoin()
		}
	case t.kind == mark && j.src[t.at] == ')':
		if j.depth > 0 {
			j.closed = j.depth < len(j.open) && j.open[j.depth]
			j.depth--
		}
	case t.kind == word && closed:
		return joinWords[ascii.Upper(j.src[t.at:t.end])]
	case t.kind == word && j.prev[0].kind == mark && j.src[j.prev[0].at] == '(' && j.depth < len(j.open):
		switch ascii.Upper(j.src[t.at:t.end]) {
		case "SELECT", "WITH", "TABLE", "VALUES":
			j.open[j.depth] = false
		}
	}
	return false
}

func (j *joinParens) afterPlainJoin() bool {
	if !isWord(j.src, j.prev[0], "JOIN") {
		return false
	}
	for _, outer := range [...]string{"LEFT", "RIGHT", "OUTER"} {
		if isWord(j.src, j.prev[1], outer) {
			return false
		}
	}
	return true
}

var joinWords = map[string]bool{
	"JOIN": true, "CROSS": true, "INNER": true, "LEFT": true, "RIGHT": true, "NATURAL": true, "STRAIGHT_JOIN": true,
}
