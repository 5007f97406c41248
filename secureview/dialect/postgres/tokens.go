package postgres

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// The grammar's stack is large enough for eight times this depth.
const (
	maxChain     = 400 // nested operators, in all parentheses together
	weightOfOpen = 3   // levels of a pair of parentheses, which may contain a query
)

// All statements of a program wait for one another at the grammar, so the time that
// it takes for a text is estimated from the tokens, in nanoseconds of a usual
// machine. On a machine that takes 1.7 times as long, a text of maxCost is read in
// 50 ms. BenchmarkWorst64KB compares the estimate with what the grammar takes.
const (
	maxCost     = 30_000_000
	costOfName  = 5000
	costOfSign  = 5600
	costOfValue = 1900
	costOfMark  = 1500
	costOfItem  = 2700 // an entry of a select list, of FROM or of ORDER BY
	costOfComma = 500  // any other comma
)

// checkTokens refuses a text that takes the grammar too long or is too deep for it.
// It estimates the depth of the text's tree from its tokens. The estimate is never
// too low: a chain of operators ends only where nothing that follows can have it as
// an operand.
func checkTokens(text string) error {
	d := depths{levels: make([]level, 1, 8)}
	d.top().lists = true
	scan := scanner{src: text}
	label := false // after the last token, any word is a name
	cost := 0
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		src := text[t.at:t.end]
		switch t.kind {
		case mark:
			d.mark(src)
		case sign:
			d.top().chain++
		case word:
			if !label {
				d.word(roleOf(src))
			}
		}
		if cost += d.cost(t.kind, src); cost > maxCost {
			return &sqlast.Error{Code: sqlast.TooComplex, Pos: sqlast.Pos(t.at),
				Message: "the statement has too many words, values and operators: shorten its lists"}
		}
		if scan.crowded {
			break
		}
		if len(d.levels) > sqlast.MaxNesting+1 {
			return tooDeep(t.at, "the statement nests deeper than %d parentheses", sqlast.MaxNesting)
		}
		if d.top().depth() > maxChain {
			return tooDeep(t.at, "the statement has more than %d nested operators", maxChain)
		}
		label = src == "." || t.kind == word && strings.EqualFold(src, "AS")
	}
	if scan.crowded {
		return &sqlast.Error{Code: sqlast.TooComplex, Pos: sqlast.Pos(scan.at),
			Message: "too many operator characters follow one another"}
	}
	for len(d.levels) > 1 {
		d.pop() // levels that were not closed
	}
	if d.top().depth() > maxChain {
		return tooDeep(len(text), "the statement has more than %d nested operators", maxChain)
	}
	return nil
}

// depths has the open parentheses, brackets and CASEs.
type depths struct{ levels []level }

func (d *depths) top() *level { return &d.levels[len(d.levels)-1] }

// cost returns what the grammar takes for a token.
func (d *depths) cost(kind tokenKind, src string) int {
	switch {
	case kind == constant:
		return costOfValue
	case kind == sign:
		return costOfSign
	case kind != mark:
		return costOfName
	case src != ",":
		return costOfMark
	case d.top().lists:
		return costOfItem
	}
	return costOfComma
}

func (d *depths) mark(src string) {
	switch src {
	case "(", "[", "{":
		d.levels = append(d.levels, level{})
	case ")", "]", "}":
		for d.top().isCase {
			d.pop() // the CASE was a name
		}
		d.pop()
	case ",", ";":
		d.top().separate()
	case "::":
		d.top().chain++
	}
}

func (d *depths) word(r role) {
	switch r {
	case opens:
		d.levels = append(d.levels, level{isCase: true})
	case ends:
		if d.top().isCase {
			d.pop()
		}
	default:
		d.top().word(r)
	}
}

func (d *depths) pop() {
	if len(d.levels) == 1 {
		return
	}
	depth := d.top().depth() + weightOfOpen
	d.levels = d.levels[:len(d.levels)-1]
	d.top().inner = max(d.top().inner, depth)
}

func tooDeep(at int, format string, most int) error {
	return &sqlast.Error{Code: sqlast.TooDeep, Pos: sqlast.Pos(at), Message: fmt.Sprintf(format, most)}
}

// level is the state between two parentheses.
type level struct {
	chain    int // operators since the last separator
	inner    int // depth of the deepest parentheses since the last separator
	most     int // depth of the deepest chain before the last separator
	stacked  int // joins and set operations, which no separator ends
	betweens int // BETWEENs without their AND
	isCase   bool
	lists    bool // has commas of a select list, of FROM or of ORDER BY
}

func (l *level) depth() int { return max(l.most, l.chain+l.inner) + l.stacked }

func (l *level) separate() {
	l.most = max(l.most, l.chain+l.inner)
	l.chain, l.inner = 0, 0
}

func (l *level) word(r role) {
	switch r {
	case chains:
		l.chain++
	case between:
		l.chain++
		l.betweens++
	case and:
		if l.betweens > 0 {
			l.betweens-- // a BETWEEN b AND c may be an operand of what follows
			l.chain++
		} else {
			l.separate()
		}
	case separates:
		l.separate()
	case selects:
		l.separate()
		l.lists = true
	case lists:
		l.lists = true
	case stacks:
		l.stacked++
	}
}

// role is the effect of a word on the depth of the tree.
type role uint8

const (
	_ role = iota
	chains
	between
	and
	separates
	selects
	lists
	stacks
	opens
	ends
)

// roleOf returns the role of a word.
func roleOf(src string) role {
	var upper [9]byte // as long as the longest word that has a role
	if len(src) > len(upper) {
		return 0
	}
	for i := range len(src) {
		if upper[i] = src[i]; 'a' <= src[i] && src[i] <= 'z' {
			upper[i] -= 'a' - 'A'
		}
	}
	return roles[string(upper[:len(src)])]
}

var roles = map[string]role{
	"NOT": chains, "IS": chains, "ISNULL": chains, "NOTNULL": chains, "LIKE": chains, "ILIKE": chains, "SIMILAR": chains,
	"IN": chains, "COLLATE": chains, "AT": chains, "OPERATOR": chains, "OVERLAPS": chains,
	"BETWEEN": between, "AND": and,
	"OR": separates, "WHEN": separates, "THEN": separates, "ELSE": separates, "WHERE": separates,
	"SELECT": selects, "BY": lists,
	"JOIN": stacks, "UNION": stacks, "INTERSECT": stacks, "EXCEPT": stacks,
	"CASE": opens, "END": ends,
}
