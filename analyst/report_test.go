package analyst_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
)

// reporter writes a text with a chart, or without.
func reporter(text string) llm.Model {
	return llm.ModelFunc(func(context.Context, *llm.Request, func(llm.Delta)) (*llm.Response, error) {
		return &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Content: text}}, nil
	})
}

// section returns a section of a report.
func section(t *testing.T, report *analyst.Report, title string) string {
	t.Helper()
	_, text, ok := strings.Cut(report.Markdown, "\n## "+title+"\n\n")
	if !ok {
		t.Fatalf("there is no section %q in\n%s", title, report.Markdown)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// TestTextsOfTheHost checks that a language of the host's reaches the verdict of a check, the
// locale of a chart and the sections of a report.
func TestTextsOfTheHost(t *testing.T) {
	texts, err := qed.ReadTexts(fstest.MapFS{"fr.json": {Data: []byte(`{
		"claims": {"Supported": "Les lignes confirment le constat.", "Decimal": ","},
		"chart": {"Thousands": " ", "Months": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"},
		"report": {"Checks": "Vérifications", "Proved": "confirmé"}
	}`)}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := analyst.New(explorer(), orders(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := qed.WithTexts(t.Context(), texts)
	turn := qed.Turn{Thread: "1", User: "u", Text: "Where are the orders larger?", Language: "fr-CA"}
	answer, err := qed.Ask(ctx, a, turn)
	if err != nil {
		t.Fatal(err)
	}
	e, err := analyst.ExplorationOf(answer)
	if err != nil {
		t.Fatal(err)
	}
	again, problems, err := a.Rerun(ctx, turn, e)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	for _, e := range append(again, e) {
		if text := e.Checks[0].Text; text != "Les lignes confirment le constat." {
			t.Errorf("the verdict is %q", text)
		}
		if spec := string(e.Charts[0].Spec); !strings.Contains(spec, `"février"`) || !strings.Contains(spec, `"thousands":" "`) {
			t.Errorf("the chart has no locale: %s", spec)
		}
	}
	report, err := a.Report(ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	checked := section(t, report, "Vérifications")
	if !strings.Contains(checked, "**confirmé**") || !strings.Contains(checked, "p < 0,001") {
		t.Error(checked)
	}
}

// TestReportSections checks what code writes into a report: each check with its verdict and
// its numbers, the data, the queries and the open questions.
func TestReportSections(t *testing.T) {
	data := orders(t)
	a, err := analyst.New(explorer(), data, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := explore(t, a, qed.Turn{Thread: "1", User: "u", Text: "Where are the orders larger?"})
	if e.Data == nil || e.Data.Rows != 400 || e.Data.Columns != 2 {
		t.Fatalf("the data are %+v", e.Data)
	}
	if e.Checks[0].Query != byRegion {
		t.Errorf("the query of the check is %q", e.Checks[0].Query)
	}
	write := func(language, text string) *analyst.Report {
		writer, err := analyst.New(reporter(text), data, nil)
		if err != nil {
			t.Fatal(err)
		}
		e.Language = language
		report, err := writer.Report(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	report := write("", "# Orders\n\nLarge.\n\n![Means](chart:chart_a)\n\nMore.")
	checked := section(t, report, "What was checked")
	if !strings.Contains(checked, "| The mean amount is larger in the north. | **proved** | ") || !strings.Contains(checked, "p < 0.001") {
		t.Error(checked)
	}
	if data := section(t, report, "The data"); !strings.Contains(data, "- The table t_parsed has 400 rows and 2 columns.") ||
		!strings.Contains(data, "- No values are missing.") || !strings.Contains(data, "equal to an earlier one") {
		t.Error(data)
	}
	if method := section(t, report, "Method"); !strings.Contains(method, "1. compare regions (2 rows)\n\n       "+byRegion) {
		t.Error(method)
	}
	if n := strings.Count(report.Markdown, "(chart:chart_a)"); n != 1 {
		t.Errorf("the chart is there %d times", n)
	}
	// A chart that the model forgot stands with the findings.
	report = write("de", "# Bestellungen\n\nGroß.")
	text, _, _ := strings.Cut(report.Markdown, "\n## ")
	if !strings.HasSuffix(text, "Groß.\n\n![](chart:chart_a)\n") {
		t.Errorf("the text of the model and its chart: %q", text)
	}
	for _, title := range []string{"Was geprüft wurde", "Die Daten", "Offene Fragen", "Vorgehen"} {
		section(t, report, title)
	}
	if found := usertext.LanguageOf(section(t, report, "Die Daten")); found != usertext.German {
		t.Errorf("the data are described in %q", found)
	}
}

// TestReportOfHostileTexts checks that no text of an exploration becomes markup.
func TestReportOfHostileTexts(t *testing.T) {
	attack := "a | b\n\n## Conclusion\n\n![x](chart:chart_a) <script> `code` **bold** ``` "
	a, err := analyst.New(reporter("# Text"), orders(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &analyst.Exploration{
		Question: attack, Summary: attack, Insights: []string{attack}, Partial: attack,
		ExecutedQueries: []analyst.ExecutedQuery{{Query: "SELECT 1 -- " + attack, Reason: attack}},
		Checks:          []analyst.Check{{}}, Data: &analyst.DataFacts{Table: attack, Missing: []analyst.MissingCells{{Column: attack, Cells: 3}}, Rows: 9},
	}
	e.Checks[0].Finding, e.Checks[0].Text = attack, attack
	report, err := a.Report(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	headings := regexp.MustCompile(`(?m)^ {0,3}#+ .*$`).FindAllString(report.Markdown, -1)
	if diff := cmp.Diff([]string{"# Text", "## What was checked", "## The data", "## Open questions", "## Method"}, headings); diff != "" {
		t.Error(diff)
	}
	for line := range strings.Lines(section(t, report, "What was checked")) {
		if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.TrimSpace(line) != "" && n != 4 {
			t.Errorf("a row of the table has %d bars: %s", n, line)
		}
	}
	if _, err := a.Report(t.Context(), &analyst.Exploration{Question: "Nothing?"}); err != nil {
		t.Error(err)
	}
}
