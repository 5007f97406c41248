package runtimetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// strange are names that have a meaning in addresses, cannot be printed, or
// look the same.
var strange = []string{
	"a", "a/b", "a%2Fb", "a%2fb", "a/", "/a", "//", "a/b/c", "b", " ", "  ", "\u00a0", "\t", "\n", "\x00", "\x7f", "\xff", "\xfe", "\ufffd", "\u200b",
	"#2", "a#2", "a#3", "@a", ":", ":each", ":do", ":ask", "~", "%", "%25", "%2F", "1.a", "kept/a", "ü", "u\u0308",
	strings.Repeat("x", 10<<10), strings.Repeat("x", 10<<10) + "y", strings.Repeat("é", 5<<10), strings.Repeat("/", 1000), strings.Repeat("x", 999),
}

// Calls have separate records, whatever their names and the keys and namespaces
// around them are.
func TestStrangeNames(t *testing.T) {
	for _, test := range []struct {
		name string
		all  func(ctx context.Context, call func(ctx context.Context, name, value string) (string, error)) ([]string, error)
	}{
		{"calls", func(ctx context.Context, call func(context.Context, string, string) (string, error)) (got []string, err error) {
			for _, name := range strange {
				v, err := call(ctx, name, name)
				if err != nil {
					return nil, err
				}
				got = append(got, v)
			}
			return got, nil
		}},
		{"items", func(ctx context.Context, call func(context.Context, string, string) (string, error)) ([]string, error) {
			return qed.Each(ctx, strange, func(s string) string { return s }, func(ctx context.Context, item string) (string, error) {
				return call(ctx, "call", item)
			})
		}},
		{"items of items", func(ctx context.Context, call func(context.Context, string, string) (string, error)) (got []string, err error) {
			all, err := qed.Each(ctx, strange, func(s string) string { return s }, func(ctx context.Context, outer string) ([]string, error) {
				return qed.Each(ctx, []string{"a", "a/b", outer + "z"}, func(s string) string { return s }, func(ctx context.Context, inner string) (string, error) {
					_, err := call(ctx, "call", outer+" "+inner)
					return outer, err
				})
			})
			for i, v := range all {
				if len(v) != 3 || v[0] != strange[i] {
					return nil, fmt.Errorf("item %d: %v", i, v)
				}
				got = append(got, v[0])
			}
			return got, err
		}},
		{"scopes", func(ctx context.Context, call func(context.Context, string, string) (string, error)) (got []string, err error) {
			for _, name := range strange {
				v, err := call(qed.WithNamespace(ctx, name), "call", name)
				if err != nil {
					return nil, err
				}
				got = append(got, v)
			}
			return got, nil
		}},
	} {
		for how, call := range map[string]func(context.Context, string, any, func(context.Context) (string, error)) (string, error){"memo": qed.Step[string], "once": qed.StepOnce[string]} {
			t.Run(test.name+"/"+how, func(t *testing.T) {
				var l qedtest.Ledger
				st := new(store.InMemory)
				c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
					got, err := test.all(ctx, func(ctx context.Context, name, value string) (string, error) {
						return call(ctx, name, nil, func(context.Context) (string, error) {
							l.Do(value)
							return fmt.Sprintf("%x", value), nil
						})
					})
					if err != nil {
						return "", err
					}
					for i, v := range got {
						if v != strange[i] && v != fmt.Sprintf("%x", strange[i]) {
							t.Errorf("%.20q got what is %.20q's", strange[i], v)
						}
					}
					return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
				}), st, nil)
				c.reply(c.say("go"), `"good"`)
				for name, n := range l.Count() {
					if n != 1 {
						t.Errorf("%.20q was done %d times", name, n)
					}
				}
				for _, rec := range qedtest.Log(t, st, "t") {
					if len(rec.Address) > 1000 || !utf8.ValidString(rec.Address) || strings.ContainsAny(rec.Address, "\x00\n") {
						t.Errorf("address %q", rec.Address)
					}
				}
			})
		}
	}
}

