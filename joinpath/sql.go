package joinpath

import (
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
)

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
// for the zero Plan. A table of a further schema ([Table.Schema]) is written with its
// schema, and has an alias without it.
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
	aliases := p.sqlAliases()
	p.writeTable(&b, 0, aliases[0], quote)
	for i, n := range p.joined() {
		s := p.step(i + 1)
		b.WriteString("\n" + kind.String() + " ")
		p.writeTable(&b, i+1, aliases[i+1], quote)
		left, right := quote(aliases[n.parent]), quote(aliases[i+1])
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

// sqlAliases returns the aliases of the plan. The alias of a table of a further schema
// that is its name loses the schema.
func (p Plan) sqlAliases() []string {
	aliases := p.Aliases()
	taken := lists.Set(aliases, ascii.Lower)
	for i, n := range p.nodes() {
		if schema, name := p.tree.g.schemas[n.table], p.tree.g.names[n.table]; schema != "" && n.alias == name {
			aliases[i] = freeAlias(taken, name[len(schema)+1:])
		}
	}
	return aliases
}

func (p Plan) writeTable(b *strings.Builder, i int, alias string, quote func(string) string) {
	table := p.tree.nodes[i].table
	schema, name := p.tree.g.schemas[table], p.tree.g.names[table]
	if schema != "" {
		name = name[len(schema)+1:]
		b.WriteString(quote(schema) + "." + quote(name) + " AS " + quote(alias))
		return
	}
	b.WriteString(quote(name))
	if alias != name {
		b.WriteString(" AS " + quote(alias))
	}
}

func doubleQuote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
