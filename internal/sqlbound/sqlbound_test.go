package sqlbound_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func guard(t testing.TB, d dialect.Dialect) *secureview.Guard {
	t.Helper()
	schema := map[string]string{"mysql": "company", "postgres": "public"}[d.Name()]
	g, err := secureview.New(&secureview.Policy{Schema: schema, Tables: map[string][]string{
		"emp": {"id", "name", "boss", "note", "doc"}, "dept": {"id", "name"},
	}}, d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var dialects = map[string]dialect.Dialect{
	"sqlite": sqlite.Dialect{}, "mysql": mysql.Dialect{}, "postgres": postgres.Dialect{},
}

// check rewrites statements, each of which begins with the dialects it is for, or
// with "all". "too_complex" marks those that the bounds of shapes refuse, which come
// first.
func check(t *testing.T, refused bool, list []string) {
	t.Helper()
	for _, line := range list {
		only, text, _ := strings.Cut(line, ": ")
		for name, d := range dialects {
			if !strings.Contains(only, "all") && !strings.Contains(only, name) {
				continue
			}
			want := secureview.ErrTooCostly
			if strings.Contains(only, "too_complex") {
				want = secureview.ErrTooComplex
			}
			switch _, err := guard(t, d).Rewrite(t.Context(), text); {
			case refused && err == nil:
				t.Errorf("%s: accepted: %.300s", name, text)
			case refused && !errors.Is(err, want):
				t.Errorf("%s: %.300s: %v", name, text, err)
			case !refused && err != nil:
				t.Errorf("%s: refused: %.300s: %v", name, text, err)
			}
		}
	}
}

// literal returns a text of as many thousand bytes, which come from the statement.
func literal(thousands int) string {
	return "replace('" + strings.Repeat("a", 1000) + "', 'a', '" + strings.Repeat("b", thousands) + "')"
}

// grow returns a text that nested calls of replace make megabytes of.
func grow(from string) string {
	for _, s := range []string{"a", "b", "c", "d", "e"} {
		from = "replace(" + from + ", '" + s + "', '" + strings.Repeat(string(s[0]+1), 50) + "')"
	}
	return from
}

// chain returns common table expressions each of which names the one before twice.
func chain(n int, first, next string) string {
	var b strings.Builder
	b.WriteString("WITH c0 AS (SELECT " + first + " AS v)")
	for i := 1; i <= n; i++ {
		of := func(k int) string { return "c" + string(rune('0'+k/10)) + string(rune('0'+k%10)) }
		before := of(i - 1)
		if i == 1 {
			before = "c0"
		}
		b.WriteString(", " + of(i) + " AS (SELECT " + next + " AS v FROM " + before + ")")
		if i == n {
			b.WriteString(" SELECT v FROM " + of(i))
		}
	}
	return b.String()
}

func TestGrowth(t *testing.T) {
	long := literal(30)
	check(t, true, []string{
		"all: SELECT " + grow("'a'"),
		"all: SELECT length(" + grow("'a'") + ")",
		"all: SELECT " + grow("name") + " FROM emp",
		"all: WITH x AS (SELECT replace(name, 'a', '" + strings.Repeat("b", 200) + "') AS v FROM emp)," +
			" y AS (SELECT replace(v, 'b', '" + strings.Repeat("c", 200) + "') AS w FROM x) SELECT w FROM y",
		"all: SELECT replace(v, 'b', '" + strings.Repeat("c", 200) + "') FROM" +
			" (SELECT replace(name, 'a', '" + strings.Repeat("b", 200) + "') AS v FROM emp UNION ALL" +
			" SELECT name FROM dept) x",
		"all: SELECT replace((SELECT " + long + "), 'a', 'bbb')",
		"all too_complex: " + chain(20, "(SELECT min(name) FROM emp)", "concat(v, v)"),
		"sqlite postgres too_complex: " + chain(20, "'ab'", "v || v"),
		"all: SELECT id, " + strings.Repeat("v, ", 200) + "1 FROM (SELECT id, concat(" + long + "," +
			" name) AS v FROM emp) x",
		"sqlite: SELECT group_concat(v) FROM (SELECT replace(" + long + ", 'a', 'bb') AS v FROM emp) x",
		"mysql: SELECT group_concat(v) FROM (SELECT replace(" + long + ", 'a', 'bb') AS v FROM emp) x",
		"mysql: SELECT 1 FROM (SELECT replace(" + long + ", 'a', 'bb') AS v FROM emp) x" +
			" WHERE 1 IN (SELECT 1 FROM dept GROUP BY v HAVING concat(" + strings.Repeat("x.v, ", 19) + "x.v) = 'a')",
		"postgres: SELECT array_agg(v) FROM (SELECT replace(" + long + ", 'a', 'bb') AS v FROM emp) x",
		"postgres: SELECT string_agg(" + long + ", ',') FROM emp",
		"sqlite: SELECT json_group_array(" + long + ") FROM emp",
		"postgres: SELECT repeat_it.v FROM (SELECT lpad(lpad(name, 1000, 'x') || format('%999s', name)," +
			" 1000) AS v FROM emp) repeat_it" +
			" WHERE " + grow("v") + " = 'x'",
		"mysql postgres: SELECT lpad(name, 20000, 'x') FROM emp",
		"mysql postgres: SELECT rpad(name, id, 'x') FROM emp",
		"mysql: SELECT space(1e9)",
		"mysql: SELECT space(-1)",
		"postgres sqlite: SELECT format('%1000000000s', name) FROM emp",
		"postgres: SELECT format('%1$*2$s', name, 1000000) FROM emp",
		"postgres sqlite: SELECT format(name) FROM emp",
		"sqlite: SELECT printf('%.1000000f', 1)",
		"sqlite: SELECT printf('%%%*d', 1000000000, 1)",
		"sqlite: SELECT printf('%' || '999999d', 1)",
		"sqlite: SELECT printf('" + strings.Repeat("%999s", 200) + "', name) FROM emp",
		"postgres: SELECT format('" + strings.Repeat("%1$999s", 200) + "', name) FROM emp",
		"postgres: SELECT format('" + strings.Repeat("%1$s", 2000) + "', string_agg(name, ',')) FROM emp",
		"sqlite: SELECT hex(hex(hex(hex(hex(hex(hex(" + "hex(hex(hex(hex(hex(hex(hex(name)))))))))))))) FROM emp",
		"postgres: SELECT regexp_replace(regexp_replace(name, '', '" + strings.Repeat("x", 500) + "'," +
			" 'g'), 'x', '" + strings.Repeat("y", 500) + "', 'g') FROM emp",
		"postgres: SELECT 1e100000::text",
		"postgres: SELECT ('[1e131071, 1e131071]')::jsonb::text",
		"sqlite: SELECT json_pretty('" + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "', '          ')",
	})
	check(t, false, []string{
		"all: SELECT replace(replace(replace(replace(name, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')," +
			" '''', '&#39;') FROM emp",
		"all: SELECT replace(doc, 'a', 'bb') FROM emp",
		"all: SELECT concat(name, ' ', note, ' ', doc) FROM emp",
		"all: " + chain(5, "(SELECT min(name) FROM emp)", "concat(v, v)"),
		"all: " + chain(9, "1", "CASE WHEN v > 0 THEN v + 1 ELSE 0 END"),
		"all: SELECT upper(concat(" + strings.Repeat("name, ' ', ", 30) + "'x')) FROM emp",
		"sqlite mysql: SELECT group_concat(name) FROM emp",
		"postgres sqlite: SELECT string_agg(name || ': ' || note, ', ' ORDER BY name) FROM emp",
		"postgres: SELECT json_agg(json_build_object('dept', d.name, 'people', (SELECT" +
			" json_agg(json_build_object('name', e.name," +
			" 'reports', (SELECT json_agg(json_build_object('name', f.name, 'notes', (SELECT json_agg(f.note))))" +
			" FROM emp f WHERE f.boss = e.id))) FROM emp e WHERE e.boss = d.id))) FROM dept d",
		"sqlite: SELECT json_group_array(json_object('dept', d.name, 'people', (SELECT" +
			" json_group_array(json_object('name', e.name," +
			" 'reports', (SELECT json_group_array(json_object('name', f.name)) FROM emp f WHERE f.boss = e.id)))" +
			" FROM emp e WHERE e.boss = d.id))) FROM dept d",
		"mysql: SELECT json_arrayagg(json_object('name', name, 'note', note)) FROM emp",
		"sqlite: SELECT json_pretty(json_group_array(json_object('id', id, 'name', name))) FROM emp",
		"postgres: SELECT jsonb_pretty(jsonb_agg(to_jsonb(x))) FROM (SELECT id, name FROM emp) x",
		"postgres: SELECT lpad(name, 30), rpad(name, 1000), to_char(id, 'FM000000'), 1e10::text," +
			" power(1.05, id), exp(ln(id + 1)) FROM emp",
		"postgres: SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY name) FROM emp",
		"postgres: SELECT percentile_disc(ARRAY[0.1, 0.25, 0.5, 0.75, 0.9]) WITHIN GROUP (ORDER BY doc) FROM emp",
		"mysql: SELECT lpad(name, 1000, '0'), rpad(name, 3, ' '), space(2) FROM emp",
		"postgres sqlite: SELECT format('%s %-10s %% 1000000', name, name) FROM emp",
		"sqlite: SELECT printf('%999d', 1), printf(), format('%%1000000')",
		"sqlite: SELECT printf('%-30s %5d %05.2f', name, id, id / 3.0), hex(name), quote(name) FROM emp",
	})
}

// A recursion may append to a path in each step. It may not multiply a text.
func TestRecursion(t *testing.T) {
	const path = "WITH RECURSIVE t AS (SELECT id, CAST(name AS CHAR(200)) AS path FROM emp WHERE boss IS NULL" +
		" UNION ALL SELECT e.id, concat(t.path, ' > ', e.name) FROM emp e JOIN t ON e.boss = t.id) "
	check(t, false, []string{
		"sqlite mysql: " + strings.ReplaceAll(path, "CHAR(200)", "CHAR") + "SELECT id, path FROM t ORDER BY path",
		"postgres mysql: " + path + "SELECT id, path FROM t WHERE path NOT LIKE '%x%' ORDER BY path",
		"postgres: WITH RECURSIVE t AS (SELECT id, ARRAY[id] AS path FROM emp WHERE boss IS NULL UNION ALL" +
			" SELECT e.id, t.path || e.id FROM emp e JOIN t ON e.boss = t.id WHERE NOT e.id =" +
			" ANY(t.path)) SELECT id, path FROM t",
		"sqlite: WITH RECURSIVE t AS (SELECT id, name, 0 AS depth, '/' || id || '/' AS path FROM emp" +
			" WHERE boss IS NULL UNION ALL" +
			" SELECT e.id, e.name, t.depth + 1, t.path || e.id || '/' FROM emp e JOIN t ON e.boss = t.id" +
			" WHERE t.path NOT LIKE '%/' || e.id || '/%') SELECT substr(path, 1, 50), depth FROM t",
		"sqlite: WITH RECURSIVE split(word, rest) AS (SELECT '', name || ',' FROM emp UNION ALL" +
			" SELECT substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1) FROM" +
			" split WHERE rest <> '')" +
			" SELECT word FROM split",
		"all: WITH RECURSIVE t AS (SELECT 1 AS a, 1 AS b, id FROM emp UNION ALL SELECT t.b, t.a + t.b," +
			" e.id FROM t" +
			" JOIN emp e ON e.boss = t.id) SELECT a FROM t",
	})
	check(t, true, []string{
		"sqlite mysql: WITH RECURSIVE t AS (SELECT id, name AS v FROM emp UNION ALL SELECT e.id, concat(t.v, t.v)" +
			" FROM t JOIN emp e ON e.boss = t.id) SELECT length(v) FROM t",
		"postgres: WITH RECURSIVE t AS (SELECT id, name AS v, 'a' AS w FROM emp UNION ALL SELECT e.id," +
			" t.w, t.v || t.w" +
			" FROM t JOIN emp e ON e.boss = t.id) SELECT length(v) FROM t",
		"all: WITH RECURSIVE t AS (SELECT id, name AS v FROM emp UNION ALL SELECT e.id, replace(t.v, 'a', 'bb')" +
			" FROM t JOIN emp e ON e.boss = t.id) SELECT 1 FROM t",
		"all: WITH RECURSIVE t AS (SELECT id, name AS v FROM emp UNION ALL SELECT e.id, concat(t.v, e.name)" +
			" FROM t JOIN emp e ON e.boss = t.id) SELECT replace(v, v, 'x') FROM t",
	})
}

func TestSearches(t *testing.T) {
	grown := "replace(name, 'a', '" + strings.Repeat("b", 200) + "')"
	long := literal(20)
	check(t, false, []string{
		"all: SELECT name FROM emp WHERE name LIKE '%x%' OR note LIKE concat('%', lower(trim(name)), '%')",
		"sqlite postgres: SELECT name FROM emp WHERE note LIKE '%' || lower(name) || '%'",
		"sqlite: SELECT instr(doc, name), replace(doc, name, note), trim(name, ' ,.'), doc GLOB '*' ||" +
			" name || '*' FROM emp",
		"mysql: SELECT instr(doc, name), locate(name, doc), substring_index(doc, ',', 2), trim(both ','" +
			" from name) FROM emp",
		"mysql: SELECT name FROM emp WHERE name REGEXP '^[a-z]+(-[a-z]+)*$' AND note REGEXP" +
			" '^([0-9]{1,3}[.]){3}[0-9]{1,3}$'",
		"mysql: SELECT regexp_replace(regexp_replace(name, '[^0-9]+', ''), '^(00|[+])49', '0') FROM emp",
		"mysql: SELECT regexp_replace(name, '^([a-z]+[ -]){1,3}', ''), regexp_replace(name, '(ab|c){4}', '') FROM emp",
		"mysql: SELECT group_concat(name) REGEXP 'a.*b' OR group_concat(name) REGEXP '(a*)' FROM emp",
		"mysql: SELECT 1 FROM emp WHERE " + strings.Repeat("name REGEXP 'mr[.]? (foo|bar)+' OR ", 20) + "id = 1",
		"mysql: SELECT group_concat(name) REGEXP '[0-9]+', regexp_replace(group_concat(name), '(ö|ü)', '*') FROM emp",
		"postgres: SELECT strpos(doc, name), split_part(doc, ',', 1), btrim(name, ' ,')," +
			" translate(name, 'äöü', 'aou') FROM emp",
		"postgres: SELECT name FROM emp WHERE name ~* ('\\m' || name) AND doc ILIKE '%' || cast(id AS text) || '%'",
		"postgres: SELECT name FROM emp WHERE string_to_array(note, ',') @> ARRAY['a', 'b'] AND" +
			" doc::jsonb @> '{\"a\": 1}'",
		"all: SELECT name FROM emp WHERE " + strings.Repeat("note LIKE '%word%' OR ", 300) + "name = 'x'",
		"sqlite mysql: SELECT name FROM dept d WHERE (SELECT group_concat(e.name) FROM emp e) LIKE" +
			" concat('%', d.name, '%')",
		"postgres: SELECT array_agg(boss) @> ARRAY[1, 2, 3] FROM emp",
		"postgres: SELECT range_agg(int4range(id, boss)) && '{[1,2),[5,9)}'::int4multirange FROM emp",
		"postgres: SELECT ts_rank(to_tsvector(doc), websearch_to_tsquery('english', 'late \"invoice of may\" -paid')) FROM emp",
		"postgres: SELECT to_tsvector(doc) @@ plainto_tsquery(name), note::tsquery FROM emp",
		"postgres: SELECT name FROM emp WHERE name LIKE ANY (ARRAY['%" + strings.Repeat("a%', '%", 300) + "b'])",
		"postgres: SELECT name FROM emp WHERE doc ILIKE ANY (SELECT '%' || d.name || '%' FROM dept d)",
		"all: SELECT replace(" + grown + ", name, 'x') FROM emp",
	})
	check(t, true, []string{
		"all: SELECT name FROM emp WHERE doc LIKE " + grown,
		"all: SELECT replace(doc, " + grown + ", 'x') FROM emp",
		"all: SELECT name FROM emp WHERE name LIKE " + long,
		"all: WITH x AS (SELECT " + grown + " AS v FROM emp) SELECT 1 FROM x WHERE v LIKE v",
		"all: SELECT 1 FROM (SELECT " + grown + " AS v FROM emp UNION SELECT name FROM dept) x WHERE v LIKE v",
		"all: SELECT 1 FROM emp WHERE name LIKE (SELECT min(" + grown + ") FROM emp)",
		"all: SELECT 1 FROM emp WHERE doc LIKE CASE WHEN id = 1 THEN " + grown + " ELSE name END",
		"sqlite: SELECT instr(doc, " + grown + ") FROM emp", "sqlite: SELECT trim(doc, " + grown + ") FROM emp",
		"sqlite: SELECT json_patch(" + grown + ", " + grown + ") FROM emp",
		"sqlite: SELECT doc GLOB " + grown + " FROM emp", "sqlite: SELECT glob(" + grown + ", doc) FROM emp",
		"mysql: SELECT locate(" + grown + ", doc) FROM emp", "mysql: SELECT instr(doc, " + grown + ") FROM emp",
		"mysql: SELECT substring_index(doc, " + grown + ", 1) FROM emp",
		"mysql: SELECT json_contains(" + grown + ", " + grown + ") FROM emp",
		"postgres: SELECT translate(doc, " + grown + ", 'x') FROM emp", "postgres: SELECT btrim(doc," +
			" " + grown + ") FROM emp",
		"postgres: SELECT strpos(doc, " + grown + ") FROM emp", "postgres: SELECT" +
			" position(" + grown + " in doc) FROM emp",
		"postgres: SELECT split_part(doc, " + grown + ", 1) FROM emp",
		"postgres: SELECT string_to_array(doc, " + grown + ") FROM emp",
		"postgres: SELECT string_to_array(" + grown + ", ',') @> string_to_array(" + grown + ", ',') FROM emp",
		"postgres: SELECT " + grown + "::jsonb @> " + grown + "::jsonb FROM emp",
		"postgres: SELECT string_to_array(" + grown + ", ',') && string_to_array(" + grown + ", ',') FROM emp",
		"postgres: SELECT doc ~ " + grown + " FROM emp", "postgres: SELECT doc ILIKE " + grown + " FROM emp",
		"sqlite mysql: SELECT (SELECT group_concat(name) FROM emp) LIKE (SELECT group_concat(name) FROM emp)",
		"postgres: SELECT strpos(string_agg(name, ''), string_agg(note, '')) FROM emp",
		"postgres: SELECT plainto_tsquery('simple', string_agg(name, ' ')) FROM emp",
		"postgres: SELECT to_tsquery(string_agg(name, '&')) FROM emp",
		"postgres: SELECT string_agg(name, '&')::tsquery FROM emp",
		"postgres: SELECT ('{' || string_agg('[1,2)', ',') || '}')::int4multirange FROM emp",
		"postgres: SELECT percentile_disc((SELECT array_agg(0.5) FROM emp)::float8[]) WITHIN GROUP (ORDER BY doc) FROM emp",
		"all: SELECT 1 FROM (SELECT concat(" + literal(60) + ", name) AS v FROM emp) x WHERE " +
			strings.Repeat("v LIKE '%"+strings.Repeat("a", 400)+"b%' OR ", 15) + "v = 'x'",
		"all too_complex: " + chain(40, "1", "v + v"),
		"postgres: SELECT 1 FROM emp WHERE doc LIKE ANY (ARRAY['x', " + grown + "])",
		"postgres: SELECT 1 FROM emp WHERE doc ~ ANY (SELECT string_agg(name, '') FROM dept)",
		"mysql: SELECT regexp_replace(name, '(a+)+[bd]|c', 'x') FROM emp",
		"mysql: SELECT regexp_replace(name, '(a+){5}', 'x') FROM emp", "mysql: SELECT regexp_replace(name, '(a+){1,12}', 'x') FROM emp",
		"mysql: SELECT regexp_replace(name, '(a+){2,}', 'x') FROM emp", "mysql: SELECT regexp_replace(name, '(a+) *', 'x') FROM emp",
		"mysql: SELECT regexp_replace(name, concat('(a', '+)+[bd]|c'), 'x') FROM emp",
		"mysql: SELECT regexp_replace(name, v, 'x') FROM (SELECT name, concat('(a', '+)+[bd]|c') AS v FROM emp) x",
		"mysql: SELECT name FROM emp WHERE doc REGEXP concat('[[:<:]]', name, '[[:>:]]')",
		"mysql: SELECT regexp_replace(group_concat(name), 'a*b', '') FROM emp",
		"mysql: SELECT 1 FROM emp WHERE " + strings.Repeat("name REGEXP '(a+)+[bd]' OR ", 40) + "id = 1",
	})
}
