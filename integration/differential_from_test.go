package integration_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// from fills the scope with relations, and returns the FROM and conditions for the
// WHERE.
func (g *generator) from(s *genScope) (string, []string) {
	if g.chance(3) {
		return "", nil
	}
	n := pickOne(g, []int{1, 1, 1, 1, 2, 2, 2, 3})
	if g.depth > 2 {
		n = 1
	}
	var text string
	var where []string
	if n == 3 && g.chance(15) {
		return g.nested(s), nil
	}
	for i := range n {
		r, written := g.relation(s)
		if i == 0 {
			s.relations = append(s.relations, r)
			text = written
			continue
		}
		switch n := g.rng.IntN(100); {
		case n < 15: // comma
			text += ", " + written
			where = append(where, g.link(s, r))
			s.relations = append(s.relations, r)
		case n < 20:
			text += " CROSS JOIN " + written
			where = append(where, g.link(s, r))
			s.relations = append(s.relations, r)
		case n < 27 && g.shared(s, r) != nil:
			text += " " + pickOne(g, []string{"NATURAL JOIN ", "NATURAL LEFT JOIN ", "NATURAL INNER JOIN "}) + written
			for _, name := range g.shared(s, r) {
				s.merged[name] = true
			}
			s.relations = append(s.relations, r)
		case n < 40 && g.shared(s, r) != nil:
			shared := g.shared(s, r)
			shared = shared[:1+g.rng.IntN(len(shared))]
			names := make([]string, len(shared))
			for i, name := range shared {
				names[i] = g.ident(name)
				s.merged[name] = true
			}
			text += " " + pickOne(g, g.joins[:4]) + " " + written + " USING (" + strings.Join(names, ", ") + ")"
			s.relations = append(s.relations, r)
		default:
			condition := g.link(s, r)
			s.relations = append(s.relations, r)
			if g.chance(20) {
				condition += " AND " + g.operand(g.expr(s, booleanColumn), true)
			}
			text += " " + pickOne(g, g.joins) + " " + written + " ON " + condition
		}
	}
	return text, where
}

// nested returns a FROM with a join in parentheses.
func (g *generator) nested(s *genScope) string {
	r, text := g.relation(s)
	s.relations = append(s.relations, r)
	inner := &genScope{}
	second, left := g.relation(s)
	s.relations = append(s.relations, second)
	inner.relations = append(inner.relations, second)
	third, right := g.relation(s)
	on := g.link(inner, third)
	s.relations = append(s.relations, third)
	outer := &genScope{relations: s.relations[:1]}
	return text + pickOne(g, []string{" JOIN (", " LEFT JOIN ("}) + left + pickOne(g, []string{" JOIN ", " LEFT JOIN "}) + right +
		" ON " + on + ") ON " + g.link(outer, second)
}

// shared returns the columns that a relation has in common with those of a scope.
func (g *generator) shared(s *genScope, r *genRelation) []string {
	var names []string
	for _, c := range r.columns {
		count := 0
		for _, other := range s.relations {
			for _, d := range other.columns {
				if d.name == c.name {
					count++
				}
			}
		}
		if count == 1 {
			names = append(names, c.name)
		}
	}
	return names
}

// link returns a condition that joins a relation with those of a scope.
func (g *generator) link(s *genScope, r *genRelation) string {
	var found []string
	for _, other := range s.relations {
		for _, c := range other.columns {
			for _, d := range r.columns {
				if c.domain != "" && c.domain == d.domain {
					left, right := g.qualified(other, c.name), g.qualified(r, d.name)
					if g.chance(50) {
						left, right = right, left
					}
					found = append(found, left+" = "+right)
				}
			}
		}
	}
	if len(found) > 0 && g.chance(95) {
		return pickOne(g, found)
	}
	for _, k := range []genKind{integerColumn, textColumn} {
		for _, d := range r.columns {
			if d.kind != k {
				continue
			}
			for _, other := range s.relations {
				for _, c := range other.columns {
					if c.kind == k {
						return g.qualified(other, c.name) + pickOne(g, []string{" = ", " >= ", " = "}) + g.qualified(r, d.name)
					}
				}
			}
		}
	}
	return "1 = 1"
}

