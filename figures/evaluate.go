package figures

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/refusal"
)

// An evaluation computes references, and notes the cells that it reads.
type evaluation struct {
	tables     []Table
	readers    map[columnKey]*cellReader
	aggregates map[aggregate]aggregated // each is computed once
	sources    []qed.FigureSource
}

type columnKey struct {
	table *Table
	index int
}

// aggregated is the value of an aggregate, or why it has none.
type aggregated struct {
	value  value
	source qed.FigureSource
	err    error
}

// reader returns the reader of column i.
func (e *evaluation) reader(t *Table, i int) *cellReader {
	r := e.readers[columnKey{t, i}]
	if r == nil {
		if e.readers == nil {
			e.readers = map[columnKey]*cellReader{}
		}
		r = newCellReader(&t.Rows, i)
		e.readers[columnKey{t, i}] = r
	}
	return r
}

// A referenceError says why a reference has no value.
type referenceError struct {
	message    string
	candidates []string
}

func (e *referenceError) Error() string { return e.message }

func wrong(format string, args ...any) error {
	return &referenceError{message: fmt.Sprintf(format, args...)}
}

const maxCandidates = 5

func (e *evaluation) value(x expr) (value, error) {
	switch x := x.(type) {
	case cell:
		return e.cell(x)
	case aggregate:
		return e.aggregate(x)
	case negative:
		v, err := e.value(x.x)
		if err != nil || v.kind == missing {
			return value{}, err
		}
		if v.kind != number && v.kind != span {
			return value{}, wrong("it is no number, so it has no negative")
		}
		v.num, v.label = new(big.Rat).Neg(v.num), false
		return v, nil
	case binary:
		a, err := e.value(x.x)
		if err != nil {
			return value{}, err
		}
		b, err := e.value(x.y)
		if err != nil {
			return value{}, err
		}
		return combine(x.op, a, b)
	}
	return value{}, errNoReference
}

// table returns the table with a name, or the first one for the empty name.
func (e *evaluation) table(name string) (*Table, error) {
	names := make([]string, 0, len(e.tables))
	for i := range e.tables {
		t := &e.tables[i]
		if strings.EqualFold(t.Name, name) || name == "" && i == 0 {
			return t, nil
		}
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return nil, wrong("there are no rows")
	}
	return nil, &referenceError{fmt.Sprintf("there is no table %q", name), refusal.Nearest(name, names, maxCandidates)}
}

// column returns the table and the index of a column.
func (e *evaluation) column(table, name string) (*Table, int, error) {
	t, err := e.table(table)
	if err != nil {
		return nil, 0, err
	}
	i := t.columnIndex(name)
	if i >= 0 {
		return t, i, nil
	}
	names := t.columnNames()
	candidates := refusal.Nearest(name, names, maxCandidates)
	if len(candidates) == 0 {
		candidates = names[:min(len(names), maxCandidates)]
	}
	return nil, 0, &referenceError{fmt.Sprintf("there is no column %q", name), candidates}
}

func (e *evaluation) cell(c cell) (value, error) {
	t, i, err := e.column(c.table, c.column)
	if err != nil {
		return value{}, err
	}
	if c.row > len(t.Rows.Rows) {
		return value{}, wrong("there is no row r%d: the rows are r1 to r%d", c.row, len(t.Rows.Rows))
	}
	e.sources = append(e.sources, qed.FigureSource{Query: t.Query, Row: c.row, Column: t.Rows.Columns[i].Name})
	v := e.reader(t, i).value(t.Rows.Rows[c.row-1][i])
	if len(v.text) > maxCell {
		return value{}, wrong("the text has %d bytes, which is too long to show; name its row instead", len(v.text))
	}
	return v, nil
}

// maxCell is the length of the longest text that is shown.
const maxCell = 4 << 10 // bytes

func (e *evaluation) aggregate(a aggregate) (value, error) {
	known, ok := e.aggregates[a]
	if !ok {
		known.value, known.source, known.err = e.compute(a)
		if e.aggregates == nil {
			e.aggregates = map[aggregate]aggregated{}
		}
		e.aggregates[a] = known
	}
	if known.err == nil {
		e.sources = append(e.sources, known.source)
	}
	return known.value, known.err
}

func (e *evaluation) compute(a aggregate) (value, qed.FigureSource, error) {
	if a.column == "" {
		t, err := e.table(a.table)
		if err != nil {
			return value{}, qed.FigureSource{}, err
		}
		return count(t)
	}
	t, i, err := e.column(a.table, a.column)
	if err != nil {
		if counted, tableErr := e.table(a.column); tableErr == nil && a.function == "count" && a.table == "" {
			return count(counted) // count late
		}
		return value{}, qed.FigureSource{}, err
	}
	if t.Rows.Truncated {
		return value{}, qed.FigureSource{}, wrong("%s %s is not known: there are more rows than the %d that were read",
			a.function, a.column, len(t.Rows.Rows))
	}
	v, err := a.over(t, i, e.reader(t, i))
	return v, qed.FigureSource{Query: t.Query, Column: t.Rows.Columns[i].Name}, err
}

