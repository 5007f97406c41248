package integration_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A costGenerator writes statements whose values grow and whose searches take the
// product of two values, through common table expressions, derived tables,
// subqueries and set operations. Some are within the guard's bounds.
type costGenerator struct {
	rng      *rand.Rand
	grow     []string // expressions of one or two texts, X and Y
	searches []string
	names    int
}

func newCostGenerator(seed uint64, dialect string) *costGenerator {
	g := &costGenerator{rng: rand.New(rand.NewPCG(16, seed))}
	g.grow = []string{
		"replace(X, 'a', R)", "replace(X, 'b', R)", "concat(X, Y)", "concat(X, X, X)", "upper(X)",
		"lower(concat(X, R))",
		"CASE WHEN n > 3 THEN X ELSE Y END", "coalesce(X, Y)", "trim(X)", "nullif(X, 'a')",
		"substr(X, 1, 3000)", "(SELECT max(X) FROM t)", "(SELECT X)", "replace(X, s, Y)",
	}
	g.searches = []string{
		"X LIKE Y", "X LIKE P", "X NOT LIKE concat('%', Y, '%')", "length(replace(X, Y, 'x'))",
		"length(replace(X, P, R))",
		"X LIKE '%a%a%a%a%b'", "X = Y", "X IN (Y, 'a', R)", "length(X)", "(SELECT count(*) FROM t WHERE X LIKE P)",
	}
	switch dialect {
	case "sqlite":
		g.grow = append(g.grow, "X || Y", "hex(X)", "quote(X)", "printf('%200s%s', X, Y)", "group_concat(X, Y)",
			"json_object('k', X, 'l', Y)", "json_quote(X)", "json_group_array(X)", "json_pretty(json_array(X))",
			"json_patch(json_object('a', X), json_object('b', Y))", "char(n, n, n)", "trim(X, Y)", "strftime(R)")
		g.searches = append(g.searches, "instr(X, Y)", "instr(X, P)", "X GLOB Y", "X GLOB '*a*a*a*b'",
			"length(trim(X, P))",
			"length(rtrim(X, Y))", "json_valid(X)", "length(json_patch(X, Y))", "X LIKE '%' || Y || '%'")
	case "mysql":
		g.grow = append(g.grow, "hex(X)", "quote(X)", "to_base64(X)", "lpad(X, 900, Y)",
			"group_concat(X)", "insert(X, 2, 3, Y)",
			"json_object('k', X, 'l', Y)", "json_quote(X)", "json_arrayagg(X)", "concat_ws(Y, X, X)",
			"make_set(3, X, Y)",
			"regexp_replace(X, 'a', R)", "regexp_replace(X, '(a+)b|c', R)", "space(900)", "elt(2, X, Y)",
			"substring_index(X, Y, 2)", "json_merge_patch(json_object('a', X), json_object('b', Y))")
		g.searches = append(g.searches, "locate(X, Y)", "instr(X, Y)", "instr(X, P)", "X REGEXP P",
			"X REGEXP '(a+)+[bc]'",
			"X REGEXP Y", "find_in_set(X, Y)", "length(substring_index(X, P, 1))",
			"json_contains(json_array(X), json_array(Y))",
			"json_overlaps(json_array(X, 1), json_array(Y, 2))", "length(trim(TRAILING 'a' FROM X))",
			"regexp_instr(X, P)",
			"length(json_search(json_array(X), 'all', P))", "length(regexp_replace(X, '(a+)+[bc]|c', 'x'))")
	case "postgres":
		g.grow = append(g.grow, "X || Y", "quote_literal(X)", "encode(X::bytea, 'hex')",
			"lpad(X, 900, Y)", "format('%200s%1$s', X, Y)",
			"string_agg(X, Y)", "array_to_string(array_agg(X), Y)",
			"json_build_object('k', X, 'l', Y)::text", "to_json(X)::text",
			"json_agg(X)::text", "translate(X, Y, 'x')", "regexp_replace(X, 'a', R, 'g')",
			"array_to_string(string_to_array(X, 'a'), R)",
			"initcap(X)", "btrim(X, Y)", "split_part(X, Y, 1)", "jsonb_pretty(to_jsonb(X))",
			"overlay(X placing Y from 2)", "power(n, n)::text")
		g.searches = append(g.searches, "strpos(X, Y)", "strpos(X, P)", "position(Y in X)", "X ~ P",
			"X ~ '(a*)*b'", "X ILIKE Y",
			"X SIMILAR TO '%a%a%b'", "length(btrim(X, P))", "length(translate(X, P, ''))",
			"length(split_part(X, P, 3))",
			"string_to_array(X, 'a') @> string_to_array(Y, 'a')", "to_jsonb(X) @> to_jsonb(Y)",
			"cardinality(string_to_array(X, P))",
			"string_to_array(X, 'b') && string_to_array(Y, 'c')", "length(regexp_replace(X, '(a+)+b', 'x', 'g'))")
	}
	return g
}

