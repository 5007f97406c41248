package mysql_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect/mysql"
)

// hostile returns texts on which grammars are known to fail: they overflow the
// stack, backtrack or take quadratic time.
func hostile() map[string]string {
	nested := func(n int, open, middle, close string) string {
		return "SELECT " + strings.Repeat(open, n) + middle + strings.Repeat(close, n)
	}
	return map[string]string{
		"parentheses":       nested(10_000, "(", "1", ")"),
		"subqueries":        nested(10_000, "(SELECT ", "1", ")"),
		"intervals":         nested(10_000, "INTERVAL(1, ", "1", ")"),
		"open intervals":    nested(99, "INTERVAL(", "1", ""),
		"closed intervals":  nested(99, "INTERVAL(1, ", "1", ")"),
		"arms":              strings.Repeat("(", 90) + "SELECT 1" + strings.Repeat(" UNION SELECT 1)", 90),
		"calls":             nested(10_000, "f(", "1", ")"),
		"nots":              nested(30_000, "NOT ", "1", ""),
		"minuses":           nested(30_000, "- ", "1", ""),
		"additions":         "SELECT 1" + strings.Repeat("+1", 30_000),
		"joins":             "SELECT 1 FROM t" + strings.Repeat(" JOIN t", 9_000),
		"commas":            "SELECT 1 FROM t" + strings.Repeat(", t", 20_000),
		"unions":            "SELECT 1" + strings.Repeat(" UNION SELECT 1", 4_000),
		"cases":             nested(7_000, "CASE WHEN ", "1", " THEN 1 END")[:60_000],
		"strings":           "SELECT " + strings.Repeat("'a' ", 16_000),
		"large":             "SELECT '" + strings.Repeat("a", 1<<20) + "'",
		"digits":            "SELECT " + strings.Repeat("9", 60_000),
		"82 digits":         "SELECT " + strings.Repeat("9", 82),
		"point and digits":  "SELECT 1." + strings.Repeat("9", 82),
		"exponent":          "SELECT 1e999999999",
		"comments":          "SELECT " + strings.Repeat("/*! ", 15_000) + "1",
		"open comment":      "SELECT " + strings.Repeat("/* ", 20_000),
		"names":             "SELECT a FROM " + strings.Repeat("`", 60_000),
		"unfound names":     "SELECT a FROM " + strings.Repeat("`a``b`,", 9_000) + "c",
		"withs":             strings.Repeat("WITH a AS (", 90) + "SELECT 1" + strings.Repeat(") SELECT 1", 90),
		"braces":            nested(10_000, "{d ", "1", "}"),
		"escaped multibyte": "SELECT '\\é\\'",
	}
}

// TestHostile: for every hostile text Read returns a tree or a *sqlast.Error.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := mysql.Dialect{}.Read(text)
				done <- err
			}()
			select {
			case err := <-done:
				var e *sqlast.Error
				if err != nil && !errors.As(err, &e) {
					t.Errorf("%T: %v", err, err)
				}
				if e != nil && len(e.Error()) > 500 {
					t.Errorf("the message has %d bytes", len(e.Error()))
				}
			case <-ctx.Done():
				t.Fatal("no answer")
			}
		})
	}
}

// TestConcurrent: several goroutines use one Dialect, some with statements on which
// the grammar fails.
func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				for _, tt := range constructs {
					q, err := mysql.Dialect{}.Read(tt.text)
					if err != nil {
						t.Errorf("Read(%q): %v", tt.text, err)
						continue
					}
					if got, err := (mysql.Dialect{}).Append(nil, q, false); err != nil || string(got) != tt.want {
						t.Errorf("Append(%q) = %q, %v", tt.text, got, err)
					}
				}
				mysql.Dialect{}.Read("SELECT " + strings.Repeat("9", 82) + " FROM")
			}
		})
	}
	wg.Wait()
}

// TestLongLists: a statement that a person or a model could write may be long.
func TestLongLists(t *testing.T) {
	list := func(n int) string { return "SELECT a FROM t WHERE b IN (1" + strings.Repeat(",12345", n) + ")" }
	for name, text := range map[string]string{
		"1,300 numbers":    list(1_300),
		"doubled quotes":   "SELECT 'a" + strings.Repeat("''", 4_000) + "'",
		"adjacent strings": "SELECT 'a'" + strings.Repeat(" 'a'", 2_000),
		"list of strings":  "SELECT a FROM t WHERE b IN ('x'" + strings.Repeat(", 'abc'", 1_000) + ")",
	} {
		if _, err := (mysql.Dialect{}).Read(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