// genRelation returns an entry of a FROM.
func (g *generator) relation(s *genScope) (*genRelation, string) {
	switch n := g.rng.IntN(100); {
	case n < 14 && g.depth < 3:
		return g.derived(s)
	case n < 16 && g.depth < 3 && g.standard:
		return g.valuesList()
	case n < 19 && len(g.functions) > 0:
		if r, text := g.function(s); r != nil {
			return r, text
		}
	case len(g.ctes) > 0 && n < 60:
		cte := pickOne(g, g.ctes)
		return g.aliased(s, &cte, g.ident(cte.name))
	}
	t := &genTables[g.rng.IntN(len(genTables))]
	r := &genRelation{name: t.Name, columns: t.columns, key: t.key}
	return g.aliased(s, r, g.ident(t.Name))
}

// aliased gives a table or common table expression an alias, or not.
func (g *generator) aliased(s *genScope, r *genRelation, written string) (*genRelation, string) {
	out := *r
	taken := slices.ContainsFunc(s.relations, func(other *genRelation) bool { return other.alias == r.name })
	if g.chance(30) && !taken {
		out.alias = out.name
		return &out, written
	}
	out.alias = g.alias()
	if g.chance(50) {
		return &out, written + " " + g.ident(out.alias)
	}
	return &out, written + " AS " + g.ident(out.alias)
}

// derived returns a query in FROM.
func (g *generator) derived(s *genScope) (*genRelation, string) {
	text, items, _ := g.query(nil, nil, queryOptions{named: true})
	r := &genRelation{alias: g.alias(), columns: genColumnsOf(items)}
	written := "(" + text + ") "
	if g.chance(60) {
		written += "AS "
	}
	written += g.ident(r.alias)
	if g.standard && g.chance(20) {
		written += g.rename(r)
	}
	return r, written
}

func genColumnsOf(items []genItem) []genColumn {
	columns := make([]genColumn, len(items))
	for i, it := range items {
		columns[i] = genColumn{name: it.name, kind: it.kind}
		if it.kind == 'n' {
			columns[i].kind = decimalColumn
		}
	}
	return columns
}

