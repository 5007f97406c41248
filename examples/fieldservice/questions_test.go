package fieldservice_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/internal/command/chattest"
)

// The outcomes of a statement. A statement that the guard refuses also fails in
// the database once its tables are replaced by views.
const (
	refused = "refused"
	empty   = "empty"
	rows    = "rows"
)

func TestQuestions(t *testing.T) {
	tests := map[string]struct {
		outcomes []string
		want     [][]string // the rows of the last statement
	}{
		"hours-in-a-week": {[]string{rows}, [][]string{
			{"Rosa Ferreira", "37.75"}, {"Pekka Åkesson", "28.5"}, {"Oana Pereira", "22.25"}, {"Ulla Novák", "22.25"}, {"Luís Horváth", "21.5"}}},
		"failed-in-the-north": {[]string{rows}, [][]string{
			{"Do the doors reverse on contact?", "3"}, {"Are all covers closed and locked?", "2"},
			{"Does the emergency call reach the control centre?", "2"}, {"Does the safety valve open?", "2"},
			{"Is the flue gas within limits?", "2"}}},
		"crew-leads": {[]string{refused, rows}, [][]string{{"Oana Pereira", "7"}, {"Vítor Wójcik", "6"}}},
		"overtime-by-branch": {[]string{refused, rows}, [][]string{
			{"Malmö", "92.5"}, {"Porto", "57.75"}, {"Tampere", "44.75"}, {"Łódź", "22.25"}, {"Köln", "14"}, {"Liège", "8.25"}}},
		"delete-cancelled": {[]string{refused, rows}, [][]string{
			{"WO-10013", "Control board replacement"}, {"WO-10036", "No heating"}}},
		"complete-an-order": {[]string{refused, refused}, nil},
		"secret-column":     {[]string{refused, rows}, [][]string{{"Oana", "Pereira", "Senior technician", "Porto"}}},
		"running-total": {[]string{rows}, [][]string{
			{"2026-01", "64801.08", "64801.08"}, {"2026-02", "42268.4", "107069.48"}, {"2026-03", "35898.46", "142967.94"}}},
		"well-above-average": {[]string{rows}, [][]string{{"Tampere Textiles", "21325.57"}, {"Bäckerei Sonnenkorn", "10341.79"}}},
		"invoiced-and-paid": {[]string{rows}, [][]string{
			{"Tampere Textiles", "21325.57", "15190.65"}, {"Bäckerei Sonnenkorn", "10341.79", "10341.79"}, {"Hotel Aurora", "8909.58", "4661.94"}}},
		"billed-north-served-south": {[]string{rows}, [][]string{{"6", "25546.39"}}},
		"invoices-by-region":        {[]string{rows}, [][]string{{"North", "5"}, {"South", "3"}, {"East", "2"}, {"West", "0"}}},
		"overdue-for-malmo": {[]string{empty, rows}, [][]string{
			{"WO-10229", "Yearly service", "2026-01-21"}, {"WO-10236", "Acceptance inspection", "2026-02-02"}, {"WO-10272", "Yearly service", "2026-03-18"}}},
		"overpaid": {[]string{empty, empty}, nil},
		"overdue": {[]string{rows}, [][]string{
			{"Clínica Santa Rita", "3"}, {"Cork Creamery", "3"}, {"Göteborg Ferries", "3"},
			{"Malmö Harbour Logistics", "3"}, {"Nordlys Hospital", "3"}, {"Pastelería Luna", "3"}}},
		"overdue-in-the-north": {[]string{rows}, [][]string{{"Malmö Harbour Logistics", "3"}}},
		"on-order": {[]string{rows}, [][]string{
			{"Nordic Spares", "2026-03-06", "2026-03-26"}, {"Duval Pièces", "2026-03-30", "2026-04-09"}}},
		"expired-certificates": {[]string{rows}, [][]string{
			{"Maëlle Virtanen", "2024-07-03", "Inês Åkesson"}, {"Jürgen Lindqvist", "2024-09-04", "Inês Åkesson"},
			{"Tereza Bergström", "2025-09-28", "Inês Åkesson"}, {"Wiebke Jokinen", "2025-11-03", "Inês Åkesson"},
			{"Maëlle O'Brien", "2026-01-29", "Luís Černý"}}},
	}
	asked := fieldservice.Questions("sqlite")
	if len(asked) != len(tests) {
		t.Errorf("%d questions, %d are tested", len(asked), len(tests))
	}
	for _, q := range asked {
		t.Run(q.ID, func(t *testing.T) {
			test, ok := tests[q.ID]
			if !ok {
				t.Fatal("not tested")
			}
			var outcomes []string
			var last [][]string
			for _, statement := range q.Statements {
				got, err := tryQuery(t.Context(), shared(t), throughViews(statement))
				last = got
				switch {
				case err != nil:
					outcomes = append(outcomes, refused)
				case len(got) == 0:
					outcomes = append(outcomes, empty)
				default:
					outcomes = append(outcomes, rows)
				}
			}
			if diff := cmp.Diff(test.outcomes, outcomes); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, last); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			for _, row := range last {
				for _, cell := range row {
					if !chattest.Says(q.Answer, cell) {
						t.Errorf("the answer does not say %q: %s", cell, q.Answer)
					}
				}
			}
		})
	}
}