// count returns the number of rows.
func count(t *Table) (value, qed.FigureSource, error) {
	if t.Rows.Truncated {
		return value{}, qed.FigureSource{}, wrong("the number of rows is not known: there are more than the %d that were read",
			len(t.Rows.Rows))
	}
	return whole(len(t.Rows.Rows)), qed.FigureSource{Query: t.Query}, nil
}

func whole(n int) value { return value{kind: number, num: new(big.Rat).SetInt64(int64(n))} }

// over applies the function to column i. Like SQL it ignores missing values.
func (a aggregate) over(t *Table, i int, r *cellReader) (value, error) {
	values := make([]value, 0, len(t.Rows.Rows))
	seen := map[string]bool{}
	for _, row := range t.Rows.Rows {
		v := r.value(row[i])
		if v.kind == missing {
			continue
		}
		values = append(values, v)
		if a.function == "distinct" {
			seen[fmt.Sprintf("%T %v", row[i], row[i])] = true
		}
	}
	switch {
	case a.function == "count":
		return whole(len(values)), nil
	case a.function == "distinct":
		return whole(len(seen)), nil
	case len(values) == 0:
		return value{}, nil
	}
	for _, v := range values {
		switch {
		case v.kind != number && (v.kind != moment || a.function != "min" && a.function != "max"):
			return value{}, wrong("%s %s has no value: the column has texts that are no numbers", a.function, a.column)
		case v.kind != values[0].kind:
			return value{}, wrong("%s %s has no value: the column has both numbers and times", a.function, a.column)
		}
	}
	switch a.function {
	case "min":
		return slices.MinFunc(values, compare), nil
	case "max":
		return slices.MaxFunc(values, compare), nil
	case "median":
		slices.SortFunc(values, compare)
		low, high := values[(len(values)-1)/2], values[len(values)/2]
		return combine('/', add(low, high, false), whole(2))
	}
	total := values[0]
	for _, v := range values[1:] {
		total = add(total, v, false)
	}
	total.label = false
	if a.function == "avg" {
		return combine('/', total, whole(len(values)))
	}
	return total, nil
}

func compare(a, b value) int {
	if a.kind == moment {
		return a.time.Compare(b.time)
	}
	return a.num.Cmp(b.num)
}

// add returns a + b or a - b of numbers.
func add(a, b value, subtract bool) value {
	sum := a
	sum.num, sum.label = new(big.Rat), false
	if subtract {
		sum.num.Sub(a.num, b.num)
	} else {
		sum.num.Add(a.num, b.num)
	}
	if a.decimals < 0 || b.decimals < 0 {
		sum.decimals = -1
	} else {
		sum.decimals = max(a.decimals, b.decimals)
	}
	return sum
}

// combine computes a op b. With the operator s, which is a share, a quotient is shown in
// percent.
func combine(op byte, a, b value) (value, error) {
	switch {
	case a.kind == words || b.kind == words:
		return value{}, wrong("texts cannot be computed with: refer to the cell alone, which shows it as it is")
	case a.kind == missing || b.kind == missing:
		return value{}, nil
	case a.kind == moment && b.kind == moment && op == '-':
		days := new(big.Rat).SetFrac64(int64(a.time.Sub(b.time)/time.Second), int64(24*time.Hour/time.Second))
		return value{kind: span, num: days, decimals: -1}, nil
	case a.kind == span && b.kind == span && (op == '+' || op == '-'):
		return add(a, b, op == '-'), nil
	case a.kind != number || b.kind != number:
		return value{}, wrong("only numbers can be computed with, and the days between two dates")
	}
	switch op {
	case '+', '-':
		return add(a, b, op == '-'), nil
	case '*':
		p := a
		p.num, p.label, p.ratio = new(big.Rat).Mul(a.num, b.num), false, false
		p.decimals = a.decimals + b.decimals
		if a.decimals < 0 || b.decimals < 0 {
			p.decimals = -1
		}
		return p, nil
	}
	if b.num.Sign() == 0 {
		return value{}, wrong("the divisor is 0")
	}
	q := a
	q.num, q.label, q.decimals = new(big.Rat).Quo(a.num, b.num), false, -1
	q.ratio = q.ratio || op == 's'
	return q, nil
}
