package rowfilter

import (
	"strings"
	"testing"
)

// plainWriter writes a condition with its parts in brackets.
type plainWriter struct{ text strings.Builder }

func (w *plainWriter) Text(sql string)     { w.text.WriteString(sql) }
func (w *plainWriter) Column(name string)  { w.text.WriteString("[" + name + "]") }
func (w *plainWriter) String(value string) { w.text.WriteString("{" + value + "}") }
func (w *plainWriter) Match(column, parameter string, list bool) {
	op := "="
	if list {
		op = "in"
	}
	w.text.WriteString("<" + column + " " + op + " " + parameter + ">")
}

func TestParse(t *testing.T) {
	tests := map[string]string{
		"customer_id IN (:tenant)":             "(<customer_id in tenant>)",
		"customer_id in ( :a, :app.b , 3)":     "(<customer_id in a> OR <customer_id in app.b> OR [customer_id] = 3)",
		"x NOT IN (:a)":                        "NOT (<x in a>)",
		"x = :a":                               "<x = a>",
		"x <> :a AND x != :b":                  "NOT (<x = a>) AND NOT (<x = b>)",
		"orders.x = :a":                        "<x = a>",
		"ORDERS.x = y":                         "[x] = [y]",
		"a = 1 OR b >= -2.5 AND NOT c < 'x'":   "[a] = 1 OR [b] >= -2.5 AND NOT ([c] < {x})",
		"not (a = 1 or a is null)":             "NOT (([a] = 1 OR [a] IS NULL))",
		"NOT NOT deleted = FALSE":              "NOT (NOT ([deleted] = FALSE))",
		"a IS NOT NULL AND b = true":           "[a] IS NOT NULL AND [b] = TRUE",
		`"or" = 'it''s :x' AND ` + "`a b` = 1": "[or] = {it's :x} AND [a b] = 1",
		`"a""b" = 'é'`:                         `[a"b] = {é}`,
		"a IN ('x', 2, FALSE)":                 "([a] = {x} OR [a] = 2 OR [a] = FALSE)",
		"größe\n>\t1":                          "[größe] > 1",
	}
	for text, want := range tests {
		f, err := Parse(text, "orders")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var w plainWriter
		if f.Write(&w); w.text.String() != want {
			t.Errorf("%s is read as %s, want %s", text, w.text.String(), want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, text := range []string{
		"", "  ", "a", "1 = 1", "a = ", "a = NULL", "a IN ()", "a IN (:x", "a = 1)", "(a = 1", "a = 1 b = 2",
		"a = 1; DROP TABLE x", "a = 1 -- x", "a = 1 --x", "a = 1 /* x */", "a = 1 # x", "a = 1 UNION SELECT 2",
		"a IN (SELECT 1)", "EXISTS (SELECT 1)", "f(a) = 1", "a = f(1)", "a + 1 = 2", "a LIKE 'x'", "a BETWEEN 1 AND 2",
		"a = :", "a = ::x", "a = @x", "a = $1", "a = ?", ":x = 1", ":x IS NULL", "a < :x", "a >= :x", "a = 'x", `a = 'x\'`,
		`a = "x`, "other.a = 1", "app.orders.a = 1", "a = 1e3", "a = 0x10", "a = 'x' 'y'", "NOT", "a NOT = 1", "a IS 1",
		"a = \"\" ", "a = 'x\x00'", "a = '\xff'", "\"\xff\" = 1", "\"a\nb\" = 1", "a[1] = 1", "a = CASE WHEN 1 THEN 2 END",
		strings.Repeat("(", 100) + "a = 1" + strings.Repeat(")", 100), strings.Repeat("NOT ", 100) + "a = 1",
		"a = '" + strings.Repeat("x", 5000) + "'",
	} {
		if f, err := Parse(text, "orders"); err == nil {
			var w plainWriter
			f.Write(&w)
			t.Errorf("%q is read as %s", text, w.text.String())
		}
	}
}

func TestNames(t *testing.T) {
	f, err := Parse("a = :x AND (b IN (:y, :x) OR a = c)", "orders")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Columns, " ") + "; " + strings.Join(f.Parameters, " "); got != "a b c; x y" {
		t.Error(got)
	}
}
