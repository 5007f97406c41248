package analyst

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var (
	contextPrompt = promptset.Parse(promptFiles, "context.tmpl")
	reportPrompt  = promptset.Parse(promptFiles, "report.tmpl")
)

// A Report is a text about explorations. The image ![](chart:ID) of Markdown stands
// for the chart with that ID, as in package chart/page.
type Report struct {
	Markdown string       `json:"report"`
	Language string       `json:"language,omitempty"` // such as "de"; empty if it is not known
	Charts   []Chart      `json:"charts"`
	Figures  []qed.Figure `json:"figures"` // the indexes of their sources are those of Queries

	// Partial is why the report is not complete or doubtful, for the user. Empty means
	// that it is complete.
	Partial string `json:"partial,omitempty"`

	// Queries are those of all explorations. Unproved are the numbers of Markdown
	// that are in none of their rows; Markdown has a sentence about these.
	Queries  []ExecutedQuery `json:"queries"`
	Unproved []string        `json:"unproved"`
}

// reportData is the data of the prompt for a report.
type reportData struct {
	Explorations, Syntax string
	Language             string // as that of [Exploration]
	Tables               []tableText
}

// A tableText is the rows of a query in a prompt.
type tableText struct{ Name, Query, Rows string }

const (
	maxReportRows  = 40 // of a query in the prompt
	maxReportBytes = 4 << 10
)

// Report writes a report about one or more explorations of a session, in the language
// of the first. The model writes the findings, with each chart next to what it shows. Code
// writes what follows: what was checked with each verdict and its numbers, the data, the
// open questions and the queries. The numbers of the findings are looked up in the rows of
// the queries: see package figures. It believes the explorations: use [Analyst.Rerun] for
// those of a client. It ends after [Options].Timeout.
func (a *Analyst) Report(ctx context.Context, explorations ...*Exploration) (*Report, error) {
	if len(explorations) == 0 {
		return nil, errors.New("analyst: Report needs an exploration: ask a question first")
	}
	ctx, cancel := context.WithTimeout(ctx, a.opt.Timeout)
	defer cancel()
	out := &Report{Language: explorations[0].language()}
	d := reportData{Syntax: figures.Syntax, Language: out.Language}
	var source figures.Source
	var shown []map[string]any
	for _, e := range explorations {
		var charts []map[string]string
		for _, c := range e.Charts {
			c.ID = chartID(len(out.Charts))
			out.Charts = append(out.Charts, c)
			charts = append(charts, map[string]string{"id": c.ID, "type": c.ChartType, "title": c.Title})
		}
		for _, q := range e.ExecutedQueries {
			name := fmt.Sprint("q", len(out.Queries)+1)
			text, _ := q.Result.PromptLines(maxReportRows, maxReportBytes)
			d.Tables = append(d.Tables, tableText{Name: name, Query: q.Query, Rows: text})
			source.Tables = append(source.Tables, figures.Table{Name: name, Rows: q.Result, Query: len(out.Queries)})
			source.Data = append(source.Data, q.Query)
			out.Queries = append(out.Queries, q)
		}
		source.Data = append(source.Data, e.Question)
		shown = append(shown, map[string]any{
			"question": e.Question, "summary": e.Summary, "insights": e.Insights, "charts": charts, "checks": e.Checks,
		})
	}
	source.Language = answertext.Numbers(d.Language, explorations[0].Question)
	raw, err := json.Marshal(shown)
	if err != nil {
		return nil, fmt.Errorf("analyst: %w", err)
	}
	d.Explorations = string(raw)
	req, err := a.model.Request("report", reportPrompt, d, nil)
	if err != nil {
		return nil, err
	}
	said, err := answertext.Text(ctx, a.model, req, source, answertext.Stream(ctx, qed.ChannelFinal))
	texts := textTable.In(ctx, d.Language)
	out.Markdown, out.Figures, out.Unproved = said.Text, said.Figures, said.Unproved
	switch {
	case err != nil && (said.Text == "" || !modelcall.Unusable(err)):
		return nil, err
	case err != nil:
		out.Partial = texts.Unchecked
		answertext.Append(ctx, &out.Markdown, texts.Unchecked)
	}
	if doubt := answertext.Doubt(texts.Unproved, out.Unproved); doubt != "" {
		out.Partial = strings.TrimSpace(out.Partial + " " + doubt)
		answertext.Append(ctx, &out.Markdown, "> "+doubt)
	}
	for _, c := range out.Charts {
		if !strings.Contains(out.Markdown, "(chart:"+c.ID+")") { // above the sections, because it belongs to the findings
			answertext.Append(ctx, &out.Markdown, "![](chart:"+c.ID+")")
		}
	}
	answertext.Append(ctx, &out.Markdown, sectionTable.In(ctx, d.Language).sections(explorations))
	return out, nil
}
