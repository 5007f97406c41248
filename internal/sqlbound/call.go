package sqlbound

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

func (c *checker) call(e *sqlast.Call) size {
	var buffer [8]size
	args, all := slices.Grow(buffer[:0], len(e.Args)), size{}
	for _, a := range e.Args {
		x := size{}
		if l, ok := a.(*sqlast.Lambda); ok {
			x = c.lambda(l, all)
		} else {
			x = c.expr(a)
		}
		args = append(args, x)
		all = all.plus(x)
	}
	if e.Within {
		for _, o := range e.OrderBy {
			x := c.expr(o.Expr)
			args, all = append(args, x), all.plus(x)
		}
	}
	f := c.rules.Functions[e.Name]
	v := c.result(f, e, args, all)
	v.work = add(all.work, times(linearWork, add(all.bytes(), v.bytes())))
	v.work = add(v.work, c.searches(f, e, args, all))
	if f.kind == kindReplace && len(args) > 0 {
		v.work = add(v.work, times(args[0].bytes(), v.bytes())/bytesMoved)
	}
	v.work = add(v.work, c.clauses(e))
	if v.isLong() {
		return c.bounded(e.Pos, e.Name+"()", v)
	}
	return v
}

// lambda returns the size of what a lambda makes of all elements of a list. An
// element may be as long as the list, or the list may have as many elements as it
// has bytes.
func (c *checker) lambda(l *sqlast.Lambda, list size) size {
	outer := c.element
	c.element = size{text: list.text, data: list.data}
	one := c.expr(l.X)
	c.element = size{}
	fixed := c.expr(l.X)
	c.element = outer
	elements := max(1, list.bytes()/small)
	v := one.plus(size{text: times(fixed.text, elements), data: times(fixed.data, elements)})
	v.work = times(one.work, elements)
	return v
}

// clauses returns the work of the clauses of a call.
func (c *checker) clauses(e *sqlast.Call) int64 {
	work := int64(0)
	for _, o := range e.OrderBy {
		work = add(work, c.expr(o.Expr).work)
	}
	if e.Filter != nil {
		work = add(work, c.expr(e.Filter).work)
	}
	if e.Over != nil {
		work = add(work, c.window(e.Over))
	}
	return work
}

// window returns the work of the expressions of a window.
func (c *checker) window(w *sqlast.Window) int64 {
	work := int64(0)
	sqlast.Children(w, func(n sqlast.Node) { work = add(work, c.expr(n.(sqlast.Expr)).work) })
	return work
}

// result returns the size of a result, without its work.
func (c *checker) result(f Function, e *sqlast.Call, args []size, all size) size {
	arg := func(i int) size {
		if 0 <= i && i < len(args) {
			return args[i]
		}
		return size{}
	}
	switch f.kind {
	case kindSmall:
		return number
	case kindFirst:
		return arg(0).times(int64(f.n))
	case kindLongest:
		return longest(args)
	case kindSum, kindSquare:
		return all.times(int64(f.n))
	case kindProduct:
		return arg(0).times(add(1, all.bytes()-arg(0).bytes()))
	case kindCut:
		if n := c.literalLength(e, f.n); n >= 0 {
			return arg(0).cut(times(bytesPerCharacter, n))
		}
		return arg(0)
	case kindPad:
		return size{text: times(bytesPerCharacter, c.length(e, f.n))}
	case kindJoin:
		return all.plus(arg(0).times(int64(len(args))))
	case kindFormat:
		return c.format(e, args, all)
	case kindFields:
		return all.times(2).plus(size{text: times(fieldWidth, int64(len(args)))})
	case kindReplace:
		return c.replaced(e, arg(0), arg(2))
	case kindRegexp:
		one := size{text: 1}
		return arg(0).plus(one).times(add(arg(2).bytes(), 1))
	case kindJSON:
		return c.json(e, args)
	case kindPretty:
		x := arg(0)
		indent := max(arg(1).bytes(), bytesPerCharacter)
		return size{text: times(times(x.text, x.text), indent), data: times(x.data, 8)}.plus(x)
	case kindPaths:
		return c.paths(e, args)
	case kindCollect:
		return c.collectCall(e, args)
	case kindDigits:
		return arg(0).plus(size{text: min(max(c.literalLength(e, 2), 0), maxDigits)})
	case kindRepeat:
		return arg(0).times(c.length(e, f.n))
	case kindPower:
		if len(e.Args) < 2 {
			return c.power(e.Args[0], size{text: 1}) // exp
		}
		return c.power(e.Args[1], arg(0))
	}
	return all.plus(size{data: collected})
}

// literalLength returns the value of argument n, from 1, if it is a whole number. It
// returns -1 if the argument is computed or missing.
func (c *checker) literalLength(e *sqlast.Call, n int) int64 {
	if n > len(e.Args) {
		return -1
	}
	if x, ok := e.Args[n-1].(*sqlast.Number); ok {
		return digits(x.Text)
	}
	return -1
}

