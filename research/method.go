package research

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/usertext"
)

// method returns the section of a report that says how it was researched: what was
// searched for and read, what is cited, and which references lead to no document. Code
// writes it, and not the model.
func (t *texts) method(r *Report, collections []string, audit *qed.CitationAudit) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", t.Method)
	if len(collections) > 0 {
		fmt.Fprintf(&b, "%s\n\n", usertext.Fill(t.Collections, "names", t.list(collections, t.quoted)))
	}
	for i, task := range r.Tasks {
		rounds := usertext.Fill(t.Rounds, "task", usertext.Escape(task.Description), "n", strconv.Itoa(task.Iterations))
		if task.Iterations == 1 {
			rounds = usertext.Fill(t.OneRound, "task", usertext.Escape(task.Description))
		}
		fmt.Fprintf(&b, "%d. %s\n", i+1, rounds)
		indent := strings.Repeat(" ", len(strconv.Itoa(i+1))+2)
		for _, line := range t.ofTask(task) {
			b.WriteString(indent + "- " + line + "\n")
		}
	}
	b.WriteString("\n")
	for _, line := range t.ofReport(r, audit) {
		b.WriteString("- " + line + "\n")
	}
	return strings.TrimSpace(b.String())
}

// ofTask returns the lines about a task.
func (t *texts) ofTask(task TaskReport) (lines []string) {
	line := func(text, name string, all []string, show func(string) string) {
		if len(all) > 0 {
			lines = append(lines, usertext.Fill(text, name, t.list(all, show)))
		}
	}
	line(t.SearchedFor, "queries", task.Queries, t.quoted)
	if line(t.Read, "documents", task.Documents, usertext.Escape); len(task.Documents) == 0 {
		lines = append(lines, t.ReadNothing)
	}
	line(t.Unresolved, "references", unresolved(task, t), func(s string) string { return s })
	line(t.LeftOpen, "gaps", task.Gaps, t.quoted)
	return lines
}

// unresolved returns the references that a task followed and that lead to no document, or to
// one of several.
func unresolved(task TaskReport, t *texts) (all []string) {
	for _, ref := range task.References {
		if !ref.Followed || ref.Resolved != "" || ref.Found > 0 && len(ref.Candidates) == 0 {
			continue
		}
		text := t.quoted(ref.Text)
		if len(ref.Candidates) > 0 {
			text = usertext.Fill(t.Ambiguous, "reference", text, "documents", t.list(ref.Candidates, usertext.Escape))
		}
		all = lists.Add(all, text)
	}
	return all
}

// ofReport returns the lines about the citations.
func (t *texts) ofReport(r *Report, audit *qed.CitationAudit) (lines []string) {
	var cited, read []string
	for _, s := range r.Sources {
		cited = lists.Add(cited, s.Document)
	}
	for _, task := range r.Tasks {
		for _, name := range task.Documents {
			if !slices.Contains(cited, name) && !slices.Contains(read, name) {
				read = append(read, name)
			}
		}
	}
	if len(cited) > 0 {
		lines = append(lines, usertext.Fill(t.Cited, "documents", t.list(cited, usertext.Escape)))
	}
	if len(read) > 0 {
		lines = append(lines, usertext.Fill(t.ReadOnly, "documents", t.list(read, usertext.Escape)))
	}
	if audit != nil && audit.Claims > 0 {
		wrong := map[string]bool{}
		for _, f := range audit.Findings {
			if f.Kind != qed.Uncited && f.Sentence != "" {
				wrong[f.Sentence] = true
			}
		}
		lines = append(lines, usertext.Fill(t.Compared, "n", strconv.Itoa(audit.Claims),
			"uncited", strconv.Itoa(audit.Uncited), "wrong", strconv.Itoa(len(wrong))))
	}
	if r.UnknownKeys > 0 {
		lines = append(lines, usertext.Fill(t.Dropped, "n", strconv.Itoa(r.UnknownKeys)))
	}
	return lines
}

const maxListed = 20 // names in a sentence

// list returns names with commas between them, and the number of those that are left out.
func (t *texts) list(names []string, show func(string) string) string {
	all := lists.Map(names[:min(len(names), maxListed)], show)
	if more := len(names) - maxListed; more > 0 {
		all = append(all, usertext.Fill(t.More, "n", strconv.Itoa(more)))
	}
	return strings.Join(all, ", ")
}

func (t *texts) quoted(text string) string {
	return usertext.Fill(t.Quoted, "text", usertext.Escape(strings.TrimRight(text, ".")))
}