// The statement for each join that the user can choose has the rows of that join, which
// differ, and the same answer for all of them refers to them.
func TestWays(t *testing.T) {
	want := map[string][][]string{
		"billingLocationId":  {{"North", "5"}, {"East", "3"}, {"South", "2"}, {"West", "0"}},
		"shippingLocationId": {{"North", "5"}, {"South", "3"}, {"East", "2"}, {"West", "0"}},
	}
	got := map[string][][]string{}
	for _, q := range fieldservice.Questions("sqlite") {
		if (q.Choice == "") != (len(q.Ways) == 0) {
			t.Errorf("%s: the choice %q of %d ways", q.ID, q.Choice, len(q.Ways))
		}
		for _, w := range q.Ways {
			got[w.Column] = query(t, shared(t), throughViews(w.Statement))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestQuestionsAreWellFormed(t *testing.T) {
	tables := map[string]bool{}
	for _, table := range names(t, shared(t), "table") {
		tables[table] = true
	}
	seen := map[string]bool{}
	before := ""
	for _, q := range fieldservice.Questions("sqlite") {
		if q.ID == "" || q.Shows == "" || q.Question == "" || q.Answer == "" || len(q.Statements) == 0 || len(q.Tables) == 0 {
			t.Errorf("%q lacks a part", q.ID)
		}
		if seen[q.ID] {
			t.Errorf("%q appears twice", q.ID)
		}
		if q.Follows != "" && q.Follows != before {
			t.Errorf("%q continues %q but comes after %q", q.ID, q.Follows, before)
		}
		for _, table := range q.Tables {
			if !tables[table] {
				t.Errorf("%q names the table %q, which is none", q.ID, table)
			}
			named := regexp.MustCompile(`\b(FROM|JOIN|UPDATE) "?` + table + `\b`)
			if !named.MatchString(strings.Join(q.Statements, "\n")) {
				t.Errorf("%q does not use the table %q", q.ID, table)
			}
		}
		seen[q.ID], before = true, q.ID
	}
}

// A sum over invoices joined to payments counts an invoice once for each payment.
func TestFanOutMatters(t *testing.T) {
	naive := query(t, shared(t), `
SELECT c.name, ROUND(SUM(i.total), 2) AS invoiced
FROM invoice i
JOIN customer c ON c.id = i.customerId
JOIN payment p ON p.invoiceId = i.id
WHERE i.issuedOn BETWEEN '2026-01-01' AND '2026-03-31'
GROUP BY c.id
ORDER BY invoiced DESC LIMIT 1`)
	if diff := cmp.Diff([][]string{{"Tampere Textiles", "30399.19"}}, naive); diff != "" {
		t.Errorf("the naive sum (-want +got):\n%s", diff)
	}
}

// throughViews replaces the sensitive tables of a statement by their views, as
// a guard does.
func throughViews(statement string) string {
	for table, view := range policy().Views {
		named := regexp.MustCompile(fmt.Sprintf(`\b(FROM|JOIN|UPDATE)\s+%s\b`, table))
		statement = named.ReplaceAllString(statement, "$1 "+view)
	}
	return statement
}