func (g *costGenerator) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

// literal returns a text of few different characters.
func (g *costGenerator) literal(most int) string {
	return "'" + strings.Repeat(g.pick("a", "b", "ab", "aab"), 1+g.rng.IntN(most)) + "'"
}

// fill replaces the placeholders of a template. X and Y are texts, R is a text to
// grow by, and P is a pattern.
func (g *costGenerator) fill(template string, text func() string) string {
	var b strings.Builder
	inString := false
	for i := range len(template) {
		c := template[i]
		single := (i == 0 || !isLetter(template[i-1])) && (i+1 == len(template) || !isLetter(template[i+1]))
		if c == '\'' {
			inString = !inString
		}
		switch {
		case inString || !single:
			b.WriteByte(c)
		case c == 'X' || c == 'Y':
			b.WriteString(text())
		case c == 'R':
			b.WriteString(g.literal(g.choose(5, 40, 300)))
		case c == 'P':
			b.WriteString("'%" + strings.Repeat(g.pick("a", "b", "%a", "_a"), 1+g.rng.IntN(g.choose(5,
				80, 250))) + g.pick("", "b", "b%") + "'")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (g *costGenerator) choose(list ...int) int { return list[g.rng.IntN(len(list))] }

func isLetter(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// text returns an expression over the columns of FROM: n, s and, in a query over
// another one, v.
func (g *costGenerator) text(depth int, column string) string {
	if depth <= 0 || g.rng.IntN(6) == 0 {
		return g.pick(column, column, "s", g.literal(20), g.literal(2000))
	}
	return g.fill(g.grow[g.rng.IntN(len(g.grow))], func() string { return g.text(depth-1-g.rng.IntN(2), column) })
}

// source returns a relation with the columns n, s and v.
func (g *costGenerator) source(depth int) string {
	if depth <= 0 {
		return "(SELECT n, s, s AS v FROM t) AS " + g.name()
	}
	block := func() string {
		from := g.source(depth - 1)
		return "SELECT n, s, " + g.text(g.rng.IntN(3), "v") + " AS v FROM " + from
	}
	body := block()
	if g.rng.IntN(5) == 0 {
		body += " UNION ALL " + block()
	}
	if g.rng.IntN(3) == 0 {
		x := g.name()
		return fmt.Sprintf("(WITH %s AS (%s) SELECT a.n, a.s, %s AS v FROM %[1]s AS a) AS"+
			" %[4]s", x, body, g.text(g.rng.IntN(2), "a.v"), g.name())
	}
	return "(" + body + ") AS " + g.name()
}

func (g *costGenerator) name() string {
	g.names++
	return fmt.Sprintf("q%d", g.names)
}

// statement returns a statement that searches or returns such values.
func (g *costGenerator) statement() string {
	from := g.source(g.rng.IntN(4))
	var items []string
	for range g.choose(1, 1, 3, 40) {
		item := "v"
		if g.rng.IntN(5) > 0 {
			item = g.fill(g.searches[g.rng.IntN(len(g.searches))],
				func() string { return g.text(g.rng.IntN(2), "v") })
		}
		items = append(items, fmt.Sprintf("%s AS x%d", item, len(items)))
	}
	return "SELECT " + strings.Join(items, ", ") + " FROM " + from
}

// most returns a statement with many searches in one computed text.
func (g *costGenerator) most(search string, length, items int) string {
	list := make([]string, items)
	for i := range list {
		list[i] = fmt.Sprintf("%s AS x%d", g.fill(strings.ReplaceAll(search, "Y", "'"+strings.Repeat("a", 60)+"b'"),
			func() string { return "v" }), i)
	}
	return fmt.Sprintf("SELECT %s FROM (SELECT n, s, replace('%s', 'a', 'aaaaa') AS v FROM t WHERE n = 1) AS q",
		strings.Join(list, ", "), strings.Repeat("a", length))
}

// chain returns a statement with derived tables each of which names the column of
// the one below several times. An engine that merges them computes it as often.
func chain(levels int, next string) string {
	text := "(SELECT n AS v FROM t) AS q0"
	for i := range levels {
		text = fmt.Sprintf("(SELECT %s AS v FROM %s) AS q%d", next, text, i+1)
	}
	return "SELECT " + next + " AS v FROM " + text
}
