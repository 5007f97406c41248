package integration_test

import "strings"

// A grammar is what a dialect has of its own.
type grammar struct {
	name  string
	types map[genKind]string

	quotes   []string // each is an opening and a closing quote of names
	titles   []string // the quotes of aliases in a select list
	strict   bool     // types are strict, so operands need parentheses
	standard bool     // has VALUES in FROM, lists of columns behind aliases, DISTINCT ON and GROUPING
	brackets bool     // [x] is a name
	escapes  bool     // a backslash in '..' is an escape character

	joins    []string // the words of joins with a condition
	setOps   []string
	rollup   []string // forms of GROUP BY with subtotals; # is the list of keys
	limits   []string // forms of LIMIT; # is a count, ## an offset
	nulls    bool     // has NULLS FIRST and LAST
	literals map[genKind][]string

	// templates are expressions by kind. In braces they have:
	//
	//	i n t d s b j  an expression of a kind; n is any number
	//	I N T D S B    a literal
	//	ci cn ct cd .. a column; c a column of any kind
	//	qi qn qt qd    a scalar subquery
	//	li ln lt ld    a query of one column
	//	e              a query
	//	u w            a small count, from 0 or from 1
	//	o              an ORDER BY in which no rows tie
	//	=              what stands for the placeholder before
	//	p r g J K      a pattern of LIKE, a regular expression, a GLOB, a path, a key
	templates  map[genKind][]string
	aggregates map[genKind][]string
	windows    map[genKind][]string // those that do not depend on the order of ties
	ordered    map[genKind][]string // those that do
	functions  []tableFunction
}

// A tableFunction is a function in FROM.
type tableFunction struct {
	text    string // # is the alias
	columns []genColumn
	lateral bool
}

var grammars = map[string]*grammar{"sqlite": &sqliteGrammar, "mysql": &mysqlGrammar, "postgres": &postgresGrammar, "duckdb": &duckdbGrammar}

// quote returns a name in the first of the dialect's quotes.
func (g *grammar) quote(name string) string { return g.quotes[0][:1] + name + g.quotes[0][1:] }