// The records of a namespace are found from another node, another turn and
// another path.
func TestWithNamespace(t *testing.T) {
	var l qedtest.Ledger
	task := func(ctx context.Context, id string) (string, error) {
		ctx = qed.WithNamespace(ctx, "task/"+id)
		a, err := once(ctx, &l, "send "+id)
		if err != nil {
			return "", err
		}
		inner := qed.WithNamespace(ctx, "inner")
		b, err := once(inner, &l, "inner "+id)
		if err != nil {
			return "", err
		}
		sums, err := qed.Each(ctx, []string{"x", "y"}, func(s string) string { return s }, func(ctx context.Context, item string) (string, error) {
			return once(ctx, &l, "item "+item+id)
		})
		if err != nil {
			return "", err
		}
		s, err := compileAttempts(func(ctx context.Context) error { _, err := once(ctx, &l, "graph "+id); return err }).Run(ctx, trail{})
		return a + b + strings.Join(sums, "") + fmt.Sprint(s.N), err
	}
	g := qed.NewGraph[trail]("g")
	for _, name := range []string{"a", "b"} {
		g.Node(name, noting(func(ctx context.Context) (string, error) { return task(ctx, "1") }), nil)
	}
	g.Edge(qed.Start, "a")
	g.Edge("a", "b")
	g.Edge("b", qed.End)
	st := new(store.InMemory)
	c := converse(t, walks(t, g, nil), st, nil)
	first := c.say("go")
	if second := c.say("again"); second.Text != first.Text || first.Text == "" {
		t.Errorf("first %q, then %q", first.Text, second.Text)
	}
	want := map[string]int{"send 1": 1, "inner 1": 1, "item x1": 1, "item y1": 1, "graph 1": 1}
	l.Want(t, want)
	// In an agent without a graph, and an agent within that.
	other := converse(t, does(func(ctx context.Context, text string) (string, error) {
		a, err := qed.Ask(ctx, does(task), qed.Turn{Text: "1"})
		if err != nil {
			return "", err
		}
		b, err := task(ctx, "2")
		return a.Text + b, err
	}), st, nil)
	other.say("once more")
	for name := range want {
		want[strings.ReplaceAll(name, "1", "2")] = 1
	}
	l.Want(t, want)
	other.thread = "another thread"
	other.say("once more")
	for name := range want {
		want[name] = 2
	}
	l.Want(t, want)
}

// The records of a namespace are found in another turn, whatever its name.
func TestNamespacesWithStrangeNamesInAnotherTurn(t *testing.T) {
	for i, name := range append(strange, strings.Repeat("x", 950), strings.Repeat("x", 880), strings.Repeat("x/", 480)) {
		for _, inner := range []string{"call", strings.Repeat("a long name ", 10), strings.Repeat("a very long name ", 100)} {
			t.Run(fmt.Sprint(i, len(inner)), func(t *testing.T) {
				var l qedtest.Ledger
				c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
					outer := qed.WithNamespace(ctx, name)
					if _, err := qed.StepOnce(outer, inner, nil, func(context.Context) (int, error) { return l.Do("outer"), nil }); err != nil {
						return "", err
					}
					_, err := qed.StepOnce(qed.WithNamespace(outer, name), inner, nil, func(context.Context) (int, error) { return l.Do("inner"), nil })
					return "done", err
				}), new(store.InMemory), nil)
				c.say("go")
				c.say("again")
				l.Want(t, map[string]int{"outer": 1, "inner": 1})
			})
		}
	}
}

// Branches have separate records, whatever their names.
func TestStrangeBranches(t *testing.T) {
	var l qedtest.Ledger
	var branches []branch
	var want []string
	for _, name := range []string{"a", "a#2", "a#3", "1.a", "%", "%2F", "@a", ":ask", "~", " ", "ü", strings.Repeat("x", 2000), strings.Repeat("x", 2000) + "y"} {
		want = append(want, name)
		branches = append(branches, branch{Name: name, Run: func(ctx context.Context, _ trail) (string, error) {
			for range 2 {
				if _, err := qed.StepOnce(ctx, "a", nil, func(context.Context) (string, error) { l.Do(name); return name, nil }); err != nil {
					return "", err
				}
			}
			if name == "a" {
				return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
			}
			return name, nil
		}})
	}
	c := converse(t, walks(t, fanOut(branches...), nil), new(store.InMemory), nil)
	a := c.reply(c.say("go"), `"a"`)
	for _, name := range want {
		if !strings.Contains(a.Text, name) {
			t.Errorf("the answer has nothing of %.20q", name)
		}
		if n := l.Count()[name]; n != 2 {
			t.Errorf("%.20q was done %d times, want 2", name, n)
		}
	}
}
