package dialect

import (
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// Bounds of the grouping sets that DuckDB's parser lists, and of the terms in all sets
// of a statement.
const (
	maxSets     = 256
	maxSetTerms = 16 << 10
)

// endsGroups are the words after which no term of a GROUP BY follows. None of them is a
// name without quotes, except after a point.
var endsGroups = sqlread.Words("select having qualify order")

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

// checkSets refuses grouping sets that would make DuckDB's tree far larger than the text:
// ROLLUP of n terms has n + 1 sets, CUBE has 2^n, and several of these have a set for each
// combination.
func checkSets(text string) error {
	open := []level{{item: 1, own: 1, terms: 1}}
	total := 0
	leave := func(l *level) {
		if l.kind == "" && l.item > 1 {
			total = min(total+l.item*l.terms, 2*maxSetTerms)
		}
	}
	before, word := "", "" // the last two words and points, or "" for another token
	for i := 0; i < len(text); {
		start := i
		kind, end := token(text, i)
		i = end
		if kind == blankToken {
			continue
		}
		l := &open[len(open)-1]
		switch kind {
		case wordToken:
			before, word = word, ascii.Lower(text[start:end])
			if before == "group" && word == "by" || before != "." && endsGroups[word] {
				leave(l)
				l.item, l.terms = 1, 1
			}
			continue
		case '(':
			inner := level{item: 1, own: 1, terms: 1}
			if word == "rollup" || word == "cube" || before == "grouping" && word == "sets" {
				inner.kind = word
			}
			open = append(open, inner)
		case ')':
			leave(l)
			if len(open) > 1 {
				open = open[:len(open)-1]
				outer := &open[len(open)-1]
				outer.item = min(outer.item*min(l.sets(), 1<<20), 1<<20)
				outer.terms += l.terms
			}
		case ',':
			l.own++
			l.terms++
			if l.kind == "sets" {
				l.sum, l.item = l.sum+l.item, 1
			}
		}
		if before, word = "", ""; kind == '.' {
			word = "."
		}
		if l = &open[len(open)-1]; l.item+l.sum > maxSets || total > maxSetTerms {
			break
		}
	}
	for i := range open {
		leave(&open[i])
	}
	if l := &open[len(open)-1]; l.item+l.sum <= maxSets && total <= maxSetTerms {
		return nil
	}
	return &sqlast.Error{Code: sqlast.TooCostly, Name: "GROUP BY", Message: "GROUP BY groups in more than 256 ways, " +
		"or by too many terms in all of them: use fewer columns in ROLLUP, CUBE and GROUPING SETS"}
}
