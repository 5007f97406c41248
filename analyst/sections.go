package analyst

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/usertext"
)

// sectionTexts are the sections of a report that code writes.
type sectionTexts struct {
	Checks, Finding, Result, Details, NoChecks           string
	Proved, Contradicted, NotProved                      string
	Data, Rows, Period, Missing, MissingOf, Others, None string
	Duplicates, DuplicatesAbout, NoDuplicates, NoData    string
	LeftOut, Unread, Truncated, Sampled                  string
	Method, Queries, QueryRows, NoQueries                string
	Questions, NoQuestions, NotChecked, Ended            string
	Thousands, Decimal, Day                              string
}

var sectionTable = usertext.Of[sectionTexts]("report")

// sections returns what code writes below the text of a report: the checks with their
// numbers, the data, the open questions and the queries.
func (t *sectionTexts) sections(explorations []*Exploration) string {
	var b strings.Builder
	for _, section := range []struct {
		title string
		write func(*strings.Builder, []*Exploration)
	}{{t.Checks, t.checks}, {t.Data, t.data}, {t.Questions, t.questions}, {t.Method, t.method}} {
		fmt.Fprintf(&b, "## %s\n\n", section.title)
		section.write(&b, explorations)
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

func (t *sectionTexts) checks(b *strings.Builder, explorations []*Exploration) {
	rows := 0
	for _, e := range explorations {
		for _, c := range e.Checks {
			if rows++; rows == 1 {
				fmt.Fprintf(b, "| %s | %s | %s |\n|---|---|---|\n", t.Finding, t.Result, t.Details)
			}
			fmt.Fprintf(b, "| %s | **%s** | %s |\n", usertext.Escape(c.Finding), t.verdict(c.Verdict), usertext.Escape(details(c)))
		}
	}
	if rows == 0 {
		b.WriteString(t.NoChecks + "\n")
	}
}

// details returns the verdict of a check in words, and the sentences with its numbers.
func details(c Check) string {
	text := c.Text
	for _, result := range c.Checks {
		if len(result.Figures) > 0 && !strings.Contains(text, result.Text) {
			text += " " + result.Text
		}
	}
	return text
}

func (t *sectionTexts) verdict(v dates.Verdict) string {
	switch v {
	case dates.Proved:
		return t.Proved
	case dates.Contradicted:
		return t.Contradicted
	}
	return t.NotProved
}

const maxNamed = 10 // columns of a sentence

func (t *sectionTexts) data(b *strings.Builder, explorations []*Exploration) {
	var said []string
	for _, e := range explorations {
		if e.Data == nil {
			continue
		}
		if text := t.facts(e.Data); !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		said = append(said, "- "+t.NoData+"\n")
	}
	b.WriteString(strings.Join(said, ""))
	if out := t.leftOut(explorations); len(out) > 0 {
		fmt.Fprintf(b, "- %s\n", usertext.Fill(t.LeftOut, "items", strings.Join(out, "; ")))
	}
}

// facts describes a table.
func (t *sectionTexts) facts(f *DataFacts) string {
	lines := []string{usertext.Fill(t.Rows, "table", usertext.Escape(f.Table), "rows", t.number(f.Rows), "columns", t.number(f.Columns))}
	for _, p := range f.Periods {
		lines = append(lines, usertext.Fill(t.Period, "column", usertext.Escape(p.Column), "from", t.day(p.From), "to", t.day(p.To)))
	}
	var missing []string
	for i, m := range f.Missing {
		if i == maxNamed {
			missing = append(missing, usertext.Fill(t.Others, "n", t.number(len(f.Missing)-i)))
			break
		}
		n := m.Cells + m.Other
		missing = append(missing, usertext.Fill(t.MissingOf, "column", usertext.Escape(m.Column), "n", t.number(n), "share", t.percent(n, f.Rows)))
	}
	if len(missing) > 0 {
		lines = append(lines, usertext.Fill(t.Missing, "columns", strings.Join(missing, ", ")))
	} else {
		lines = append(lines, t.None)
	}
	switch d := f.Duplicate; {
	case d == nil:
	case d.Value == 0:
		lines = append(lines, t.NoDuplicates)
	case d.Estimate:
		lines = append(lines, usertext.Fill(t.DuplicatesAbout, "n", t.number(d.Value)))
	default:
		lines = append(lines, usertext.Fill(t.Duplicates, "n", t.number(d.Value)))
	}
	if f.Unread > 0 {
		lines = append(lines, usertext.Fill(t.LeftOut, "items", usertext.Fill(t.Unread, "n", t.number(f.Unread))))
	}
	return "- " + strings.Join(lines, "\n- ") + "\n"
}

// leftOut lists the rows that queries and checks did not use.
func (t *sectionTexts) leftOut(explorations []*Exploration) []string {
	var out []string
	query := 0
	for _, e := range explorations {
		for _, q := range e.ExecutedQueries {
			if query++; q.Result.Truncated {
				out = append(out, usertext.Fill(t.Truncated, "n", t.number(len(q.Result.Rows)), "query", strconv.Itoa(query)))
			}
		}
		for _, c := range e.Checks {
			if c.Rows < c.Total {
				out = append(out, usertext.Fill(t.Sampled, "left", t.number(c.Total-c.Rows), "total", t.number(c.Total),
					"finding", usertext.Escape(c.Finding)))
			}
		}
	}
	return out
}

func (t *sectionTexts) method(b *strings.Builder, explorations []*Exploration) {
	n := 0
	for _, e := range explorations {
		for _, q := range e.ExecutedQueries {
			if n++; n == 1 {
				b.WriteString(t.Queries + "\n\n")
			}
			rows := usertext.Fill(t.QueryRows, "reason", usertext.Escape(q.Reason), "n", t.number(len(q.Result.Rows)))
			fmt.Fprintf(b, "%d. %s\n\n%s\n", n, rows, indented(q.Query, len(strconv.Itoa(n))+len(". ")))
		}
	}
	if n == 0 {
		b.WriteString(t.NoQueries + "\n")
	}
}

// indented returns a query as a block of code in an item of a list, which nothing in it
// can end. marker is the length of what is before the item.
func indented(query string, marker int) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(query)) {
		b.WriteString(strings.Repeat(" ", marker+4) + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

func (t *sectionTexts) questions(b *strings.Builder, explorations []*Exploration) {
	var open []string
	for _, e := range explorations {
		if e.Partial != "" {
			open = append(open, usertext.Fill(t.Ended, "question", usertext.Escape(e.Question), "reason", usertext.Escape(e.Partial)))
		}
		for _, c := range e.Checks {
			if c.Verdict != dates.Proved {
				finding := strings.TrimRight(c.Finding, ". ")
				open = append(open, fmt.Sprintf("%s: %s", usertext.Escape(finding), usertext.Escape(c.Text)))
			}
		}
		for _, insight := range e.Insights {
			if !slices.ContainsFunc(e.Checks, func(c Check) bool { return strings.TrimSpace(c.Finding) == strings.TrimSpace(insight) }) {
				open = append(open, usertext.Fill(t.NotChecked, "finding", usertext.Escape(insight)))
			}
		}
	}
	if len(open) == 0 {
		open = append(open, t.NoQuestions)
	}
	for _, line := range open {
		b.WriteString("- " + line + "\n")
	}
}

func (t *sectionTexts) number(n int) string { return usertext.Number(int64(n), t.Thousands) }

func (t *sectionTexts) percent(part, all int) string {
	share := 100 * float64(part) / float64(max(1, all))
	text := strconv.FormatFloat(share, 'f', 1, 64)
	if share > 0 && share < 0.05 {
		text = "< 0.1"
	}
	return strings.Replace(text, ".", t.Decimal, 1)
}

func (t *sectionTexts) day(at time.Time) string { return at.Format(t.Day) }
