package integration_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/store"
)

// million is a script that makes a table with a million rows and a small one.
const million = `
	CREATE TABLE digit (d INT PRIMARY KEY);
	INSERT INTO digit VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
	CREATE TABLE event (id INT PRIMARY KEY, kind INT, note VARCHAR(20));
	INSERT INTO event SELECT a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d + 100000 * f.d, a.d, 'x'
		FROM digit a, digit b, digit c, digit d, digit e, digit f;
	CREATE VIEW own_event AS SELECT id, kind, note FROM event WHERE kind < 5;
	`

// TestEstimates: what the servers expect of statements on a table of a million rows.
func TestEstimates(t *testing.T) {
	run := func(t *testing.T, db *sqldb.DB, d dialect.Dialect, schema string, viewed bool) {
		tables := map[string][]string{"event": {"id", "kind", "note"}, "digit": {"d"}, "own_event": {"id", "kind", "note"}}
		guard, err := secureview.New(&secureview.Policy{Schema: schema, Tables: tables}, d)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			sql         string
			least, most float64
		}{
			{"SELECT note FROM event WHERE id = 5", 0, 10},
			{"SELECT count(*) FROM digit", 1, 100},
			{"SELECT note FROM event", 1, 10_000}, // the guard's LIMIT ends the reading
			{"SELECT note FROM event LIMIT 3", 1, 100},
			{"SELECT e.note FROM event e JOIN digit d ON e.id = d.d", 1, 1000},
			{"SELECT count(*) FROM event WHERE note LIKE '%y%'", 100_000, 3e6},
			{"SELECT kind, count(*) FROM event GROUP BY kind", 100_000, 3e6},
			{"SELECT note FROM event ORDER BY note", 100_000, 3e6},
			{"SELECT count(*) FROM event a JOIN event b ON a.kind = b.kind", 1e9, 1e13},
			{"SELECT count(*) FROM own_event WHERE note = 'y'", 100_000, 3e6},
		} {
			stmt, err := guard.Rewrite(t.Context(), test.sql)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := db.Estimate(t.Context(), stmt)
			if err != nil || rows < test.least || rows > test.most {
				if !viewed && strings.Contains(test.sql, "own_event") && err == nil && rows == 0 {
					continue // the account may not read what the view reads
				}
				t.Errorf("%s: %.0f rows, want %.0f to %.0f (%v)", test.sql, rows, test.least, test.most, err)
			}
		}
		askFirst(t, db, guard, "SELECT kind, count(*) AS n FROM event GROUP BY kind")
	}
	t.Run("PostgreSQL", func(t *testing.T) {
		p := newPostgres(t, pgServer(t), "estimates", million+"GRANT SELECT ON event, digit, own_event TO estimates; ANALYZE")
		run(t, p.open(t, nil), postgres.Dialect{}, "public", true)
	})
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			m := newMaria(t, start(t), "estimates_"+strings.ToLower(brand), million)
			mariaExec(t, m.admin, "ANALYZE TABLE event, digit")
			for _, table := range []string{"event", "digit", "own_event"} {
				m.grant(t, "SELECT ON "+table)
			}
			run(t, m.open(t, nil), mysql.Dialect{}, m.name, false)
		})
	}
}

// askFirst has an agent ask before it runs a statement, and another process with the same
// store run it after the reply.
func askFirst(t *testing.T, db *sqldb.DB, guard *secureview.Guard, sql string) {
	t.Helper()
	model := llmtest.New(
		llmtest.Rule{Name: "select_tables", Replies: []llmtest.Reply{{JSON: map[string]any{"tables": []string{"event"}}}}},
		llmtest.Rule{Name: "generate", Replies: []llmtest.Reply{{JSON: map[string]any{"sql": sql}}}},
		llmtest.Rule{Name: "answer", Replies: []llmtest.Reply{{Text: "Ten kinds."}}},
	)
	schema := &joinpath.Schema{Version: 1, Tables: map[string]joinpath.Table{
		"event": {Columns: []string{"id", "kind", "note"}}, "digit": {Columns: []string{"d"}}, "own_event": {Columns: []string{"id", "kind", "note"}},
	}}
	saved := &store.InMemory{}
	turn := func(text string) qed.Answer {
		agent, err := sqlagent.New(model, db, guard, schema, &sqlagent.Options{MaxEstimate: 100_000, Store: saved})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	asked := turn("How many events are there of each kind?")
	if len(asked.Questions) != 1 || !strings.Contains(asked.Questions[0].Text, "rows (event)") || asked.Table != nil {
		t.Fatalf("the agent did not ask: %+v", asked)
	}
	answer := turn("Yes")
	if answer.Table == nil || len(answer.Table.Rows) != 10 || answer.Partial {
		t.Errorf("after the reply: %+v", answer)
	}
}
