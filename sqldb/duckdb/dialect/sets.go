package dialect

import (
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// Bounds of the grouping sets that DuckDB's parser lists, and of the terms in all sets
// of a statement.
const (
	maxSets     = 256
	maxSetTerms = 16 << 10
)

// endsGroups reports whether no term of a GROUP BY follows after a word. None of these
// words is a name without quotes, except after a point or a dollar sign.
func endsGroups(word string) bool {
	switch word {
	case "select", "having", "qualify", "order":
		return true
	}
	return false
}

// A level is what stands between two parentheses, or in no parentheses.
type level struct {
	kind  string // the word that makes grouping sets of it: rollup, cube or sets, or ""
	item  int    // the sets of the current item of GROUPING SETS, or of the GROUP BY
	sum   int    // the sets of the items before
	own   int    // its terms
	terms int    // its terms and those of the levels within it
}

// sets returns how many grouping sets the level makes, and a large number for more than
// maxSets.
func (l *level) sets() int {
	switch l.kind {
	case "rollup":
		return l.own + 1
	case "cube":
		return 1 << min(l.own, 20)
	case "sets":
		return l.sum + l.item
	}
	return 1
}

// A setCheck refuses grouping sets that would make DuckDB's tree far larger than the
// text: ROLLUP of n terms has n + 1 sets, CUBE has 2^n, and several of these have a set
// for each combination.
type setCheck struct {
	open         []level
	total        int
	before, word string // the last two words, "." for a point or a dollar sign, or "" for another token
}

var emptyLevel = level{item: 1, own: 1, terms: 1}

func newSetCheck() *setCheck { return &setCheck{open: []level{emptyLevel}} }

// next reads the next token of a text, in lower case.
func (c *setCheck) next(t sqlread.Token, token string) error {
	l := &c.open[len(c.open)-1]
	if t.Kind == sqlread.Word {
		c.before, c.word = c.word, token
		if c.before == "group" && c.word == "by" || c.before != "." && endsGroups(c.word) {
			c.leave(l)
			l.item, l.terms = 1, 1
		}
		return nil
	}
	switch token {
	case "(":
		inner := emptyLevel
		if c.word == "rollup" || c.word == "cube" || c.before == "grouping" && c.word == "sets" {
			inner.kind = c.word
		}
		c.open = append(c.open, inner)
	case ")":
		c.leave(l)
		if len(c.open) > 1 {
			c.open = c.open[:len(c.open)-1]
			outer := &c.open[len(c.open)-1]
			outer.item = min(outer.item*min(l.sets(), 1<<20), 1<<20)
			outer.terms += l.terms
		}
	case ",":
		l.own++
		l.terms++
		if l.kind == "sets" {
			l.sum, l.item = l.sum+l.item, 1
		}
	}
	if c.before, c.word = "", ""; namesNext(token) {
		c.word = "."
	}
	return c.bounded()
}

// leave counts the terms of the sets of a level.
func (c *setCheck) leave(l *level) {
	if l.kind == "" && l.item > 1 {
		c.total = min(c.total+l.item*l.terms, 2*maxSetTerms)
	}
}

// end counts what is still open at the end of a text.
func (c *setCheck) end() error {
	for i := range c.open {
		c.leave(&c.open[i])
	}
	return c.bounded()
}

// bounded returns an error if there are too many sets or terms.
func (c *setCheck) bounded() error {
	if l := &c.open[len(c.open)-1]; l.item+l.sum <= maxSets && c.total <= maxSetTerms {
		return nil
	}
	return &sqlast.Error{Code: sqlast.TooCostly, Name: "GROUP BY", Message: "GROUP BY groups in more than 256 ways, " +
		"or by too many terms in all of them: use fewer columns in ROLLUP, CUBE and GROUPING SETS"}
}
