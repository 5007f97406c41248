package sqlstore

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/store"
)

// plan returns how SQLite runs a statement of the store.
func plan(t *testing.T, s *Store, text string, args []any) string {
	t.Helper()
	rows, err := s.db.Query("EXPLAIN QUERY PLAN "+s.render(text), args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var line string
		if err := rows.Scan(&id, &parent, &unused, &line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// SQLite reads with an index what it reads by kind, address, user or status.
func TestSQLitePlans(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "plans.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := New(t.Context(), db, SQLite, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, test := range []struct {
		r    store.Range
		want []string
	}{
		{store.Range{From: 3}, []string{"SEARCH qed_records USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"}},
		{store.Range{Kinds: []store.Kind{store.Began, store.Ended}, NewestFirst: true, Limit: 2},
			[]string{"USING COVERING INDEX qed_records_kind (<expr>=? AND kind=? AND rowid>? AND rowid<?)"}},
		{store.Range{Under: "a"}, []string{
			"USING COVERING INDEX qed_records_address (<expr>=? AND address=? AND rowid>? AND rowid<?)",
			"USING COVERING INDEX qed_records_address (<expr>=? AND address>? AND address<?)",
		}},
		{store.Range{Under: "a", Kinds: []store.Kind{store.Saved}, NewestFirst: true, Limit: 1}, []string{
			"USING INDEX qed_records_address (<expr>=? AND address=? AND rowid>? AND rowid<?)",
			"USING INDEX qed_records_address (<expr>=? AND address>? AND address<?)",
		}},
	} {
		sel := newSelection(s.engine, test.r)
		got := plan(t, s, sel.text, sel.bind("thread", 1, maxSeq, 10))
		checkPlan(t, sel.text, got, test.want...)
	}
	user, tenant := "ann", "acme"
	for index, f := range map[string]store.ThreadFilter{
		"qed_headers_updated (updated<?)":                        {},
		"qed_headers_user (user_name=? AND tenant=? AND updated": {User: &user, Tenant: &tenant},
		"qed_headers_user (user_name=?":                          {User: &user},
		"qed_headers_tenant (tenant=? AND updated":               {Tenant: &tenant},
		"qed_headers_status (status=? AND updated":               {Statuses: []store.Status{store.StatusCrashed}},
	} {
		lists, err := s.lists(t.Context(), listing, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lists {
			args := append([]any{l.after.Time, l.after.Time, l.after.Key}, l.filter...)
			checkPlan(t, l.text, plan(t, s, l.text, append(args, 10)), "SEARCH h USING INDEX "+index)
		}
	}
	condition, params := kindCondition(s.engine, []store.Kind{store.Checkpoint, store.Called})
	text := s.engine.texts().trim + condition
	checkPlan(t, text, plan(t, s, text, append([]any{1, 1, 100}, params...)),
		"qed_records_kind (<expr>=? AND kind=? AND rowid>? AND rowid<?)")
}

func checkPlan(t *testing.T, text, got string, want ...string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(got, part) {
			t.Errorf("%s\nhas the plan\n%s\nwithout %s", text, got, part)
		}
	}
	if strings.Contains(got, "SCAN qed_") || strings.Contains(got, "SCAN h") {
		t.Errorf("%s\nreads a whole table:\n%s", text, got)
	}
}
