package postgres

// ownName returns the name that PostgreSQL gives to an entry of a select list
// without an alias.
func ownName(n message) string {
	if name, _ := nameOf(n); name != "" {
		return name
	}
	return "?column?"
}

// The strength of a name: any other name replaces the name of a type.
const (
	noName = iota
	weakName
	goodName
)

func nameOf(n message) (name string, strength int) {
	switch kind, m := n.node(); kind {
	case kindColumnRef:
		return lastString(m, 1), goodName
	case kindIndirection:
		if name := lastString(m, 2); name != "" {
			return name, goodName
		}
		return nameOf(m.child(1))
	case kindFuncCall:
		return lastString(m, 1), goodName
	case kindExpr:
		if m.number(1) == exprNullIf {
			return "nullif", goodName
		}
	case kindTypeCast:
		if name, strength := nameOf(m.child(1)); strength > weakName {
			return name, strength
		}
		return lastString(m.child(2), 1), weakName
	case kindCollate:
		return nameOf(m.child(1))
	case kindGroupingFunc:
		return "grouping", goodName
	case kindSubLink:
		return nameOfSubLink(m)
	case kindCase:
		if name, strength := nameOf(m.child(6)); strength > weakName {
			return name, strength
		}
		return "case", weakName
	case kindArray:
		return "array", goodName
	case kindRow:
		return "row", goodName
	case kindCoalesce:
		return "coalesce", goodName
	case kindMinMax:
		if m.number(5) == 1 {
			return "greatest", goodName
		}
		return "least", goodName
	case kindValueFunction:
		return valueFunctionName(m), goodName
	}
	return "", noName
}

// nameOfSubLink returns the name of a query used as a value: the name of its column.
func nameOfSubLink(m message) (string, int) {
	switch m.number(2) {
	case linkExists:
		return "exists", goodName
	case linkArray:
		return "array", goodName
	case linkValue:
		_, q := m.child(6).node()
		for q.number(selectOp) > 1 {
			q = q.child(selectLeft)
		}
		if q.has(selectValues) {
			return "column1", goodName
		}
		if targets := q.list(selectTargets); len(targets) > 0 {
			_, target := targets[0].node()
			if alias := target.text(1); alias != "" {
				return alias, goodName
			}
			return ownName(target.child(3)), goodName
		}
	}
	return "", noName
}

// lastString returns the value of the last String node in a repeated field.
func lastString(m message, number int) string {
	kind, s := m.last(number).node()
	if kind != kindString {
		return ""
	}
	return s.text(1)
}

var valueFunctionNames = [...]string{
	"", "current_date", "current_time", "current_time", "current_timestamp", "current_timestamp",
	"localtime", "localtime", "localtimestamp", "localtimestamp",
	"current_role", "current_user", "user", "session_user", "current_catalog", "current_schema",
}

func valueFunctionName(m message) string {
	if op := m.number(2); op < len(valueFunctionNames) {
		return valueFunctionNames[op]
	}
	return "this value"
}
