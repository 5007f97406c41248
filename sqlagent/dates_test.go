package sqlagent_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
)

// period returns a reply with a statement and one period. An empty words means none.
func period(sql, words, from, before string) llmtest.Reply {
	periods := []dates.Period{}
	if words != "" {
		periods = append(periods, dates.Period{Words: words, From: from, Before: before})
	}
	return llmtest.Reply{JSON: map[string]any{"sql": sql, "periods": periods}}
}

// askInvoices asks an agent for invoices, which have a date issued and a time paid.
// The day is 2026-11-23.
func askInvoices(t *testing.T, m *llmtest.Model, question string, opt *sqlagent.Options) qed.Answer {
	t.Helper()
	guard, err := secureview.New(&secureview.Policy{
		Schema: "main", Tables: map[string][]string{"invoice": {"id", "issued", "paid", "state", "fiscal_year"}},
	}, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	invoices := &joinpath.Schema{Version: joinpath.Version, Tables: map[string]joinpath.Table{"invoice": {
		Columns: []string{"id", "issued", "paid", "state", "fiscal_year"},
		Types:   map[string]string{"id": "INTEGER", "issued": "DATE", "paid": "DATETIME", "state": "TEXT", "fiscal_year": "INTEGER"},
	}}}
	db := &database{answers: []answer{{contains: "invoice", rows: [][]any{{int64(201)}}}}}
	a, err := sqlagent.New(m, db, guard, invoices, opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx := qed.WithClock(t.Context(), func() time.Time { return time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC) })
	return askStreamed(t, ctx, a, qed.Turn{Text: question, Calendar: &dates.Calendar{WeekStart: 7}})
}

// askStreamed returns the answer, whose text must be what was streamed.
func askStreamed(t *testing.T, ctx context.Context, a qed.Agent, turn qed.Turn) qed.Answer {
	t.Helper()
	var streamed strings.Builder
	var got qed.Answer
	for event, err := range a.Run(ctx, turn) {
		if err != nil {
			t.Fatal(err)
		}
		switch data := event.Data.(type) {
		case qed.Token:
			streamed.WriteString(data.Content)
		case qed.Completed:
			got = data.Answer
		}
	}
	if streamed.String() != got.Text {
		t.Errorf("streamed %q, answered %q", streamed.String(), got.Text)
	}
	return got
}

const (
	count   = "SELECT COUNT(*) AS n FROM invoice i"
	inMarch = count + " WHERE i.issued >= '2026-03-01' AND i.issued < '2026-04-01'"
)

// The answer states the periods of the model, as far as the statement proves them.
func TestDates(t *testing.T) {
	for _, test := range []struct {
		name, question string
		reply          llmtest.Reply
		note           string
		partial        bool
		verdicts       []dates.Verdict
	}{
		{"proved", "How many invoices were issued last quarter?",
			period(count+" WHERE i.issued BETWEEN '2026-07-01' AND '2026-09-30'", "last quarter", "2026-07-01", "2026-10-01"),
			`Dates: "last quarter" = 2026-07-01 - 2026-09-30.`, false, []dates.Verdict{dates.Proved}},
		{"functions", "How many invoices were issued in March 2026?",
			period(count+" WHERE strftime('%Y-%m', i.issued) = '2026-03'", "March 2026", "2026-03-01", "2026-04-01"), "", false, []dates.Verdict{dates.Proved}},
		{"not read", "How many invoices were issued last quarter?",
			period(count+" WHERE i.issued >= date('now', '-3 months')", "last quarter", "2026-07-01", "2026-10-01"),
			`Dates: "last quarter" = 2026-07-01 - 2026-09-30. Whether the query reads exactly these was not checked.`, false, []dates.Verdict{dates.NotChecked}},
		{"no time at all", "How many invoices were issued in March 2026?", period(count, "March 2026", "2026-03-01", "2026-04-01"),
			"The question names a time, but the query does not look at one: the answer may be about all times.", true, []dates.Verdict{dates.NotChecked}},
		{"no time, and none given", "How many invoices were issued in March 2026?", period(count+" WHERE i.state = 'paid'", "", "", ""),
			"The question names a time, but the query does not look at one: the answer may be about all times.", true, []dates.Verdict{dates.NotChecked}},
		{"German, no time", "Wie viele Rechnungen wurden im März 2026 gestellt?", period(count, "", "", ""),
			"Die Frage nennt eine Zeit, aber die Abfrage achtet auf keine: Die Antwort kann für alle Zeiten gelten.", true, []dates.Verdict{dates.NotChecked}},
		{"a year", "How many invoices were issued in 2026?", period(count+" WHERE i.fiscal_year = 2026", "2026", "2026-01-01", "2027-01-01"),
			"", false, []dates.Verdict{dates.NotChecked}},
		{"no question of times", "How many invoices are there?", period(count, "", "", ""), "", false, nil},
		{"what cannot be a period", "How many invoices are there?", period(count, "all", "the beginning", ""), "", false, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := llmtest.New(reply("select_tables", tables("invoice")), reply("generate", test.reply), reply("answer", text("{r1.n}.")))
			got := askInvoices(t, m, test.question, nil)
			_, note, _ := strings.Cut(got.Text, "\n\n")
			if note != test.note || got.Partial != test.partial || test.partial && !strings.Contains(got.PartialReason, test.note) {
				t.Errorf("partial %v (%s): %q\nwant %q", got.Partial, got.PartialReason, note, test.note)
			}
			var verdicts []dates.Verdict
			for _, r := range got.Dates {
				verdicts = append(verdicts, r.Verdict)
			}
			if diff := cmp.Diff(test.verdicts, verdicts); diff != "" {
				t.Errorf("%v\n%s", got.Dates, diff)
			}
			for _, r := range m.Requests()[1:] {
				if p := r.Messages[len(r.Messages)-1].Content; !strings.Contains(p, "Today is Monday, 2026-11-23") || !strings.Contains(p, "Sunday") {
					t.Errorf("the prompt of %s lacks the calendar: %s", r.Name, p)
				}
			}
		})
	}
}

