package mysql

import (
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// insertion is a parenthesis that the grammar is given in addition to the text.
type insertion struct {
	at   int // offset in the text
	sign byte
}

// predicateParens returns the parentheses that a statement of MariaDB needs for the
// grammar, which does not have these forms of it:
//
//	x LIKE y + 1         means x LIKE (y + 1), and likewise with REGEXP
//	x LIKE y LIKE z      means (x LIKE y) LIKE z, and likewise with REGEXP, IN and BETWEEN
//	x LIKE y NOT LIKE z  means x LIKE (y NOT LIKE z)
//	x IS TRUE = y        means (x IS TRUE) = y
func predicateParens(text string) []insertion {
	p := predicates{src: text}
	scan := scanner{src: text}
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		p.tokens = append(p.tokens, t)
	}
	for p.i < len(p.tokens) && !p.failed {
		p.run()
		p.i++ // an unmatched parenthesis or END
	}
	if p.failed || len(p.inserted) > 2*sqlast.MaxDepth {
		return nil
	}
	slices.SortStableFunc(p.inserted, func(a, b insertion) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return int(b.sign) - int(a.sign) // a closing parenthesis first
	})
	return p.inserted
}

// insert returns the text with parentheses, and their offsets in it.
func insert(text string, list []insertion) (string, []int) {
	out := make([]byte, 0, len(text)+len(list))
	offsets := make([]int, len(list))
	done := 0
	for i, p := range list {
		out = append(out, text[done:p.at]...)
		offsets[i] = len(out)
		out = append(out, p.sign)
		done = p.at
	}
	return string(append(out, text[done:]...)), offsets
}

// predicates scans for patterns that are more than one operand, and for predicates
// whose left operand is a predicate.
type predicates struct {
	src      string
	tokens   []token
	i        int // of the current token
	inserted []insertion
	failed   bool // the tokens are not what the scan expects
}

// word returns the keyword that is n tokens ahead, in upper case, or "".
func (p *predicates) word(n int) string {
	if p.i+n >= len(p.tokens) || p.tokens[p.i+n].kind != word || p.tokens[p.i+n].afterDot {
		return ""
	}
	t := p.tokens[p.i+n]
	return ascii.Upper(p.src[t.at:t.end])
}

// sign returns the sign that is n tokens ahead, or 0.
func (p *predicates) sign(n int) byte {
	if p.i+n >= len(p.tokens) || p.tokens[p.i+n].kind != mark {
		return 0
	}
	return p.src[p.tokens[p.i+n].at]
}

// double reports whether the current sign is repeated directly, as in <<.
func (p *predicates) double() bool {
	return p.sign(0) != 0 && p.sign(0) == p.sign(1) && p.tokens[p.i].end == p.tokens[p.i+1].at
}

// before returns the end of the token before the current one.
func (p *predicates) before() int { return p.tokens[p.i-1].end }

// run scans to the parenthesis or the END that closes a list of expressions.
func (p *predicates) run() {
	const none, unknown = -1, -2
	left, test := none, none // start of the operands of a predicate and of IS
	between := false         // the next AND belongs to a BETWEEN
	for p.i < len(p.tokens) && !p.failed {
		w := p.word(0)
		if p.sign(0) == ')' || w == "END" {
			return
		}
		switch n := p.operator(); {
		case n > 0:
			p.predicate(n, left)
			continue
		case w == "IS":
			p.truth(test)
			left = none
			continue
		case w == "BETWEEN":
			left, test, between = unknown, unknown, true
		case w == "AND" && between:
			between = false
		case w == "NOT" || endsOperand[w] || p.sign(0) == ',' || p.sign(0) == ';' || p.logical():
			left, test, between = none, none, false
		case p.comparison():
			left = none
		default:
			at := p.tokens[p.i].at
			if left == none {
				left = at
			}
			if test == none {
				test = at
			}
			p.step()
			continue
		}
		p.i++
	}
}

// step skips one token, parentheses or a CASE.
func (p *predicates) step() {
	var closing func() bool
	switch {
	case p.sign(0) == '(':
		closing = func() bool { return p.sign(0) == ')' }
	case p.word(0) == "CASE":
		closing = func() bool { return p.word(0) == "END" }
	case p.double(): // << or >>
		p.i++
	}
	p.i++
	if closing != nil {
		p.run()
		p.failed = p.failed || !closing()
		p.i++
	}
}

// operator returns the number of words of the operator of a predicate, or 0.
func (p *predicates) operator() int {
	n := 0
	if p.word(0) == "NOT" {
		n = 1
	}
	switch p.word(n) {
	case "LIKE", "RLIKE", "REGEXP", "IN":
		return n + 1
	}
	return 0
}

