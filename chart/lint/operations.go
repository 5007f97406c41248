package lint

import (
	"slices"

	"github.com/qedkit/qed/chart/internal/vegalite"
)

// names checks a list of fields, and returns those that exist.
func (l *linter) names(v any, path string, sc *scope) (known []string) {
	for i, name := range textsOf(v) {
		if _, ok := l.field(name, item(path, i), sc); ok {
			known = append(known, name)
		}
	}
	return known
}

// rangedOps make numbers in the range of those that they read.
var rangedOps = words("mean average median min max q1 q3 first_value last_value nth_value lag lead")

// operations checks a list of {op, field, as}, and returns a scope with the new fields.
func (t *transform) operations(v any, path string, out *scope) *scope {
	var made []string
	l, sc, ranges := t.linter, t.scope, map[string]*field{}
	l.each(v, path, func(o object, at string) {
		op, _ := o["op"].(string)
		name, _ := o["field"].(string)
		if name != "" && name != "*" {
			col, ok := l.field(name, at+"/field", sc)
			if ok && col != nil && slices.Contains(aggregateOps, op) && !slices.Contains(countingOps, op) {
				switch {
				case isNumber(col):
					l.use(col, use{number: true})
					l.identified(col, at+"/field")
					if op == "sum" {
						l.addsUp(&measured{field: col, op: op, others: t.groups(), rows: sc}, at)
					}
				case !isDate(col) || !slices.Contains(orderingOps, op):
					l.report(vegalite.NoAggregate(at+"/op", col.name, col.plain.Kind, op))
				}
			}
		} else {
			l.counted = true
		}
		as, _ := o["as"].(string)
		if as == "" {
			as = op
			if name != "" {
				as = op + "_" + name
			}
		} else {
			l.made(as, at+"/as")
		}
		made = append(made, as)
		if plain, _ := vegalite.Unescape(name); slices.Contains(rangedOps, op) {
			ranges[as] = sc.fields[plain]
		}
	})
	out = out.with(made)
	out.within = ranges
	return out
}
