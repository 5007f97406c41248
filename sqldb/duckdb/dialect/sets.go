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

// A setCheck refuses grouping sets that would make DuckDB's tree far larger than the
// text: ROLLUP of n terms has n + 1 sets, CUBE has 2^n, and several of these have a set
// for each combination. It counts at least the sets of a block: those of all blocks in
// parentheses belong to the one around them, and every comma makes a term.
type setCheck struct {
	open         []groupingSets
	depth        int // parentheses that are open
	sets, terms  int // of the block outside of parentheses
	total        int // terms in the sets of the blocks before
	before, word string
	named        bool // the next word is a name
}

// groupingSets is a ROLLUP, a CUBE or GROUPING SETS whose parentheses are open.
type groupingSets struct {
	kind         string
	depth, terms int
}

// next reads the next token of a text, in lower case.
func (c *setCheck) next(t sqlread.Token, token string) error {
	isName := c.named
	c.named = namesNext(token)
	if t.Kind == sqlread.Word {
		c.before, c.word = c.word, token
		switch token {
		case "select", "having", "qualify", "order":
			if c.depth == 0 && !isName {
				return c.end()
			}
		}
		return nil
	}
	switch token {
	case "(":
		c.depth++
		if c.word == "rollup" || c.word == "cube" || c.before == "grouping" && c.word == "sets" {
			c.open = append(c.open, groupingSets{c.word, c.depth, 1})
		}
	case ",":
		c.terms++
		for i := range c.open {
			c.open[i].terms++
		}
	case ")":
		if last := len(c.open) - 1; last >= 0 && c.open[last].depth == c.depth {
			c.sets = min(max(c.sets, 1)*c.open[last].sets(), 1<<20)
			c.open = c.open[:last]
		}
		c.depth = max(c.depth-1, 0)
	}
	c.before, c.word = "", ""
	return c.bounded()
}

func (g groupingSets) sets() int {
	switch g.kind {
	case "rollup":
		return g.terms + 1
	case "cube":
		return 1 << min(g.terms, 20)
	}
	return g.terms
}

// end adds the terms of the block that ends.
func (c *setCheck) end() error {
	c.total += c.sets * (c.terms + 1)
	c.sets, c.terms = 0, 0
	return c.bounded()
}

// bounded returns an error if there are too many sets or terms.
func (c *setCheck) bounded() error {
	if c.sets <= maxSets && c.total <= maxSetTerms {
		return nil
	}
	return &sqlast.Error{Code: sqlast.TooCostly, Name: "GROUP BY", Message: "GROUP BY groups in more than 256 ways, " +
		"or by too many terms in all of them: use fewer columns in ROLLUP, CUBE and GROUPING SETS"}
}
