package joinpath

import "strings"

// JoinKind is the kind of the joins that [Plan.SQL] writes.
type JoinKind uint8

// [InnerJoin] leaves out rows that match no row of the other table. [LeftJoin]
// keeps every row of the plan's first table.
const (
	InnerJoin JoinKind = iota
	LeftJoin
)

// String returns the SQL keyword, JOIN or LEFT JOIN.
func (k JoinKind) String() string {
	if k == LeftJoin {
		return "LEFT JOIN"
	}
	return "JOIN"
}

// SQL returns the plan as a FROM clause, with one join on each line. It is empty
// for the zero Plan.
//
// quote returns a table, column or alias as an identifier, such as the method
// Quote of a dialect; nil means double quotes, as in standard SQL.
func (p Plan) SQL(quote func(name string) string, kind JoinKind) string {
	if len(p.nodes()) == 0 {
		return ""
	}
	if quote == nil {
		quote = doubleQuote
	}
	var b strings.Builder
	b.WriteString("FROM ")
	p.writeTable(&b, 0, quote)
	for i := range p.joined() {
		s := p.step(i + 1)
		b.WriteString("\n" + kind.String() + " ")
		p.writeTable(&b, i+1, quote)
		left, right := quote(s.Left), quote(s.Right)
		for j := range s.LeftColumns {
			word := " ON "
			if j > 0 {
				word = " AND "
			}
			b.WriteString(word + left + "." + quote(s.LeftColumns[j]) + " = " + right + "." + quote(s.RightColumns[j]))
		}
	}
	return b.String()
}

func (p Plan) writeTable(b *strings.Builder, i int, quote func(string) string) {
	n := p.tree.nodes[i]
	name := p.tree.g.names[n.table]
	b.WriteString(quote(name))
	if n.alias != name {
		b.WriteString(" AS " + quote(n.alias))
	}
}

func doubleQuote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
