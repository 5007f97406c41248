package chart

import (
	"maps"
	"math"
	"slices"
)

const maxKeys = 10_000 // that one impute adds

// keyvals checks the values that an impute adds rows for.
func (l *linter) keyvals(path string, v any) {
	o, ok := v.(object)
	if !ok {
		return
	}
	for _, key := range words("start stop step") {
		if _, isNumber := number(o[key]); o[key] != nil && !isNumber {
			l.fault(Malformed, pointer(path, key), "it is a number")
			return
		}
	}
	if n := keys(v); !(n <= maxKeys) {
		l.fault(TooLarge, path, "it makes more than %d rows", maxKeys)
	}
}

// keys is how many keyvals are.
func keys(v any) float64 {
	if list, ok := v.([]any); ok {
		return float64(len(list))
	}
	o, ok := v.(object)
	if !ok {
		return 0
	}
	start, _ := number(o["start"])
	stop, _ := number(o["stop"])
	step := 1.0
	if s, ok := number(o["step"]); ok {
		step = s
	}
	if step == 0 {
		return math.Inf(1)
	}
	return max(0, stop/step-start/step)
}

func firstKey(o object) string {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		return key
	}
	return ""
}

// groups is how many there may be.
func (sc *scope) groups(names []string) int {
	n := 1
	for _, name := range names {
		plain, _ := unescape(name)
		if c := sc.fields[plain]; c != nil {
			n *= c.distinct + 1
		} else {
			n *= int(sc.rows) + 1
		}
		n = min(n, int(sc.rows)+1)
	}
	return n
}

// names checks a list of fields.
func (l *linter) names(v any, path string, sc *scope) []string {
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		l.fault(Malformed, path, "it is a list of fields")
		return nil
	}
	var out []string
	for i, e := range list {
		s, ok := e.(string)
		if !ok {
			l.fault(Malformed, item(path, i), "it is the name of a field")
			continue
		}
		if _, ok := l.field(s, item(path, i), sc); ok {
			out = append(out, s)
		}
	}
	return out
}

// operations checks a list of {op, field, as}, and returns the names that it makes.
func (l *linter) operations(v any, path string, sc *scope, known []string) []string {
	var made []string
	l.each(v, path, func(o object, at string) {
		op, _ := o["op"].(string)
		l.word(at+"/op", "operation", op, known)
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if where := pointer(at, key); l.word(where, "property", key, words("op field as param")) {
				l.plain(where, o[key])
			}
		}
		name, _ := o["field"].(string)
		if name != "" && name != "*" {
			col, ok := l.field(name, at+"/field", sc)
			if ok && col != nil && slices.Contains(aggregateOps, op) && !slices.Contains(countingOps, op) && !numberLike(col) && !(dateLike(col) && slices.Contains(orderingOps, op)) {
				l.report(Problem{Code: AggregateType, Path: at + "/op", Message: quoted(col.name) + " holds " + holds(col) + ", of which there is no " + op, Candidates: words("count distinct")})
			}
		} else {
			l.counted = true
		}
		as, _ := o["as"].(string)
		if as == "" {
			if as = op; name != "" {
				as = op + "_" + name
			}
		} else {
			l.made(as, at+"/as")
		}
		made = append(made, as)
	})
	return made
}
