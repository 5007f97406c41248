package integration_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A generator generates one statement.
type generator struct {
	*grammar
	rng    *rand.Rand
	ctes   []genRelation // that can be read
	issued int           // aliases
	budget int           // expressions that may still be nested
	depth  int           // of queries
}

// A genRelation is an entry of a FROM.
type genRelation struct {
	name    string // of a table or common table expression
	alias   string
	columns []genColumn
	key     []string // names of columns that are unique together
}

// A genScope is what the expressions of a SELECT can name.
type genScope struct {
	relations []*genRelation
	merged    map[string]bool // columns of NATURAL and USING
	outer     *genScope

	// grouped is set for the expressions of a grouped SELECT. They name keys, and
	// columns inside of aggregates.
	grouped bool
	keys    []genItem

	window bool   // has the window w
	first  string // the expression of DISTINCT ON
}

// An genItem is an item of a select list.
type genItem struct {
	text  string
	kind  genKind
	name  string // of the output column, if it is known
	alias bool

	quoted bool // the alias is declared in quotes
}

func (g *generator) chance(percent int) bool { return g.rng.IntN(100) < percent }

func pickOne[T any](g *generator, list []T) T { return list[g.rng.IntN(len(list))] }

// statement returns a statement with a WITH and noise between its tokens.
func (g *generator) statement() genStatement {
	g.budget = 6 + g.rng.IntN(20)
	var with withClause
	if g.chance(25) {
		with = g.with()
	}
	text, _, keys := g.query(nil, nil, queryOptions{top: true})
	return genStatement{SQL: g.noise(with.before(text) + text), keys: keys}
}

// alias returns a new alias of a relation.
func (g *generator) alias() string {
	g.issued++
	if g.chance(50) {
		return pickOne(g, []string{"a", "b", "c", "d", "e", "o", "p", "x", "t", "emp", "sub"}) + strconv.Itoa(g.issued)
	}
	if g.chance(10) {
		return fmt.Sprintf("T %d", g.issued)
	}
	return "t" + strconv.Itoa(g.issued)
}

// genAliases are names that models give to columns. Some of them are columns of
// tables, and some are keywords of a dialect.
var genAliases = []string{
	"total", "cnt", "name", "n", "Total amount", "avg_salary", "year", "month", "label", "status", "id", "level",
	"amount", "value", "Rank", "pct", "first", "count", "max_price", "k", "dept_id", "key", "city", "x", "date",
	"type", "Größe", "total_count", "percent_change", "region_name",
}

// quoted are the names that need quotes.
func needsQuotes(name string) bool {
	return name == "desc" || name == "key" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != ""
}

// ident returns a name as it is written in a statement.
func (g *generator) ident(name string) string {
	if needsQuotes(name) || g.chance(8) {
		quotes := pickOne(g, g.quotes)
		return quotes[:1] + name + quotes[1:]
	}
	switch {
	case g.chance(4):
		return strings.ToUpper(name)
	case g.chance(3):
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}

// qualified returns a column with the alias of its relation.
func (g *generator) qualified(r *genRelation, name string) string {
	return g.ident(r.alias) + "." + g.ident(name)
}

// reference returns a column as an expression names it: with or without its table.
func (g *generator) reference(s *genScope, r *genRelation, name string) string {
	if s.merged[name] {
		return g.ident(name)
	}
	count := 0
	for _, other := range s.relations {
		if slices.ContainsFunc(other.columns, func(c genColumn) bool { return strings.EqualFold(c.name, name) }) {
			count++
		}
	}
	if count == 1 && g.chance(50) || g.chance(1) {
		return g.ident(name)
	}
	return g.qualified(r, name)
}

// genMatches reports whether a column of kind k stands for an expression of kind want.
func genMatches(k, want genKind) bool {
	return want == 'c' || k == want || want == 'n' && (k == integerColumn || k == decimalColumn || k == floatColumn)
}

// genColumn returns a column of a kind.
func (g *generator) column(s *genScope, want genKind) (string, bool) {
	for ; s != nil; s = s.outer {
		if s.outer != nil && g.chance(15) {
			continue
		}
		type candidate struct {
			r    *genRelation
			name string
		}
		var found []candidate
		if s.grouped {
			var texts []string
			for _, key := range s.keys {
				if genMatches(key.kind, want) {
					texts = append(texts, key.text)
				}
			}
			if len(texts) > 0 {
				return pickOne(g, texts), true
			}
			continue
		}
		for _, r := range s.relations {
			for _, c := range r.columns {
				if genMatches(c.kind, want) && !(want == 'c' && c.kind == objectColumn) {
					found = append(found, candidate{r, c.name})
				}
			}
		}
		if len(found) > 0 {
			c := pickOne(g, found)
			return g.reference(s, c.r, c.name), true
		}
	}
	return "", false
}

// literal returns a literal of a kind.
func (g *generator) literal(want genKind) string {
	switch want {
	case 'n':
		want = pickOne(g, []genKind{integerColumn, decimalColumn})
	case floatColumn:
		want = decimalColumn
	case 'c':
		want = integerColumn
	case objectColumn:
		return g.str(`{"a": 1}`)
	}
	text := pickOne(g, g.literals[want])
	if text[0] == '-' && g.chance(50) {
		return "(" + text + ")"
	}
	return text
}

// atom returns a column, or a literal if there is none.
func (g *generator) atom(s *genScope, want genKind) string {
	if g.chance(92) {
		if text, ok := g.column(s, want); ok {
			return text
		}
	}
	if s != nil && s.grouped && want != 'c' {
		return g.aggregate(s, want)
	}
	return g.literal(want)
}

// aggregate returns an aggregate of a grouped scope.
func (g *generator) aggregate(s *genScope, want genKind) string {
	list := g.aggregates[want]
	switch want {
	case 'n', floatColumn:
		list = slices.Concat(g.aggregates[integerColumn], g.aggregates[decimalColumn])
	case stampColumn:
		list = []string{"MAX({cs})"}
	case booleanColumn:
		if len(list) == 0 || g.chance(70) {
			return g.expand(s, pickOne(g, []string{"COUNT(*) > {I}", "SUM({cn}) >= {N}", "AVG({cn}) < {N}", "MAX({ci}) > MIN({ci})",
				"COUNT(DISTINCT {c}) > 1", "SUM({cn}) > AVG({cn})", "max({ct}) LIKE {p}"}))
		}
	}
	if len(list) == 0 {
		return g.literal(want)
	}
	inner := *s
	inner.grouped = false
	return g.expand(&inner, g.template(&inner, list))
}

// template returns a template whose columns and keys the scope has.
func (g *generator) template(s *genScope, list []string) string {
	for range 8 {
		template := pickOne(g, list)
		if !strings.Contains(template, "{cj}") && !strings.Contains(template, "{j}") && !strings.Contains(template, "{o}") {
			return template
		}
		if strings.Contains(template, "{o}") {
			if s != nil && len(s.relations) > 0 && !slices.ContainsFunc(s.relations, func(r *genRelation) bool { return r.key == nil }) {
				return template
			}
		} else if s != nil && !s.grouped && slices.ContainsFunc(s.relations, func(r *genRelation) bool {
			return slices.ContainsFunc(r.columns, func(c genColumn) bool { return c.kind == objectColumn })
		}) {
			return template
		}
	}
	return list[0]
}
