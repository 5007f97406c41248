package figures

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/wordset"
)

// A reference is what stands between braces: an expression, and how its value is
// shown.
type reference struct {
	text     string // without the braces
	expr     expr
	decimals int // digits after the point; -1: as many as the value needs
	percent  bool
	power    int // the value is shown in units of ten to this power
}

// An expr is one of the types below.
type expr interface{}

type (
	// cell is r3.hours, or late.r3.hours of the table late.
	cell struct {
		table  string
		row    int // from 1
		column string
	}

	// aggregate is "sum hours", or "count" without a column.
	aggregate struct {
		function string
		table    string
		column   string
	}

	// binary is x - y. The operator of "share x of y" is 's'.
	binary struct {
		op   byte
		x, y expr
	}

	// negative is -x.
	negative struct{ x expr }
)

const (
	maxReference = 200 // bytes between the braces
	maxDepth     = 8   // of parentheses
)

var (
	// rowName is the name of a row.
	rowName = regexp.MustCompile(`^[rR]([1-9]\d{0,6})$`)

	// likeReference is how something begins that can only be meant as a reference.
	likeReference = regexp.MustCompile(`(?i)^\s*[(-]*\s*(\w+\.)?r\d+\s*\.|^\s*(sum|avg|min|max|median|distinct|share)\s+[\pL"(_]|^\s*count\b`)
)

// forms matches what stands behind the colon: digits, and k, M, G or %.
var forms = regexp.MustCompile(`^([0-6]?)([kMG%]?)$`)

var powers = map[string]int{"k": 3, "M": 6, "G": 9}

var functions = wordset.Of("sum avg min max median count distinct")

var (
	errNoReference = errors.New("it is no reference")
	errDepth       = errors.New("it has too many parentheses")
)

// parseReference reads the text between two braces.
func parseReference(text string) (reference, error) {
	ref := reference{text: strings.TrimSpace(text), decimals: -1}
	body, form, formatted := cutForm(ref.text)
	if m := forms.FindStringSubmatch(form); formatted && m != nil {
		if m[1] != "" {
			ref.decimals = int(m[1][0] - '0')
		}
		ref.percent, ref.power = m[2] == "%", powers[m[2]]
	} else if formatted {
		return ref, errors.New("after the colon stand a number of digits from 0 to 6, and one of k, M, G and %")
	}
	p := parser{tokens: tokens(body)}
	x, err := p.sum(0)
	if err == nil && len(p.tokens) > 0 {
		err = errors.New("there is no operator before " + p.tokens[0])
	}
	ref.expr = x
	return ref, err
}

// cutForm cuts a reference at its last colon outside of quotes.
func cutForm(text string) (body, form string, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.Count(text[i:], `"`)%2 == 1 {
		return text, "", false
	}
	return text[:i], strings.TrimSpace(text[i+1:]), true
}

// tokens splits an expression into names, with their quotes, and signs.
func tokens(text string) []string {
	var all []string
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		n := size
		switch {
		case unicode.IsSpace(r):
			text = text[size:]
			continue
		case r == '"':
			if end := strings.IndexByte(text[1:], '"'); end >= 0 {
				n = end + 2
			}
		case isNameRune(r):
			n = len(text) - len(strings.TrimLeftFunc(text, isNameRune))
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	return all
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// A parser reads an expression from its tokens.
type parser struct{ tokens []string }

// next returns the next token, and "" at the end.
func (p *parser) next() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

// take removes the next token if it is one of those given, and returns it.
func (p *parser) take(any ...string) string {
	for _, t := range any {
		if strings.EqualFold(p.next(), t) {
			p.tokens = p.tokens[1:]
			return t
		}
	}
	return ""
}

func (p *parser) sum(depth int) (expr, error) { return p.chain(depth, p.product, "+", "-") }

func (p *parser) product(depth int) (expr, error) { return p.chain(depth, p.term, "*", "/") }

// chain reads operands with operators of the same precedence between them.
func (p *parser) chain(depth int, operand func(int) (expr, error), operators ...string) (expr, error) {
	x, err := operand(depth)
	for err == nil {
		op := p.take(operators...)
		if op == "" {
			break
		}
		var y expr
		y, err = operand(depth)
		x = binary{op[0], x, y}
	}
	return x, err
}

func (p *parser) term(depth int) (expr, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	if p.take("-") != "" {
		x, err := p.term(depth + 1)
		return negative{x}, err
	}
	if p.take("(") != "" {
		x, err := p.sum(depth + 1)
		if err == nil && p.take(")") == "" {
			err = errors.New("a parenthesis is not closed")
		}
		return x, err
	}
	if len(p.tokens) > 1 && p.take("share") != "" {
		part, err := p.term(depth + 1)
		if err != nil {
			return nil, err
		}
		if p.take("of") == "" {
			return nil, errors.New(`a share is written "share x of y"`)
		}
		whole, err := p.term(depth + 1)
		return binary{'s', part, whole}, err
	}
	if name := strings.ToLower(p.next()); functions[name] {
		p.tokens = p.tokens[1:]
		return p.aggregate(name)
	}
	return p.cell()
}

// aggregate reads what follows the name of a function.
func (p *parser) aggregate(function string) (expr, error) {
	closing := p.take("(") != "" // sum(hours) is accepted too
	a := aggregate{function: function}
	if isName(p.next()) && !strings.EqualFold(p.next(), "of") {
		name := p.name()
		if p.take(".") != "" {
			a.table = name
			if !isName(p.next()) {
				return nil, errors.New("the name of a column is missing after " + name + ".")
			}
			name = p.name()
		}
		a.column = name
	}
	if closing && p.take(")") == "" {
		return nil, errors.New("a parenthesis is not closed")
	}
	if a.column == "" && function != "count" {
		return nil, errors.New("the column of " + function + " is missing")
	}
	return a, nil
}

// cell reads the name of a cell.
func (p *parser) cell() (expr, error) {
	var c cell
	if len(p.tokens) > 2 && isName(p.tokens[0]) && p.tokens[1] == "." && rowName.MatchString(p.tokens[2]) {
		c.table = p.name()
		p.take(".")
	}
	row := rowName.FindStringSubmatch(p.next())
	if row == nil {
		return nil, errNoReference
	}
	p.tokens = p.tokens[1:]
	c.row, _ = strconv.Atoi(row[1])
	if p.take(".") == "" || !isName(p.next()) {
		return nil, errors.New("the name of a column is missing after " + row[0])
	}
	c.column = p.name()
	return c, nil
}

func isName(token string) bool {
	r, _ := utf8.DecodeRuneInString(token)
	return token != "" && (isNameRune(r) || r == '"' && len(token) > 1)
}

// name takes a name, without its quotes.
func (p *parser) name() string {
	token := p.tokens[0]
	p.tokens = p.tokens[1:]
	return strings.Trim(token, `"`)
}
