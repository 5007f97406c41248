package integration_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	marino "github.com/sqlc-dev/marino/ast"
	mode "github.com/sqlc-dev/marino/mysql"
	"github.com/sqlc-dev/marino/opcode"
	"github.com/sqlc-dev/marino/parser"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// TestMarino checks with another MySQL parser that a printed statement has the same tree
// as its original, for gold statements and for statements that cover every construct.
func TestMarino(t *testing.T) {
	texts := append([]string(nil), marinoStatements...)
	for _, corpus := range sqliteCorpora(t) {
		texts = append(texts, corpus.statements...)
	}
	var d mysql.Dialect
	p := parser.New()
	p.SetSQLMode(mode.ModeIgnoreSpace)
	same, unread := 0, 0
	for _, text := range texts {
		if strings.Count(text, "(") > 20 {
			continue // this parser is slow: it backtracks
		}
		q, err := d.Read(text)
		if err != nil {
			continue
		}
		printed, err := d.Append(nil, q, false)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		want, err := p.ParseOneStmt(text, "", "")
		if err != nil {
			unread++
			continue
		}
		want = normal(want)
		got, err := p.ParseOneStmt(string(printed), "", "")
		if err != nil {
			t.Errorf("%s\nprinted as %s: %v", text, printed, err)
			continue
		}
		if diff := cmp.Diff(want, normal(got), marinoTrees); diff != "" {
			t.Errorf("%s\nprinted as %s (-original +printed):\n%s", text, printed, diff)
			continue
		}
		same++
	}
	t.Logf("%d statements are the same to both parsers; %d originals are not read by the other", same, unread)
	if unread > len(texts)/50 {
		t.Errorf("%d of %d originals are not read", unread, len(texts))
	}
}