// truth scans IS TRUE and the like. MariaDB allows a comparison after it.
func (p *predicates) truth(start int) {
	if p.i++; p.word(0) == "NOT" {
		p.i++
	}
	w := p.word(0)
	p.i++
	if w != "NULL" && (p.comparison() || p.word(0) == "IS") {
		p.failed = p.failed || start < 0
		p.parenthesize(start)
	}
}

// predicate scans an operator of n words and its right operand.
func (p *predicates) predicate(n, start int) {
	p.i += n
	if p.word(-1) == "IN" {
		p.step()
	} else {
		p.pattern()
	}
	if !p.failed && (p.operator() > 0 || p.word(0) == "NOT" && p.word(1) == "BETWEEN" || p.word(0) == "BETWEEN") {
		p.failed = p.failed || start < 0
		p.parenthesize(start)
	}
}

// pattern scans the right operand of LIKE or REGEXP, to which a following NOT belongs.
func (p *predicates) pattern() {
	if p.i >= len(p.tokens) {
		p.failed = true
		return
	}
	from := p.tokens[p.i].at
	operators := p.operand()
	if n := p.operator(); n > 1 {
		p.predicate(n, from)
		operators = true
	}
	if operators && !p.failed {
		p.parenthesize(from)
	}
	if p.word(0) == "ESCAPE" {
		p.i++
		p.operand()
	}
	p.failed = p.failed || p.word(0) == "NOT"
}

// parenthesize puts the text from an offset to the current token into parentheses.
func (p *predicates) parenthesize(from int) {
	p.inserted = append(p.inserted, insertion{from, '('}, insertion{p.before(), ')'})
}

// operand scans what stands between predicates and comparisons. It reports whether
// that has an infix operator.
func (p *predicates) operand() (operators bool) {
	for !p.failed {
		p.simple()
		if p.word(0) == "COLLATE" {
			p.i += 2
		}
		switch s := p.sign(0); {
		case s == '-' && p.sign(1) == '>': // ->
			p.failed = true
		case s == '+', s == '-', s == '*', s == '/', s == '%', s == '^', s == '|' && !p.double(), s == '&' && !p.double():
			p.i++
		case (s == '<' || s == '>') && p.double():
			p.i += 2
		case p.word(0) == "DIV", p.word(0) == "MOD":
			p.i++
		default:
			return operators
		}
		operators = true
	}
	return operators
}

// simple scans a name, a literal, a call, an INTERVAL or parentheses, and the signs
// before it.
func (p *predicates) simple() {
	for s := p.sign(0); s == '-' || s == '+' || s == '~' || s == '!' || p.word(0) == "BINARY"; s = p.sign(0) {
		p.i++
	}
	switch w := p.word(0); {
	case p.i >= len(p.tokens), endsOperand[w], w == "NOT", w == "END":
		p.failed = true
	case w == "INTERVAL" && p.sign(1) != '(':
		p.i++
		p.operand()
		p.i++ // the unit
	case p.sign(0) == '(', w == "CASE":
		p.step()
	case p.tokens[p.i].kind == mark && p.sign(0) != '.':
		p.failed = true
	default:
		p.name()
	}
}

// name scans a name or a literal, and the arguments of a call.
func (p *predicates) name() {
	literal := p.tokens[p.i].kind == quoted || literalWords[p.word(0)]
	p.i++
	for p.i < len(p.tokens) {
		isString := p.tokens[p.i].kind == quoted && p.src[p.tokens[p.i].at] != '`'
		switch {
		case p.sign(0) == '.', p.sign(-1) == '.', isString && literal, isString && p.tokens[p.i].at == p.before():
			p.i++
		case p.sign(0) == '(':
			p.step()
		default:
			return
		}
	}
}

// comparison reports whether a comparison begins with the current sign.
func (p *predicates) comparison() bool {
	switch p.sign(0) {
	case '=':
		return true
	case '<', '>':
		return !p.double()
	case '!':
		return p.sign(1) == '='
	}
	return false
}

// logical reports whether the current sign begins && or ||.
func (p *predicates) logical() bool {
	return (p.sign(0) == '&' || p.sign(0) == '|') && p.double()
}

var (
	// endsOperand are the words before and after operands.
	endsOperand = sqlread.Words("ALL AND AS ASC BETWEEN BY DESC DISTINCT ELSE ESCAPE EXCEPT FROM GROUP HAVING INTERSECT IS " +
		"LIMIT OFFSET ON OR ORDER OVER PARTITION SELECT SEPARATOR THEN UNION USING WHEN WHERE WINDOW WITH XOR")
	literalWords = sqlread.Words("B DATE N TIME TIMESTAMP X")
)
