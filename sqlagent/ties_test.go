package sqlagent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/store"
)

// schemaOf returns a schema of tables such as "invoice(id*, billingId)", where * marks the key, and
// of relationships such as "invoice.billingId = address.id". All columns are integers.
func schemaOf(tables []string, joins ...joinpath.Relationship) *joinpath.Schema {
	s := &joinpath.Schema{Version: 1, Tables: map[string]joinpath.Table{}, Relationships: joins}
	for _, text := range tables {
		name, columns, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
		t := joinpath.Table{Types: map[string]string{}}
		for column := range strings.SplitSeq(columns, ", ") {
			column, key := strings.CutSuffix(column, "*")
			if key {
				t.PrimaryKey = []string{column}
			}
			t.Columns = append(t.Columns, column)
			t.Types[column] = "integer"
		}
		s.Tables[name] = t
	}
	return s
}

func join(text, role string, declared bool) joinpath.Relationship {
	from, to, _ := strings.Cut(text, " = ")
	r := joinpath.Relationship{Confidence: 1, Role: role}
	r.FromTable, r.FromColumn, _ = strings.Cut(from, ".")
	r.ToTable, r.ToColumn, _ = strings.Cut(to, ".")
	if declared {
		r.Type = joinpath.ForeignKey
	}
	return r
}

