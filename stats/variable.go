package stats

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/refusal"
)

// A Kind is what the cells of a column are.
type Kind string

const (
	Empty    Kind = "empty" // all cells are missing
	Numbers  Kind = "numbers"
	Texts    Kind = "texts" // and mixed cells
	Times    Kind = "times"
	Booleans Kind = "booleans"
)

// A variable is a column that was read.
type variable struct {
	*column.Column

	// large has the numbers that float64 may round, in full. Nil: there are none.
	large map[string]bool
}

// read reads the column at index i of t; want is as in [column.Read].
func read(t *qed.Table, i int, want column.Kind) (*variable, error) {
	c, err := column.Read(t, i, want)
	if err != nil {
		return nil, fmt.Errorf("stats: %w", err)
	}
	v := &variable{Column: c}
	for j, number := range c.Numbers {
		if math.Abs(number) >= maxExactInt {
			v.addLarge(t.Rows[c.At[j]][i], number)
		}
	}
	return v, nil
}

// numeric reads a column that must have numbers.
func numeric(t *qed.Table, name string) (*variable, error) { return readAs(t, name, column.Numbers) }

// timed reads a column that must have times.
func timed(t *qed.Table, name string) (*variable, error) { return readAs(t, name, column.Times) }

func readAs(t *qed.Table, name string, want column.Kind) (*variable, error) {
	i, err := find(t, name)
	if err != nil {
		return nil, err
	}
	v, err := read(t, i, want)
	if err != nil {
		return nil, err
	}
	if v.Kind != want && v.Kind != column.Empty {
		return nil, refuse(refusal.Problem{
			Code: ErrFieldType, Name: clip(name),
			Message: fmt.Sprintf("column %s has %s, not %s", quoted(name), v.Kind, want),
		})
	}
	return v, nil
}

// float64 has every whole number up to maxExactInt.
const maxExactInt = 1 << 53

// addLarge records a number that float64 may round. A number of more digits than
// anybody writes out is recorded as rounded.
func (v *variable) addLarge(cell any, number float64) {
	text := strconv.FormatFloat(number, 'g', -1, 64)
	if math.Abs(number) < 1e40 {
		var exact big.Rat
		switch cell := cell.(type) {
		case int64:
			exact.SetInt64(cell)
		case float64:
			exact.SetFloat64(cell)
		case string:
			exact.SetString(strings.TrimSpace(cell)) // column.Read took it for a number
		}
		text = exact.RatString()
	}
	if v.large == nil {
		v.large = map[string]bool{}
	}
	v.large[text] = true
}

// distinct returns the number of different numbers of a column with large ones.
func (v *variable) distinct() int {
	small := map[float64]bool{}
	for _, x := range v.Numbers {
		if math.Abs(x) < maxExactInt {
			small[x] = true
		}
	}
	return len(small) + len(v.large)
}

// allEqual is the reason that what, such as "all values", cannot be analysed.
func (v *variable) allEqual(what string) string {
	if len(v.large) > 1 || !isConstant(v.Numbers) {
		return what + " are the same in their first 12 digits, and the rest may be rounded"
	}
	return what + " are the same"
}

// byRow returns the numbers by row, and NaN for rows without one.
func (v *variable) byRow() []float64 {
	all := make([]float64, v.Rows)
	for i := range all {
		all[i] = math.NaN()
	}
	for i, row := range v.At {
		all[row] = v.Numbers[i]
	}
	return all
}