// length is as literalLength, and fails closed: a length that is computed has no
// bound.
func (c *checker) length(e *sqlast.Call, n int) int64 {
	if n := c.literalLength(e, n); n >= 0 {
		return n
	}
	return unbounded
}

// digits returns the value of a whole number, or -1.
func digits(text string) int64 {
	if text == "" {
		return -1
	}
	n, err := strconv.ParseInt(text, 10, 40)
	if err != nil {
		return -1
	}
	return n
}

// replaced returns the size of x in which each occurrence of the second argument
// becomes to. If that is not a literal it could have one byte.
func (c *checker) replaced(e *sqlast.Call, x, to size) size {
	from := int64(1)
	if len(e.Args) > 1 {
		if literal, ok := e.Args[1].(*sqlast.String); ok {
			from = max(from, int64(len(literal.Value)))
		}
	}
	return x.times(max(1, (to.bytes()+from-1)/from))
}

// fieldWidth is the size of a number in a field of a format whose width and precision
// are below 100: a DOUBLE has up to 309 digits before its point, and a sign for each
// three of them.
const fieldWidth = 640

// A field of a format with a width, a precision or the number of an argument, and one
// with a width of more than three digits or from an argument.
var (
	wideField    = regexp.MustCompile(`%[-+ #!,.$0-9]*[0-9]`)
	endlessField = regexp.MustCompile(`%[-+ #!,.$0-9]*(?:[0-9]{4}|\*)`)
)

// format returns the size of a formatted text. A format that is no literal, or that has a
// field without a bound, has none.
func (c *checker) format(e *sqlast.Call, args []size, all size) size {
	if len(e.Args) == 0 {
		return all
	}
	literal, ok := e.Args[0].(*sqlast.String)
	if !ok {
		return size{text: unbounded}
	}
	text := strings.ReplaceAll(literal.Value, "%%", "")
	if endlessField.MatchString(text) {
		return size{text: unbounded}
	}
	fields := int64(strings.Count(text, "%"))
	v := longest(args[1:]).times(2 * fields) // a field may quote its value, and name any
	v.text = add(v.text, int64(len(literal.Value))+fields*small+2000*int64(len(wideField.FindAllString(text, -1))))
	return v
}

// json returns the size of JSON of values. Texts are quoted, JSON is not.
func (c *checker) json(e *sqlast.Call, args []size) (v size) {
	for i, x := range args {
		if call, ok := e.Args[i].(*sqlast.Call); !ok || !strings.Contains(call.Name, "json") {
			x = x.times(2)
		}
		v = v.plus(x)
		v.text = add(v.text, bytesPerCharacter)
	}
	return v
}

// paths returns the size of what paths select of the first argument. Each ** (MySQL)
// and each .. (DuckDB) selects the values at all levels of what is selected before it.
func (c *checker) paths(e *sqlast.Call, args []size) size {
	const levels = 64
	n := int64(0)
	for _, path := range e.Args[min(1, len(e.Args)):] {
		selected := int64(levels)
		if literal, ok := path.(*sqlast.String); ok {
			selected = 1
			for range strings.Count(literal.Value, "**") + strings.Count(literal.Value, "..") {
				selected = min(selected, unbounded/levels) * levels
			}
		}
		n = add(n, selected)
	}
	if len(args) == 0 {
		return size{}
	}
	return args[0].times(max(n, 1))
}

func (c *checker) collectCall(e *sqlast.Call, args []size) size {
	element := c.json(e, args)
	if c.rules.DistinctJSON && e.Distinct && strings.HasPrefix(e.Name, "json") && !isStored(e.Args[0]) {
		c.fail(e.Pos, e.Name, "%s(DISTINCT ..) takes columns of tables only: select the distinct values in a subquery, "+
			"and collect them", e.Name)
	}
	if e.Separator != nil {
		element = element.plus(c.expr(e.Separator))
	}
	return c.collect(e.Pos, e.Name+"()", element)
}

// collect returns the size of the values of all rows together. An engine keeps them
// in memory, so they may hold little that the statement itself adds to each row.
func (c *checker) collect(at sqlast.Pos, name string, element size) size {
	if element.text > maxElement {
		c.fail(at, name, "%s collects values of up to %d bytes each, which the statement adds to the stored ones: "+
			"collect at most %d, and add long texts to the result", name, element.text, maxElement)
	}
	return size{data: max(collected, element.data), work: element.work}
}

// power returns the size of x to the power of y. An exponent that is not a literal
// is taken for one that makes thousands of digits.
func (c *checker) power(y sqlast.Expr, x size) size {
	const computed = 8 << 10
	literal, ok := y.(*sqlast.Number)
	if !ok {
		return x.or(size{data: computed})
	}
	whole, _, _ := strings.Cut(literal.Text, ".")
	return x.times(max(digits(whole), 2))
}
