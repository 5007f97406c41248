package mysql

import (
	"slices"

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
	into    int   // offset of INTO; -1: none
	inners  []int // offsets of the INNER of NATURAL INNER JOIN, which the grammar does not have
	medians []int // offsets of the MEDIAN of MEDIAN(x) OVER (..), which it does not have either
	windows bool  // there may be a window function: MariaDB has names such as rank

	err *sqlast.Error
}

func (s *survey) fail(code refusal.Code, t token, src, message string) {
	if s.err == nil {
		s.err = &sqlast.Error{Code: code, Name: sqlast.Clip(src[t.at:t.end]), Pos: sqlast.Pos(t.at), Message: message}
	}
}

// newSurvey scans the tokens of a text once.
func newSurvey(src string) survey {
	s := survey{into: -1}
	joins := joinParens{src: src}
	scan := scanner{src: src}
	var last token
	for t := scan.next(); t.kind != endOfText && s.err == nil; t = scan.next() {
		if t.kind == hint {
			s.fail(sqlast.Hint, t, src, "optimizer hints are not allowed")
		}
		if joins.regrouped(t) {
			s.fail(sqlast.Unsupported, t, src,
				"after a JOIN without ON of a join in parentheses there cannot be another join: add an ON")
		}
		if isMark(src, t, '(') && isWord(src, last, "MEDIAN") {
			s.medians = append(s.medians, last.at)
		}
		if joins.depth > sqlast.MaxNesting {
			s.err = sqlast.NestsTooDeep(t.at)
		}
		if t.kind == word && !t.afterDot {
			s.word(src, t, last)
		}
		last = t
	}
	return s
}

// word looks at a word after the token last.
func (s *survey) word(src string, t, last token) {
	switch ascii.Upper(src[t.at:t.end]) {
	case "WITH":
		s.withs++
	case "ROLLUP":
		if isWord(src, last, "WITH") {
			s.withs--
		}
	case "HAVING":
		s.havings++
	case "INTO":
		if s.into < 0 {
			s.into = t.at
		}
	case "INNER":
		if isWord(src, last, "NATURAL") {
			s.inners = append(s.inners, t.at)
		}
	case "OVER", "WINDOW":
		s.windows = true
	case "BINARY":
		if endsCharacterType(src, last) {
			s.fail(sqlast.Unsupported, t, src,
				"the attribute BINARY of a character type is not supported: cast to BINARY or use COLLATE")
		}
	}
}

func isMark(src string, t token, sign byte) bool { return t.kind == mark && src[t.at] == sign }

func isWord(src string, t token, text string) bool {
	return t.kind == word && !t.afterDot && ascii.EqualFold(src[t.at:t.end], text)
}

func endsCharacterType(src string, t token) bool {
	return isWord(src, t, "CHAR") || isWord(src, t, "CHARACTER") || isMark(src, t, ')')
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
	case isMark(j.src, t, '('), isMark(j.src, t, '{'):
		j.depth++
		if j.depth < len(j.open) {
			j.open[j.depth] = j.afterPlainJoin()
		}
	case isMark(j.src, t, ')'), isMark(j.src, t, '}'):
		if j.depth > 0 {
			j.closed = j.depth < len(j.open) && j.open[j.depth]
			j.depth--
		}
	case t.kind == word && closed:
		return joinWords[ascii.Upper(j.src[t.at:t.end])]
	case t.kind == word && isMark(j.src, j.prev[0], '(') && j.depth < len(j.open):
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
	return !slices.ContainsFunc([]string{"LEFT", "RIGHT", "OUTER"}, func(outer string) bool { return isWord(j.src, j.prev[1], outer) })
}

var joinWords = map[string]bool{
	"JOIN": true, "CROSS": true, "INNER": true, "LEFT": true, "RIGHT": true, "NATURAL": true, "STRAIGHT_JOIN": true,
}
