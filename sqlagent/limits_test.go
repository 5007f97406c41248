package sqlagent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent"
)

// TestPromptLimits gives each limit a lower value than what there is to show.
func TestPromptLimits(t *testing.T) {
	guess := join("d.id = a.id", "", false)
	guess.Confidence = 0.3
	s := schemaOf([]string{"a(id*, x)", "b(id*, a)", "c(id*, b)", "d(id*, x)"},
		join("b.a = a.id", "", true), join("c.b = b.id", "", true), guess)
	const (
		ab = "- b.a -> a.id\n"
		bc = "- c.b -> b.id\n"
		da = "- d.id -> a.id\n"
	)
	for _, tt := range []struct {
		name       string
		opt        sqlagent.Options
		chosen     []string
		has, lacks []string
	}{
		{"none", sqlagent.Options{}, []string{"a", "c"}, []string{"How the tables join:\n- a.id = b.a", "\n- b.id = c.b", "\na(id integer, x integer)\n", "\nb(", "\nc("}, []string{ab, bc, da, "\nd("}},
		{"beyond the joins", sqlagent.Options{}, []string{"b"}, []string{ab, bc}, []string{da}},
		{"tables", sqlagent.Options{Limits: sqlagent.PromptLimits{Tables: 2}}, []string{"a", "c"}, []string{"\na(", "\nc("}, []string{"\nb("}},
		{"chosen tables", sqlagent.Options{Limits: sqlagent.PromptLimits{ChosenTables: 1}}, []string{"a", "c"}, []string{"\na("}, []string{"\nc("}},
		{"columns", sqlagent.Options{Limits: sqlagent.PromptLimits{Columns: 1}}, []string{"a", "c"}, []string{"\na(id integer) and 1 more columns"}, nil},
		{"relationships", sqlagent.Options{Limits: sqlagent.PromptLimits{Relationships: 1}}, []string{"b"}, []string{ab}, []string{bc}},
		{"confidence", sqlagent.Options{MinConfidence: 0.2}, []string{"a", "d"}, []string{"\n- a.id = d.id"}, []string{"No relationship connects"}},
		{"a higher confidence", sqlagent.Options{}, []string{"a", "d"}, []string{"No relationship connects"}, []string{da}},
		{"all paths", sqlagent.Options{}, []string{"a", "b", "c", "d"}, []string{"- a | a.id = b.a\n", "- b | b.id = c.b\n"}, nil},
		{"paths", sqlagent.Options{Limits: sqlagent.PromptLimits{Paths: 1}}, []string{"a", "b", "c", "d"}, []string{"- a | a.id = b.a\n"}, []string{"- b | "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, prompt, _ := planned(t, s, nil, tt.opt, "Which are there?", tt.chosen...)
			for _, part := range tt.has {
				if !strings.Contains(prompt, part) {
					t.Errorf("the prompt lacks %q:\n%s", part, prompt)
				}
			}
			for _, part := range tt.lacks {
				if strings.Contains(prompt, part) {
					t.Errorf("the prompt has %q:\n%s", part, prompt)
				}
			}
		})
	}
}

// limits records the row limits of the statements.
type limits struct {
	*database
	seen []int
}

func (d *limits) Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error) {
	d.seen = append(d.seen, stmt.Limit())
	return d.database.Query(ctx, stmt)
}

// TestSampleRows reads as many sample rows as the options say, before the statement.
func TestSampleRows(t *testing.T) {
	for rows, want := range map[int]int{0: 1, 2: 2, -1: 100} {
		db := &limits{database: &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(1)}}}}}}
		if _, _, err := run(t, newAgent(t, crewScript(), db, &sqlagent.Options{Limits: sqlagent.PromptLimits{SampleRows: rows}}), qed.Turn{Text: "q"}); err != nil {
			t.Fatal(err)
		}
		if db.seen[0] != want {
			t.Errorf("SampleRows %d: statements of at most %d rows", rows, db.seen)
		}
	}
}

// TestCorrectionLimits: a correction shows twice as many columns as the prompt for SQL,
// and the statements before the refused one, cut to 100 bytes, with their problems.
func TestCorrectionLimits(t *testing.T) {
	long := "SELECT c.lead FROM crew c WHERE c.id IN (" + strings.Repeat("1234567, ", 20) + "1)"
	m := llmtest.New(
		reply("select_tables", tables("crew")),
		reply("generate", query(long)),
		reply("correct", query("SELECT c.none FROM crew c"), query("SELECT id FROM crew")),
		reply("answer", text("Yes.")),
	)
	db := &database{answers: []answer{{contains: "crew", rows: [][]any{{int64(1)}}}}}
	opt := &sqlagent.Options{Limits: sqlagent.PromptLimits{Columns: 1}}
	if _, _, err := run(t, newAgent(t, m, db, opt), qed.Turn{Text: "q"}); err != nil {
		t.Fatal(err)
	}
	if got := prompt(t, m, "generate"); !strings.Contains(got, "\ncrew(id) and 1 more") {
		t.Errorf("the prompt for SQL:\n%s", got)
	}
	last := m.Requests()[3].Messages[0].Content
	_, earlier, _ := strings.Cut(last, "Earlier queries that failed:\n- ")
	if !strings.HasPrefix(earlier, long[:80]) || strings.Contains(last, long[:101]) || !strings.Contains(earlier, "column 'lead' does not exist") {
		t.Errorf("earlier statements in the prompt for the second correction:\n%s", last)
	}
	if !strings.Contains(last, "\ncrew(id, workOrderId)\n") {
		t.Errorf("columns in the prompt for the second correction:\n%s", last)
	}
}
