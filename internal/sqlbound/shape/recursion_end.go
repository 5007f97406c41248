package shape

import (
	"math"

	"github.com/qedkit/qed/internal/sqlast"
)

// end returns after how many steps a condition ends the recursion, and whether stored
// data ends it instead. The number is infinite if constants do not end it.
func (w *walk) end(e sqlast.Expr) (steps float64, data bool) {
	switch e := e.(type) {
	case *sqlast.Binary:
		switch e.Op {
		case sqlast.Lt, sqlast.Le:
			return w.compared(e.X, e.Y)
		case sqlast.Gt, sqlast.Ge:
			return w.compared(e.Y, e.X)
		}
	case *sqlast.Between:
		if !e.Not {
			return w.either(e.X, e.Low, e.High)
		}
	}
	return math.Inf(1), w.shrinks(e)
}

// either returns the end by X BETWEEN low AND high.
func (w *walk) either(x, low, high sqlast.Expr) (float64, bool) {
	n, data1 := w.compared(x, high)
	m, data2 := w.compared(low, x)
	return min(n, m), data1 || data2
}

// compared returns the end by the condition small < large. Either the recursion
// advances the small side upwards, or the large side downwards.
func (w *walk) compared(small, large sqlast.Expr) (float64, bool) {
	n, data1 := w.toward(small, large, 1)
	m, data2 := w.toward(large, small, -1)
	return min(n, m), data1 || data2 || w.shrinks(small) || w.shrinks(large)
}

// toward returns the end by a condition that holds while e, which names a column of
// the recursion, has not passed a bound in a direction.
func (w *walk) toward(e, bound sqlast.Expr, direction float64) (steps float64, data bool) {
	l := w.linear(e)
	if l == nil || l.column == nil || l.factor <= 0 || l.factor != 1 && l.value.number != 0 {
		return math.Inf(1), false
	}
	i := w.column(l.column)
	next := w.item(i)
	if next == nil {
		return math.Inf(1), false
	}
	step := w.linear(next)
	if step == nil || step.column == nil || w.column(step.column) != i {
		return math.Inf(1), false
	}
	delta := step.value.number * direction
	grows := step.factor == 1 && delta > 0 || step.factor != 1 && step.factor > 0 && (step.factor > 1) == (direction > 0) && delta >= 0
	if !grows {
		return math.Inf(1), false
	}
	stop := w.constant(bound)
	if stop == nil {
		return math.Inf(1), w.isCarried(bound)
	}
	stop = asTime(stop)
	starts := w.starts(i)
	if starts == nil {
		return math.Inf(1), true
	}
	for _, start := range starts {
		if start.kind != stop.kind || start.kind == text {
			return math.Inf(1), true
		}
		by := *step
		at := l.value.number
		if start.kind == moment && by.value.kind == number {
			by.value.number *= day // a number that is added to a date
			at *= day
		}
		steps = max(steps, stepsBetween(start.number*l.factor+at, stop.number, &by, direction))
	}
	return steps, false
}

// stepsBetween returns the number of steps from a start to a stop.
func stepsBetween(start, stop float64, step *linear, direction float64) float64 {
	distance := (stop - start) * direction
	switch {
	case distance <= 0:
		return 1
	case step.factor == 1:
		return math.Floor(distance/math.Abs(step.value.number)) + 1
	case start <= 0 && direction > 0:
		return math.Inf(1) // 0 stays 0 when it is multiplied
	case direction < 0:
		return math.Floor(math.Log(start/max(stop, math.SmallestNonzeroFloat64))/-math.Log(step.factor)) + 1
	}
	return math.Floor(math.Log(stop/start)/math.Log(step.factor)) + 1
}

// starts returns the values of a column before the first step, or nil if they are not
// constants.
func (w *walk) starts(i int) (list []*value) {
	for _, arm := range armsOf(w.cte.Query.Body) {
		switch b := arm.(type) {
		case *sqlast.Select:
			if w.isStep(b) {
				continue
			}
			if i >= len(b.Items) {
				return nil
			}
			list = append(list, w.constant(b.Items[i].Expr))
		case *sqlast.Values:
			for _, row := range b.Rows {
				list = append(list, w.constant(row[i]))
			}
		default:
			return nil
		}
	}
	for k, v := range list {
		if v == nil {
			return nil
		}
		list[k] = asTime(v)
	}
	return list
}

func (w *walk) isStep(b *sqlast.Select) bool {
	for i := range w.cte.steps {
		if w.cte.steps[i].Select == b {
			return true
		}
	}
	return false
}

// isCarried reports whether a bound stays the same: every column of the recursion in
// it is one that the step does not change.
func (w *walk) isCarried(bound sqlast.Expr) bool {
	return !contains(bound, func(n sqlast.Node) bool {
		c, ok := n.(*sqlast.Column)
		if !ok || c.Table != w.alias {
			return false
		}
		i := w.column(c)
		next := w.item(i)
		return next == nil || w.column(uncast(next)) != i
	})
}

// shortening are the functions whose result is a part of their first argument.
var shortening = map[string]bool{
	"substr": true, "substring": true, "right": true, "json_remove": true, "jsonb_remove": true, "trim_array": true,
	"regexp_replace": true, "replace": true, "ltrim": true, "trim": true, "overlay": true, "insert": true,
}

// shrinks reports whether a condition names a column of the recursion that each step
// makes shorter, as when a text is split.
func (w *walk) shrinks(condition sqlast.Expr) bool {
	return contains(condition, func(n sqlast.Node) bool {
		c, ok := n.(*sqlast.Column)
		if !ok || c.Table != w.alias {
			return false
		}
		i := w.column(c)
		return contains(w.item(i), func(n sqlast.Node) bool {
			switch n := n.(type) {
			case *sqlast.Call:
				return shortening[n.Name] && len(n.Args) > 1 && w.column(uncast(n.Args[0])) == i
			case *sqlast.Index:
				return w.column(uncast(n.X)) == i
			}
			return false
		})
	})
}
