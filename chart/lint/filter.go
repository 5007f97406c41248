package lint

import "slices"

// emptied refuses filters that no row passes. Conditions that only a browser can evaluate
// are taken to be true.
func (l *linter) emptied(v any, path string, sc *scope) {
	list, _ := v.([]any)
	passed := make([]bool, int(sc.rows))
	for i := range passed {
		passed[i] = true
	}
	for i, e := range list {
		o, _ := e.(object)
		filter, isFilter := o["filter"].(object)
		if !isFilter || sc.changed {
			return
		}
		for row := range passed {
			passed[row] = passed[row] && passes(filter, row, sc)
		}
		if !slices.Contains(passed, true) {
			l.fault(ErrNoData, item(path, i)+"/filter", "no row passes it: compare with values that the rows have")
			return
		}
	}
}

// passes reports whether a row may pass a condition.
func passes(o object, row int, sc *scope) bool {
	for key, want := range map[string]bool{"and": true, "or": false} {
		if list, ok := o[key].([]any); ok {
			return slices.ContainsFunc(list, func(e any) bool {
				inner, isObject := e.(object)
				return (!isObject || passes(inner, row, sc)) != want
			}) != want
		}
	}
	name, _ := o["field"].(string)
	plain, _ := unescape(name)
	f := sc.fields[plain]
	if f == nil || o["timeUnit"] != nil || o["not"] != nil || o["param"] != nil {
		return true
	}
	cell := f.cells[row]
	if list, ok := o["oneOf"].([]any); ok {
		return slices.ContainsFunc(list, func(e any) bool { return mayEqual(cell, e) })
	}
	if e, ok := o["equal"]; ok {
		return mayEqual(cell, e)
	}
	n, isNumber := numberCell(cell)
	if !isNumber {
		return true
	}
	within := func(key string, holds func(limit float64) bool) bool {
		limit, ok := number(o[key])
		return !ok || holds(limit)
	}
	if list, ok := o["range"].([]any); ok && len(list) == 2 {
		low, ok1 := number(list[0])
		high, ok2 := number(list[1])
		return (!ok1 || n >= low) && (!ok2 || n <= high)
	}
	return within("lt", func(limit float64) bool { return n < limit }) && within("lte", func(limit float64) bool { return n <= limit }) &&
		within("gt", func(limit float64) bool { return n > limit }) && within("gte", func(limit float64) bool { return n >= limit })
}

// mayEqual reports whether a cell may be equal to a value of a spec. A browser reads texts
// and numbers of different types in ways of its own.
func mayEqual(cell, value any) bool {
	n, isNumber := numberCell(cell)
	if limit, ok := number(value); ok && isNumber {
		return n == limit
	}
	text, isText := cell.(string)
	if want, ok := value.(string); ok && isText {
		return text == want
	}
	return true
}