// rename gives the columns of a relation other names and returns their list.
func (g *generator) rename(r *genRelation) string {
	names := make([]string, len(r.columns))
	for i := range r.columns {
		r.columns[i].name = "v" + strconv.Itoa(i+1)
		names[i] = r.columns[i].name
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// valuesList returns a VALUES in FROM.
func (g *generator) valuesList() (*genRelation, string) {
	alias := g.alias()
	return &genRelation{alias: alias, columns: []genColumn{{name: "id", kind: integerColumn}, {name: "label", kind: textColumn}}, key: []string{"id"}},
		"(VALUES (1, 'a'), (2, 'open'), (3, NULL)) AS " + g.ident(alias) + " (id, label)"
}

// function returns a call in FROM, or nil if its arguments have no columns.
func (g *generator) function(s *genScope) (*genRelation, string) {
	f := pickOne(g, g.functions)
	if f.lateral {
		want := objectColumn
		if !strings.Contains(f.text, "{cj}") {
			want = integerColumn
		}
		inner := &genScope{relations: s.relations, merged: s.merged}
		if _, ok := g.column(inner, want); !ok {
			return nil, ""
		}
	}
	alias := "f" + strconv.Itoa(g.issued)
	g.issued++
	r := &genRelation{alias: alias, columns: slices.Clone(f.columns)}
	for i, c := range r.columns {
		if c.name == "#" {
			r.columns[i].name = alias
		}
	}
	inner := &genScope{relations: s.relations, merged: s.merged}
	return r, g.expand(inner, strings.ReplaceAll(f.text, "#", alias))
}

// A withClause is the common table expressions of a statement.
type withClause struct {
	names, texts []string
	recursive    []bool
}

// with returns common table expressions, and makes their names readable.
func (g *generator) with() withClause {
	var w withClause
	for i := range 1 + g.rng.IntN(3) {
		name := pickOne(g, []string{"tree", "totals", "recent", "ranked", "stats", "base", "Top orders", "monthly", "customers"}) + strconv.Itoa(i+1)
		if i == 0 && g.chance(5) {
			name = pickOne(g, []string{"customer", "orders"}) // hides a table
		}
		r := genRelation{name: name}
		var text string
		recursive := g.chance(30)
		if recursive {
			text = g.recursion(&r)
		} else {
			query, items, _ := g.query(nil, nil, queryOptions{named: true})
			r.columns = genColumnsOf(items)
			columns := ""
			if g.chance(25) {
				columns = g.rename(&r)
			}
			text = g.ident(name) + columns + " AS (" + query + ")"
		}
		w.names, w.texts, w.recursive = append(w.names, name), append(w.texts, text), append(w.recursive, recursive)
		g.ctes = append(g.ctes, r)
	}
	return w
}

// before returns the WITH before a query. It has only the expressions that are
// read: some engines do not check others.
func (w *withClause) before(query string) string {
	var texts []string
	recursive := ""
	for i := len(w.names) - 1; i >= 0; i-- {
		if !regexp.MustCompile(`(?i)\b` + w.names[i] + `\b`).MatchString(query) {
			continue
		}
		texts = append(texts, w.texts[i])
		query += w.texts[i]
		if w.recursive[i] {
			recursive = "RECURSIVE "
		}
	}
	if len(texts) == 0 {
		return ""
	}
	slices.Reverse(texts)
	return "WITH " + recursive + strings.Join(texts, ", ") + " "
}

// recursion returns a common table expression that reads itself.
func (g *generator) recursion(r *genRelation) string {
	hierarchy := pickOne(g, []struct{ table, key, parent, domain string }{
		{"department", "dept_id", "parent_id", "dept"},
		{"employee", "id", "manager_id", "employee"},
		{"category", "id", "parent_id", "category"},
	})
	start := pickOne(g, []string{hierarchy.parent + " IS NULL", hierarchy.key + " = 3", hierarchy.key + " IN (4, 5)"})
	r.columns = []genColumn{{"id", integerColumn, hierarchy.domain, false}, {"parent", integerColumn, hierarchy.domain, true},
		{"name", textColumn, "", false}, {"depth", integerColumn, "", false}}
	down := "c." + hierarchy.parent + " = h.id"
	if g.chance(30) {
		down = "h.parent = c." + hierarchy.key // upwards
	}
	replace := strings.NewReplacer("#", g.ident(r.name), "TABLE", hierarchy.table, "KEY", hierarchy.key, "PARENT", hierarchy.parent,
		"START", start, "DOWN", down)
	return replace.Replace(pickOne(g, []string{
		"# (id, parent, name, depth) AS (SELECT KEY, PARENT, name, 0 FROM TABLE WHERE START UNION ALL SELECT c.KEY, c.PARENT, c.name, h.depth + 1 FROM TABLE c JOIN # h ON DOWN)",
		"# AS (SELECT KEY AS id, PARENT AS parent, name, 1 AS depth FROM TABLE WHERE START UNION ALL SELECT c.KEY, c.PARENT, c.name, h.depth + 1 FROM # AS h JOIN TABLE AS c ON DOWN WHERE h.depth < 5)",
		"# (id, parent, name, depth) AS (SELECT KEY, PARENT, name, 0 FROM TABLE WHERE START UNION SELECT c.KEY, c.PARENT, c.name, 0 FROM # h, TABLE c WHERE DOWN)",
	}))
}