// str returns a string literal.
func (g *grammar) str(value string) string {
	if g.escapes {
		value = strings.ReplaceAll(value, `\`, `\\`)
	}
	return "'" + strings.ReplaceAll(value, "'", "''") + "'"
}

// genLines returns the lines of all texts.
func genLines(texts ...string) []string {
	var out []string
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// The templates of all dialects.
const (
	commonConditions = `
		{n} = {n}
		{n} <> {N}
		{n} != {n}
		{n} > {N}
		{n} >= {N}
		{n} < {n}
		{i} <= {I}
		{i} = {I}
		{ci} = {ci}
		{t} = {T}
		{t} <> {T}
		{ct} < {ct}
		{d} >= {D}
		{d} < {d}
		{cd} BETWEEN {D} AND {D}
		{s} > {S}
		{n} BETWEEN {N} AND {n}
		{n} NOT BETWEEN {n} AND {n}
		{ct} BETWEEN {T} AND {T}
		{ct} LIKE {p}
		{t} LIKE {p}
		{t} NOT LIKE {p}
		{t} LIKE {p} ESCAPE '!'
		{c} IS NULL
		{c} IS NOT NULL
		{n} IS NULL
		{t} IS NOT NULL
		{ct} IN ({T}, {T}, {T})
		{ct} NOT IN ({T}, {T})
		{i} IN ({I}, {I}, {I})
		{i} NOT IN ({I}, {i})
		{n} IN ({n}, {N})
		{ci} IN ({li})
		{ci} NOT IN ({li})
		{ct} IN ({lt})
		{t} NOT IN ({lt})
		({ci}, {ct}) IN (({I}, {T}), ({I}, {T}))
		({ci}, {ci}) = ({I}, {i})
		EXISTS ({e})
		NOT EXISTS ({e})
		{n} > {qn}
		{qi} >= {I}
		{ct} = {qt}
		{b} AND {b}
		{b} AND {b}
		{b} OR {b}
		{b} OR {b} AND {b}
		NOT {b}
		NOT {b} AND {b}
		({b} OR {b}) AND NOT ({b})
		({b}) = ({b})
		({b}) <> ({b})
		({b}) IS TRUE
		({b}) IS NOT TRUE
		({b}) IS FALSE
		CASE WHEN {b} THEN {b} ELSE {b} END
		{cb}
		NOT {cb}
		{cb} = TRUE
		{cb} AND {b}
		COALESCE({b}, FALSE)
		NOT {n} = {N} AND {b}
		NOT {ct} LIKE {p} OR {b}
		NOT {ct} IN ({T}, {T}) AND NOT {c} IS NULL
		NOT {n} BETWEEN {N} AND {n}
		{i} BETWEEN {i} - {I} AND {i} + {I} AND {b}
		{n} + {n} > {n} * {N} AND {n} < {N} - {n}
		{n} > {N} AND {n} IS NOT NULL OR {ct} = {T}
		NOT NOT {b}
		({n} > {N}) = ({n} < {N})
		{ct} LIKE {p} = ({b})
		{n} IS NULL = ({b})
		{i} IN ({I}, {I}) AND {ct} <> {T} OR NOT {n} >= {N} AND {b}`
	commonIntegers = `
		{i} + {i}
		{i} - {I}
		{i} * {I}
		{i} + {i} * {i} - {i}
		- {i}
		+ {i}
		{i} % {I}
		ABS({i})
		abs({i} - {i})
		LENGTH({t})
		CASE WHEN {b} THEN {I} ELSE {i} END
		CASE {ct} WHEN {T} THEN {I} WHEN {T} THEN {i} ELSE {I} END
		CASE {i} WHEN {I} THEN {i} END
		COALESCE({ci}, {I})
		coalesce({ci}, {ci}, {i})
		NULLIF({i}, {I})
		{qi}
		CAST({b} AS {INTEGER})
		sign({i})
		- {i} - - {i}
		{i} - {i} - {i}
		{i} - ({i} - {i})
		{i} * {i} % {I} + {i}
		-{ci} * -{I}`
	commonNumbers = `
		{cn} * {N}
		{n} + {n}
		{n} - {n} * {N}
		{cn} / {N}
		{n} / NULLIF({n}, 0)
		ROUND({n}, {u})
		round({cn} * 1.19, 2)
		ROUND({n})
		floor({cn})
		CEIL({n})
		COALESCE({cn}, 0)
		coalesce({n}, {n})
		CASE WHEN {b} THEN {n} ELSE {N} END
		CASE WHEN {cn} > {N} THEN {cn} END
		- {n}
		100.0 * {i} / NULLIF({i}, 0)
		CAST({cn} AS {INTEGER})
		CAST({ci} AS {DECIMAL})
		{qn}
		NULLIF({n}, {N})
		{n} - {n} - {n}
		{n} * {n} / NULLIF({n}, 0) * {N}
		{n} / NULLIF({n} / NULLIF({n}, 0), 0)
		-({n} + {N}) * {n}`
	commonTexts = `
		UPPER({t})
		lower({ct})
		TRIM({t})
		ltrim({t})
		RTRIM({ct})
		REPLACE({t}, {T}, {T})
		SUBSTR({t}, {w}, {w})
		substr({ct}, {w})
		CASE WHEN {b} THEN {T} ELSE {t} END
		CASE WHEN {n} > {N} THEN 'high' WHEN {n} > {N} THEN 'mid' ELSE 'low' END
		CASE {ct} WHEN {T} THEN {T} ELSE {ct} END
		COALESCE({ct}, {T})
		coalesce({ct}, {ct}, {t})
		NULLIF({ct}, {T})
		{qt}
		CAST({i} AS {TEXT})
		cast({cd} AS {TEXT})`
	commonDates = `
		COALESCE({cd}, {D})
		CASE WHEN {b} THEN {d} ELSE {D} END
		NULLIF({cd}, {D})
		{qd}`
	commonStamps = `
		COALESCE({cs}, {S})
		CASE WHEN {b} THEN {cs} ELSE {S} END`
	commonAggregateIntegers = `
		COUNT(*)
		count(*)
		COUNT({c})
		COUNT(DISTINCT {c})
		SUM({ci})
		sum(CASE WHEN {b} THEN 1 ELSE 0 END)
		COUNT(CASE WHEN {b} THEN 1 END)
		MAX({i})
		min({ci})
		MAX({i}) - MIN({i})
		SUM({i}) + COUNT(*)
		COALESCE(SUM({ci}), 0)`
	commonAggregateNumbers = `
		SUM({cn})
		AVG({cn})
		round(avg({cn}), 2)
		SUM({n}) / COUNT(*)
		SUM({cn}) * 100.0 / NULLIF(COUNT({cn}), 0)
		MAX({n})
		MIN({cn})
		SUM(DISTINCT {ci})
		SUM({cn} * {N})
		COALESCE(AVG({cn}), 0)`
	commonWindowIntegers = `
		RANK() OVER (ORDER BY {n} DESC)
		rank() OVER (PARTITION BY {c} ORDER BY {c})
		DENSE_RANK() OVER (ORDER BY {c}, {n})
		COUNT(*) OVER ()
		COUNT(*) OVER (PARTITION BY {c})
		SUM({ci}) OVER (PARTITION BY {c} ORDER BY {c})
		SUM({i}) OVER (ORDER BY {n} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
		MAX({i}) OVER (PARTITION BY {c})`
	commonWindowNumbers = `
		SUM({cn}) OVER (PARTITION BY {c})
		AVG({cn}) OVER (PARTITION BY {c} ORDER BY {c} DESC)
		{cn} - AVG({cn}) OVER ()
		PERCENT_RANK() OVER (ORDER BY {n})
		cume_dist() OVER (PARTITION BY {c} ORDER BY {n} DESC)
		100.0 * {cn} / SUM({cn}) OVER ()
		MIN({n}) OVER (PARTITION BY {c}, {c})`
	commonOrderedIntegers = `
		ROW_NUMBER() OVER ({o})
		row_number() OVER (PARTITION BY {c} {o})
		NTILE({w}) OVER ({o})
		LAG({ci}) OVER ({o})
		LEAD({ci}, {w}, {I}) OVER (PARTITION BY {c} {o})
		SUM({ci}) OVER ({o} ROWS BETWEEN {w} PRECEDING AND CURRENT ROW)
		COUNT(*) OVER ({o} ROWS UNBOUNDED PRECEDING)
		FIRST_VALUE({ci}) OVER ({o})`
	commonOrderedNumbers = `
		{cn} - LAG({cn}) OVER ({o})
		SUM({cn}) OVER ({o} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
		AVG({cn}) OVER (PARTITION BY {c} {o} ROWS BETWEEN {w} PRECEDING AND {w} FOLLOWING)
		LAST_VALUE({cn}) OVER ({o} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
		NTH_VALUE({cn}, {w}) OVER ({o})`
	commonOrderedTexts = `
		LAG({ct}, {w}) OVER ({o})
		FIRST_VALUE({ct}) OVER (PARTITION BY {c} {o})
		LEAD({t}, 1, {T}) OVER ({o})`
)
