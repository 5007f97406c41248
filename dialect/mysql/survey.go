package mysql

import (
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// survey is what a text's tokens tell and the grammar's tree does not: the tree
// loses clauses, types and parentheses in places that no server allows or few
// people write. The reader compares, and refuses what was lost.
type survey struct {
	withs   int // WITH clauses
	havings int
	into    int // offset of INTO; -1: none
	err     *sqlast.Error
}

func (s *survey) fail(code refusal.Code, t token, src, message string) {
	if s.err == nil {
		s.err = &sqlast.Error{Code: code, Name: sqlast.Clip(src[t.at:t.end]), Pos: sqlast.Pos(t.at), Message: message}
	}
}

// look walks over the tokens of a text once.
func look(src string) survey {
	s := survey{into: -1}
	joins := joinParens{src: src}
	scan := scanner{src: src}
	var last token
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		if t.kind == hint {
			s.fail(sqlast.Hint, t, src, "optimizer hints are not allowed")
		}
		if joins.regrouped(t) {
			s.fail(sqlast.Unsupported, t, src,
				"a join in parentheses that was joined without ON cannot be followed by another join: give it an ON")
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
			case ascii.EqualFold(text, "BINARY") && (isWord(src, last, "CHAR") || isWord(src, last, "CHARACTER") || closes(src, last)):
				s.fail(sqlast.Unsupported, t, src, "the attribute BINARY of a character type is not supported: cast to BINARY or use COLLATE")
			}
		}
		last = t
	}
	return s
}

func isWord(src string, t token, text string) bool {
	return t.kind == word && !t.afterDot && ascii.EqualFold(src[t.at:t.end], text)
}

func closes(src string, t token) bool { return t.kind == mark && src[t.at] == ')' }

// joinParens finds the one shape of joins that the grammar regroups wrongly:
// A JOIN (B ..) JOIN C, where the first JOIN has no condition. It moves A into
// the parentheses, where a NATURAL or RIGHT JOIN would then mean something else.
type joinParens struct {
	src    string
	open   [sqlast.MaxNesting + 1]bool // by depth: opened after JOIN, and holds no subquery
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