// A statement that reads other times than the model says goes back to it once.
func TestDatesDiffer(t *testing.T) {
	const question = "How many invoices were paid in March 2026?"
	march := func(sql string) llmtest.Reply { return period(sql, "March 2026", "2026-03-01", "2026-04-01") }
	lastDay := count + " WHERE i.paid BETWEEN '2026-03-01 00:00:00' AND '2026-03-31 00:00:00'"
	right := count + " WHERE i.paid >= '2026-03-01' AND i.paid < '2026-04-01'"
	april := count + " WHERE i.paid >= '2026-04-01' AND i.paid < '2026-05-01'"
	for _, test := range []struct {
		name    string
		first   llmtest.Reply
		second  llmtest.Reply
		never   bool // no corrections
		ran     string
		partial bool
	}{
		{"corrected", march(lastDay), march(right), false, right, false},
		{"another month, corrected", march(april), march(right), false, right, false},
		{"the model's own period is another month", period(april, "March 2026", "2026-04-01", "2026-05-01"), march(right), false, right, false},
		{"still wrong", march(april), march(count + " WHERE i.paid >= '2026-05-01' AND i.paid < '2026-06-01'"), false,
			count + " WHERE i.paid >= '2026-05-01' AND i.paid < '2026-06-01'", true},
		{"repeated", march(april), march(april), false, april, true},
		{"no statement", march(april), march(""), false, april, true},
		{"no correction allowed", march(april), march(right), true, april, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := llmtest.New(reply("select_tables", tables("invoice")), reply("generate", test.first),
				reply("correct", test.second), reply("answer", text("{r1.n}.")))
			opt := &sqlagent.Options{}
			if test.never {
				opt.MaxCorrections = -1
			}
			got := askInvoices(t, m, question, opt)
			if len(got.Queries) != 1 || got.Queries[0].Written != test.ran || got.Partial != test.partial {
				t.Fatalf("partial %v, ran %+v\n%s", got.Partial, got.Queries, got.Text)
			}
			if differs := strings.Contains(got.Text, "The dates may be wrong."); differs != test.partial {
				t.Errorf("the answer is %q", got.Text)
			}
			if test.never {
				return
			}
			p := prompt(t, m, "correct")
			if !strings.Contains(p, `\"March 2026\" is 2026-03-01 - 2026-03-31, and the query reads`) || !strings.Contains(p, "the day after the last one, excluding it") {
				t.Errorf("the problem of the correction is missing: %s", p)
			}
			if !slices.ContainsFunc(got.Queries[0].Corrections, func(c qed.Correction) bool { return strings.Contains(c.Reason, "the query reads") }) {
				t.Errorf("corrections = %+v", got.Queries[0].Corrections)
			}
		})
	}
}

// A date without quotes goes back to the model with what to write.
func TestUnquotedDate(t *testing.T) {
	m := llmtest.New(reply("select_tables", tables("invoice")),
		reply("generate", period(count+" WHERE i.issued >= 2026-03-01 AND i.issued < 2026-04-01", "March 2026", "2026-03-01", "2026-04-01")),
		reply("correct", period(inMarch, "March 2026", "2026-03-01", "2026-04-01")), reply("answer", text("{r1.n}.")))
	got := askInvoices(t, m, "How many invoices were issued in March 2026?", nil)
	if got.Partial || got.Queries[0].Written != inMarch || !strings.Contains(prompt(t, m, "correct"), "put the date in quotes, as in '2026-03-01'") {
		t.Errorf("partial %v: %+v", got.Partial, got.Queries)
	}
}