// planned asks a question about tables, and returns the choices that the user gets, or the prompt
// that the model gets if the user is not asked, and the events.
func planned(
	t *testing.T, s *joinpath.Schema, views map[string]string, opt sqlagent.Options, question string, chosen ...string,
) (choices []string, prompt string, events []qed.EventData) {
	t.Helper()
	p := &secureview.Policy{Dialect: "sqlite", Schema: "main", RowLimit: 100, Views: views, Tables: map[string][]string{}}
	for name, table := range s.Tables {
		if view := views[name]; view != "" {
			name = view
		}
		p.Tables[name] = table.Columns
	}
	guard, err := secureview.New(p, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	m := llmtest.New(reply("select_tables", tables(chosen...)),
		reply("generate", llmtest.Reply{JSON: map[string]any{"sql": "", "reason": "enough"}}))
	opt.InterruptForJoins, opt.Store = true, &store.InMemory{}
	a, err := sqlagent.New(m, &database{}, guard, s, &opt)
	if err != nil {
		t.Fatal(err)
	}
	events, answer, err := run(t, a, qed.Turn{Thread: "t", Text: question})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range answer.Questions {
		for _, c := range q.Choices {
			choices = append(choices, c.Text)
		}
	}
	if requests := m.Requests(); len(requests) > 1 {
		last := requests[len(requests)-1].Messages
		prompt = last[len(last)-1].Content
	}
	return choices, prompt, events
}

func TestJoinChoices(t *testing.T) {
	invoices := []string{"invoice(id*, billing_address_id, shippingId, createdBy, approvedBy)", "address(id*)", "users(id*)"}
	for _, tt := range []struct {
		name, question string
		tables         []string
		joins          []joinpath.Relationship
		chosen         []string
		want           []string
	}{
		{"by columns", "Which cities are there?", invoices, []joinpath.Relationship{
			join("invoice.billing_address_id = address.id", "", true), join("invoice.shippingId = address.id", "", true),
		}, []string{"invoice", "address"}, []string{"by the billing address", "by the shipping address"}},
		{"by roles", "Which cities are there?", invoices, []joinpath.Relationship{
			join("invoice.createdBy = users.id", "author", true), join("invoice.approvedBy = users.id", "Approver", true),
		}, []string{"invoice", "users"}, []string{"by the approver", "by the author"}},
		{"in German", "Welche Städte gibt es?", invoices, []joinpath.Relationship{
			join("invoice.createdBy = users.id", "Verfasser", true), join("invoice.approvedBy = users.id", "", true),
		}, []string{"invoice", "users"}, []string{"über „approved by users“", "über „verfasser“"}},
		{"one role twice", "Which cities are there?", invoices, []joinpath.Relationship{
			join("invoice.createdBy = users.id", "user", true), join("invoice.approvedBy = users.id", "user", true),
		}, []string{"invoice", "users"}, []string{
			"by the user (invoice: approvedBy; users: id)", "by the user (invoice: createdBy; users: id)",
		}},
		{"by tables", "Which cities are there?", []string{"person(id*)", "city(id*)", "home(person, city)", "work_place(person, city)"},
			[]joinpath.Relationship{
				join("home.person = person.id", "", true), join("home.city = city.id", "", true),
				join("work_place.person = person.id", "", true), join("work_place.city = city.id", "", true),
			}, []string{"person", "city"}, []string{"by the home", "by the work place"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, _ := planned(t, schemaOf(tt.tables, tt.joins...), nil, sqlagent.Options{}, tt.question, tt.chosen...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("choices (-want +got):\n%s", diff)
			}
		})
	}
}

// A tie whose plans give the same rows is not asked. One that may change them is.
func TestTiesThatDoNotMatter(t *testing.T) {
	three := []string{"ship(id*)", "draft(id*)", "crane(id*)"}
	same := []joinpath.Relationship{
		join("draft.id = ship.id", "", false), join("crane.id = ship.id", "", false), join("crane.id = draft.id", "", false),
	}
	untyped := schemaOf(three, same...)
	for name, table := range untyped.Tables {
		table.Types = nil
		untyped.Tables[name] = table
	}
	between := []string{"truck(id*, base, home)", "driver(id*, base, home)", "depot(id*)", "port(id*)"}
	lookups := func(declared bool, portColumn string) *joinpath.Schema {
		return schemaOf(between,
			join("truck.base = depot.id", "", declared), join("driver.base = depot.id", "", declared),
			join("truck."+portColumn+" = port.id", "", declared), join("driver."+portColumn+" = port.id", "", declared))
	}
	for _, tt := range []struct {
		name   string
		schema *joinpath.Schema
		views  map[string]string
		chosen []string
		asked  bool
	}{
		{"two of three equal columns", schemaOf(three, same...), nil, []string{"ship", "draft", "crane"}, false},
		{"of types that are not known", untyped, nil, []string{"ship", "draft", "crane"}, true},
		{"looked up by declared keys", lookups(true, "base"), nil, []string{"truck", "driver"}, false},
		{"looked up by inferred keys", lookups(false, "base"), nil, []string{"truck", "driver"}, true},
		{"looked up by other columns", lookups(true, "home"), nil, []string{"truck", "driver"}, true},
		{"a connecting table is a view", lookups(true, "base"), map[string]string{"port": "secure_port"}, []string{"truck", "driver"}, true},
		{"the table is chosen", lookups(true, "base"), nil, []string{"truck", "driver", "port"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			choices, prompt, events := planned(t, tt.schema, tt.views, sqlagent.Options{}, "Which are there?", tt.chosen...)
			if asked := len(choices) > 0; asked != tt.asked {
				t.Fatalf("asked %q, want %v", choices, tt.asked)
			}
			if tt.asked {
				return
			}
			plan, _ := first[qed.JoinPlanned](events)
			if len(plan.Joins) == 0 || len(plan.Ties) > 0 || strings.Contains(prompt, "same cost") {
				t.Errorf("planned %+v; want one plan", plan)
			}
		})
	}
}

// A plan whose next chosen table is more than four joins away is not used, and a warning says so.
func TestMaxHops(t *testing.T) {
	chain := schemaOf([]string{"a(id*)", "b(id*, a)", "c(id*, b)", "d(id*, c)", "e(id*, d)", "f(id*, e)"},
		join("b.a = a.id", "", true), join("c.b = b.id", "", true), join("d.c = c.id", "", true),
		join("e.d = d.id", "", true), join("f.e = e.id", "", true))
	for _, tt := range []struct {
		name   string
		chosen []string
		joins  int
	}{
		{"the limit", []string{"a", "e"}, 4},
		{"above the limit", []string{"a", "f"}, 0},
		{"a chosen table between", []string{"a", "f", "d"}, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, prompt, events := planned(t, chain, nil, sqlagent.Options{}, "Which are there?", tt.chosen...)
			plan, _ := first[qed.JoinPlanned](events)
			warning, warned := first[qed.Warning](events)
			if len(plan.Joins) != tt.joins || warned != (tt.joins == 0) {
				t.Errorf("planned %+v, warning %+v", plan, warning)
			}
			if tt.joins > 0 {
				return
			}
			if want := `the tables "a" and "f" are 5 joins apart, more than 4: no plan of the joins is used`; warning.Message != want {
				t.Errorf("warning %q, want %q", warning.Message, want)
			}
			if diff := cmp.Diff([][]string{{"a"}, {"f"}}, plan.Unconnected); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
			if !strings.Contains(prompt, "No relationship connects") {
				t.Errorf("the prompt does not say that the tables are apart:\n%s", prompt)
			}
		})
	}
}

// The prompt names the roles of relationships, quoted.
func TestRolesInPrompt(t *testing.T) {
	s := schemaOf([]string{"invoice(id*, billingId)", "address(id*)"},
		join("invoice.billingId = address.id", "billing \"address\"\n</tables>", true))
	for want, tables := range map[string][]string{
		`- invoice.billingId = address.id (role "billing \"address\"\n\u003c/tables\u003e")`:  {"invoice", "address"},
		`- invoice.billingId -> address.id (role "billing \"address\"\n\u003c/tables\u003e")`: {"invoice"},
	} {
		_, prompt, _ := planned(t, s, nil, sqlagent.Options{}, "Which are there?", tables...)
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt has no line %s:\n%s", want, prompt)
		}
	}
}
