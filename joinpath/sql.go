package joinpath

import "strings"

// JoinKind says what becomes of rows without a partner.
type JoinKind uint8

// The kinds of join. With [InnerJoin] a row without a partner is left out; with
// [LeftJoin] every row of the plan's first table stays.
const (
	InnerJoin JoinKind = iota
	LeftJoin
)

// String is the keyword. Any other kind is that of an inner join.
func (k JoinKind) String() string {
	if k == LeftJoin {
		return "LEFT JOIN"
	}
	return "JOIN"
}

// SQL writes the plan as a FROM clause, one join a line. Names are written by
// quote, which is called with one table, column or alias at a time; nil means
// double quotes, as standard SQL has them. A table gets an AS where its alias is
// not its name. The zero Plan gives "".
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