// TestMarinoTables checks with another MySQL parser that a rewritten statement reads the
// tables and views that the guard reports.
func TestMarinoTables(t *testing.T) {
	p := parser.New()
	p.SetSQLMode(mode.ModeIgnoreSpace)
	same := 0
	for name, corpus := range sqliteCorpora(t) {
		policy := &secureview.Policy{Dialect: "mysql", Schema: "company", Tables: corpus.tables, Views: map[string]string{}}
		for i, table := range sorted(corpus.tables) {
			if i%2 == 0 {
				policy.Views[table] = "secure_" + table
			}
		}
		guard, err := secureview.New(policy, mysql.Dialect{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, text := range corpus.statements {
			stmt, err := guard.Rewrite(t.Context(), text)
			if err != nil || strings.Count(text, "(") > 20 { // this parser is slow: it backtracks
				continue
			}
			tree, err := p.ParseOneStmt(stmt.SQL(), "", "")
			if err != nil {
				t.Errorf("%s\nrewritten as %s: %v", text, stmt.SQL(), err)
				continue
			}
			want := map[dialect.TableName]bool{}
			for _, r := range stmt.Reads() {
				want[r.Object] = true
			}
			seen := tablesSeen{}
			tree.Accept(seen)
			if diff := cmp.Diff(want, map[dialect.TableName]bool(seen)); diff != "" {
				t.Errorf("%s\nrewritten as %s reads other tables (-guard +parser):\n%s", text, stmt.SQL(), diff)
				continue
			}
			same++
		}
	}
	t.Logf("in %d statements both see the same tables", same)
}

// tablesSeen collects the tables of a tree without common table expressions, which have no
// schema.
type tablesSeen map[dialect.TableName]bool

func (s tablesSeen) Enter(n marino.Node) (marino.Node, bool) {
	if table, ok := n.(*marino.TableName); ok && table.Schema.O != "" {
		s[dialect.TableName{Schema: table.Schema.O, Name: table.Name.O}] = true
	}
	return n, false
}

func (s tablesSeen) Leave(n marino.Node) (marino.Node, bool) { return n, true }

// marinoStatements are printed as written, apart from parentheses, column aliases and join
// conditions.
var marinoStatements = []string{
	`SELECT a + b * c - d / e DIV f % g, (a + b) * c, a - (b - c), -a, - -a, ~a, a | b & c << d >> e ^ f FROM t`,
	`SELECT a || b && c XOR d OR NOT e AND !f, NOT a = b, (NOT a) = b, a <=> b <> c FROM t`,
	`SELECT a FROM t WHERE a IS NULL OR b IS NOT NULL AND c IS TRUE OR d IS NOT FALSE OR e IS UNKNOWN OR f BETWEEN 1 AND 2 AND g`,
	`SELECT a FROM t WHERE a IN (1, 2) OR b NOT IN (SELECT c FROM u) OR (a, b) = (1, 2) OR a > ALL (SELECT 1) OR NOT EXISTS (SELECT 1)`,
	`SELECT a FROM t WHERE a LIKE 'x\_%' OR b NOT LIKE 'c!%' ESCAPE '!' OR e REGEXP '^\\d' OR f NOT REGEXP g`,
	`SELECT 'it''s', 'a\'b', "dq ""x"" 'y'", 'a\\b\n\t\%', 'é', X'4142', 1.50, 1e-5, TRUE, NULL FROM t`,
	`SELECT count(*), count(DISTINCT a, b), group_concat(DISTINCT a ORDER BY b DESC SEPARATOR '; '), sum(a) FROM t GROUP BY b WITH ROLLUP HAVING count(*) > 1`,
	`SELECT rank() OVER (PARTITION BY a ORDER BY b DESC), sum(x) OVER w, sum(x) OVER (w ROWS BETWEEN 3 PRECEDING AND CURRENT ROW), lag(x, 2, 0) OVER w FROM t WINDOW w AS (ORDER BY y)`,
	`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9), m AS (SELECT 1) SELECT * FROM n, m`,
	`SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4 ORDER BY 1 LIMIT 2`,
	`(SELECT a FROM t ORDER BY b LIMIT 1) UNION ALL (SELECT c FROM u LIMIT 2) LIMIT 3`,
	`SELECT * FROM a JOIN b ON a.x = b.x LEFT JOIN c USING (y, z) RIGHT JOIN f ON 2 NATURAL JOIN g`,
	`SELECT * FROM a LEFT JOIN (b JOIN c ON b.x = c.x) ON a.x = b.x`,
	`SELECT CASE a WHEN 1 THEN 'x' ELSE 'y' END, CASE WHEN a THEN b END, CAST(a AS DECIMAL(10, 2)), CAST(a AS CHAR), a COLLATE utf8mb4_bin FROM t`,
	`SELECT date_add(a, INTERVAL 1 DAY), extract(YEAR FROM a), trim(LEADING 'x' FROM a), timestampdiff(MONTH, a, b), convert(a USING utf8mb4), char(65, 66), insert(a, 1, 2, 'x') FROM t`,
	"SELECT db.t.`a b`, t.* FROM db.t AS t, (SELECT 1 AS x) AS d ORDER BY 1 DESC, a LIMIT 3 OFFSET 4",
}

// normal removes from a tree what printing can change: parentheses, the case of functions,
// and the condition of a join without one.
func normal(n marino.StmtNode) marino.StmtNode {
	out, _ := n.Accept(normalizer{})
	return out.(marino.StmtNode)
}

type normalizer struct{}

func (normalizer) Enter(n marino.Node) (marino.Node, bool) { return n, false }

func (normalizer) Leave(n marino.Node) (marino.Node, bool) {
	switch n := n.(type) {
	case *marino.ParenthesesExpr:
		return n.Expr, true
	case *marino.AggregateFuncExpr:
		n.F = strings.ToLower(n.F)
	case *marino.WindowFuncExpr:
		n.Name = strings.ToLower(n.Name)
	case *marino.UnaryOperationExpr:
		if n.Op == opcode.Not2 {
			n.Op = opcode.Not
		}
	case *marino.Join:
		if n.On != nil && isTrue(n.On.Expr) {
			n.On = nil
		}
		n.Left, n.Right = unwrapped(n.Left), unwrapped(n.Right)
	}
	return n, true
}

// unwrapped replaces a join of one table at the beginning of a FROM by the table.
func unwrapped(n marino.ResultSetNode) marino.ResultSetNode {
	if j, ok := n.(*marino.Join); ok && j.Right == nil {
		return j.Left
	}
	return n
}

func isTrue(e marino.ExprNode) bool {
	v, ok := e.(marino.ValueExpr)
	return ok && fmt.Sprint(v.GetValue()) == "1"
}

// marinoTrees compares two trees without offsets, texts and generated names.
var marinoTrees = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool {
		field, ok := p.Last().(cmp.StructField)
		if !ok {
			return false
		}
		first, _ := utf8.DecodeRuneInString(field.Name())
		switch field.Name() {
		case "AsName", "Offset", "ExplicitParens", "IsInBraces", "Type", "NullOrder":
			return true
		}
		return unicode.IsLower(first)
	}, cmp.Ignore()),
	cmp.Comparer(func(a, b marino.CIStr) bool { return a.L == b.L }),
	cmp.Comparer(func(a, b marino.ValueExpr) bool {
		return fmt.Sprintf("%T %v", a.GetValue(), a.GetValue()) == fmt.Sprintf("%T %v", b.GetValue(), b.GetValue())
	}),
}
