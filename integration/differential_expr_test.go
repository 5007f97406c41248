package integration_test

import (
	"strconv"
	"strings"
)

// expr returns an expression of a kind.
func (g *generator) expr(s *genScope, want genKind) string {
	g.budget--
	if g.budget <= 0 || g.chance(35) && want != booleanColumn {
		return g.atom(s, want)
	}
	if s != nil && s.grouped && want != booleanColumn && g.chance(60) {
		return g.aggregate(s, want)
	}
	list := g.templates[want]
	switch {
	case want == 'n':
		list = g.templates[decimalColumn]
		if g.chance(40) {
			list = g.templates[integerColumn]
		}
	case want == floatColumn:
		list = g.templates[decimalColumn]
	case want == booleanColumn && s != nil && s.grouped && g.chance(60):
		return g.aggregate(s, want)
	}
	if len(list) == 0 {
		return g.atom(s, want)
	}
	return g.expand(s, g.template(s, list))
}

// expand replaces the placeholders of a template.
func (g *generator) expand(s *genScope, template string) string {
	var b strings.Builder
	last := ""
	for rest := template; ; {
		before, after, ok := strings.Cut(rest, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		code, tail, ok := strings.Cut(after, "}")
		if !ok || !isPlaceholder(code) {
			b.WriteString("{")
			rest = after
			continue
		}
		text := last
		if code != "=" {
			text = g.placeholder(s, code)
		}
		before = strings.TrimRight(b.String(), " ")
		if len(code) == 1 && strings.Contains("intdsb", code) && !genEnclosed(before, tail) && !isAtom(text) && g.chance(g.parentheses(code)) {
			text = "(" + text + ")"
		}
		b.WriteString(text)
		rest, last = tail, text
	}
}

func isPlaceholder(code string) bool {
	switch code {
	case "i", "n", "t", "d", "s", "b", "j", "c", "e", "u", "w", "p", "r", "g", "o", "=", "I", "N", "T", "D", "S", "B", "J", "K",
		"INTEGER", "DECIMAL", "TEXT":
		return true
	}
	return len(code) == 2 && strings.Contains("cql", code[:1]) && strings.Contains("intdsbj", code[1:])
}

// parentheses is how often an operand is put into parentheses. Without them it
// binds as the engine says.
func (g *generator) parentheses(code string) int {
	switch {
	case g.strict && code == "b":
		return 85
	case g.strict:
		return 70
	}
	return 50
}

// genEnclosed reports whether a placeholder is an argument of a call.
func genEnclosed(before, after string) bool {
	return (strings.HasSuffix(before, "(") || strings.HasSuffix(before, ",")) &&
		(strings.HasPrefix(after, ")") || strings.HasPrefix(after, ","))
}

// isAtom reports whether an expression is a name, a literal or a call.
func isAtom(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ' ', '+', '-', '*', '/', '%', '|', '&', '<', '>', '=', ':', '^', '#', '~', '@', '!':
			if depth == 0 {
				return false
			}
		}
	}
	return true
}

func (g *generator) placeholder(s *genScope, code string) string {
	switch code {
	case "i", "n", "t", "d", "s", "b", "j":
		return g.expr(s, genKind(code[0]))
	case "I", "N", "T", "D", "S", "B":
		return g.literal(genKind(code[0] | 0x20))
	case "c":
		return g.atom(s, 'c')
	case "e":
		return g.subquery(s, nil, false)
	case "u":
		return strconv.Itoa(g.rng.IntN(6))
	case "w":
		return strconv.Itoa(1 + g.rng.IntN(4))
	case "p":
		return pickOne(g, []string{"'%a%'", "'A%'", "'%!_%'", "'O''%'", "'_o%'", "'%ö%'", "'%'", "'open'", "'%MAIL%'"})
	case "r":
		return pickOne(g, []string{"'^[A-Z]'", "'a.*b'", "'o$'", "'(an|op)'", "'[0-9]+'", "'ö'"})
	case "g":
		return pickOne(g, []string{"'A*'", "'*a*'", "'[A-O]*'", "'?pen'"})
	case "J":
		return pickOne(g, []string{"'$.a'", "'$.b'", "'$.c.d'", "'$.tags[0]'", "'$.tags'"})
	case "K":
		return pickOne(g, []string{"'a'", "'b'", "'tags'"})
	case "o":
		return g.totalOrder(s)
	case "INTEGER", "DECIMAL", "TEXT":
		return castTypes[g.name][code]
	}
	want := genKind(code[1])
	switch code[0] {
	case 'q':
		return "(" + g.subquery(s, []genKind{want}, true) + ")"
	case 'l':
		return g.subquery(s, []genKind{want}, false)
	}
	return g.atom(s, want)
}

var castTypes = map[string]map[string]string{
	"sqlite":   {"INTEGER": "INTEGER", "DECIMAL": "REAL", "TEXT": "TEXT"},
	"mysql":    {"INTEGER": "SIGNED", "DECIMAL": "DECIMAL(10,2)", "TEXT": "CHAR"},
	"postgres": {"INTEGER": "integer", "DECIMAL": "numeric(10, 2)", "TEXT": "text"},
	"duckdb":   {"INTEGER": "INTEGER", "DECIMAL": "DECIMAL(10, 2)", "TEXT": "VARCHAR"},
}

// totalOrder returns an ORDER BY of a window in which no two rows tie. It returns
// an order by nothing that the engine refuses if a relation has no key.
func (g *generator) totalOrder(s *genScope) string {
	var terms []string
	if g.chance(60) {
		terms = append(terms, g.expr(s, 'n')+g.direction())
	}
	for _, r := range s.relations {
		if r.key == nil {
			return "ORDER BY ()"
		}
		for _, name := range r.key {
			terms = append(terms, g.qualified(r, name)+g.direction())
		}
	}
	if len(terms) == 0 {
		return "ORDER BY ()"
	}
	return "ORDER BY " + strings.Join(terms, ", ")
}

func (g *generator) direction() string {
	text := pickOne(g, []string{"", "", "", " ASC", " DESC", " DESC"})
	if g.nulls && g.chance(15) {
		text += pickOne(g, []string{" NULLS FIRST", " NULLS LAST"})
	}
	return text
}

// subquery returns a query inside of an expression. With one set it returns one row.
func (g *generator) subquery(s *genScope, want []genKind, one bool) string {
	if g.depth > 2 {
		if want == nil {
			return "SELECT 1"
		}
		return "SELECT " + g.literal(want[0])
	}
	text, _, _ := g.query(s, want, queryOptions{one: one, exists: want == nil})
	return text
}
