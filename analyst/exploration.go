package analyst

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/claims"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/usertext"
)

// An Exploration is what a turn found.
type Exploration struct {
	Status          string          `json:"status"` // "exploration_complete"
	Question        string          `json:"question"`
	Summary         string          `json:"summary"`
	Insights        []string        `json:"insights"`
	Language        string          `json:"language,omitempty"` // of the turn, such as "de"; empty: that of the question
	ExecutedQueries []ExecutedQuery `json:"executedQueries"`
	Charts          []Chart         `json:"charts"`
	Checks          []Check         `json:"checks"`         // adjusted for all tests of the session
	Data            *DataFacts      `json:"data,omitempty"` // nil if the table could not be profiled
	Metadata        Metadata        `json:"metadata"`

	// Partial is why the exploration ended early, for the user. Empty means that it
	// did not. Unproved are the numbers of the summary and the insights that are
	// neither in a result nor in the question.
	Partial  string   `json:"partial,omitempty"`
	Unproved []string `json:"unproved,omitempty"`

	// Figures are the values in the summary and the insights that were looked up. The
	// indexes of their sources are those of ExecutedQueries.
	Figures []Figure `json:"figures"`
}

// languageOf returns the language of all that is written in a turn: the one that the host
// set, or that of the question, or that of the conversation if it is not English, which
// is the language of conversations that show none.
func languageOf(ctx context.Context, turn qed.Turn) string {
	language := cmp.Or(answertext.Tag(ctx), usertext.LanguageOf(turn.Text))
	if said := qed.Info(ctx).Language; language == "" && said != usertext.English {
		return said
	}
	return language
}

// language returns the language of what is written about the exploration.
func (e *Exploration) language() string {
	return cmp.Or(answertext.Checked(e.Language), usertext.LanguageOf(e.Question))
}

// A Figure is a value in the texts of an [Exploration]. Its Offset is in the insight
// with the index Insight, or in the summary if that is -1.
type Figure struct {
	qed.Figure
	Insight int `json:"insight"`
}

// An ExecutedQuery is a query with its reason and its rows.
type ExecutedQuery struct {
	Query  string    `json:"query"`
	Reason string    `json:"reason"`
	Result qed.Table `json:"result"`
}

// A Check is a checked finding and the query that led to it.
type Check struct {
	claims.Report
	Query string `json:"relatedQuery"`
}

// A Chart is a checked Vega-Lite spec with its data.
type Chart struct {
	ID        string          `json:"id"`
	ChartType string          `json:"chartType"`
	Spec      json.RawMessage `json:"spec"`
	Title     string          `json:"title"`
	SQLQuery  string          `json:"sqlQuery"`
	Notes     []string        `json:"notes,omitempty"` // what the chart leaves out, for its reader
}

// Metadata is what an exploration used. Cost is in the currency of [llm.Prices], and
// 0 without that middleware.
type Metadata struct {
	StepCount  int            `json:"stepCount"`
	TokensUsed int            `json:"tokensUsed"`
	Cost       float64        `json:"cost"`
	DurationMs int64          `json:"durationMs"`
	ToolCalls  map[string]int `json:"toolCalls"`
	Errors     map[string]int `json:"errors"` // calls that failed, by tool
}

const (
	complete      = "exploration_complete"
	artifactName  = "exploration"
	artifactMedia = "application/vnd.qed.exploration+json"
)

// ExplorationOf returns the exploration of an answer of an [Analyst]. The error of
// another answer matches [qed.ErrNotFound].
func ExplorationOf(answer qed.Answer) (*Exploration, error) {
	for _, a := range answer.Artifacts {
		if a.MediaType == artifactMedia {
			e := new(Exploration)
			return e, json.Unmarshal(a.Data, e)
		}
	}
	return nil, fmt.Errorf("analyst: the answer has no exploration: %w", qed.ErrNotFound)
}

// finish adds the exploration to the answer of a turn.
func (e *explorer) finish(ctx context.Context, turn qed.Turn, began time.Time, answer *qed.Answer) error {
	x := &Exploration{
		Status: complete, Question: turn.Text, Language: e.language, Unproved: answer.Unproved,
		ExecutedQueries: []ExecutedQuery{}, Charts: []Chart{}, Checks: []Check{},
	}
	x.Summary, x.Insights, x.Figures = split(answer.Text, answer.Figures)
	x.Metadata = Metadata{
		StepCount: e.steps, TokensUsed: answer.Usage.InputTokens + answer.Usage.OutputTokens,
		Cost: answer.Usage.Cost, DurationMs: time.Since(began).Milliseconds(),
		ToolCalls: map[string]int{}, Errors: map[string]int{},
	}
	queries := map[string]string{} // of checked findings
	for _, r := range e.results {
		if err := x.add(ctx, r); err != nil {
			return err
		}
	}
	x.index(answer.Queries)
	for _, c := range x.Checks {
		queries[c.Finding] = c.Query
		if err := qed.Remember(ctx, reportsName, c.Report); err != nil {
			return err
		}
	}
	x.Checks = x.Checks[:0]
	for _, r := range e.checks.Reports() {
		if query, here := queries[r.Finding]; here {
			x.Checks = append(x.Checks, Check{*r, query})
		}
	}
	x.Partial = answer.PartialReason
	if facts, err := e.data.dataFacts(ctx); err == nil { // without them an answer is still one
		x.Data = facts
	}
	raw, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("analyst: %w", err)
	}
	answer.Artifacts = append(answer.Artifacts, qed.Artifact{Name: artifactName, MediaType: artifactMedia, Data: raw})
	return nil
}

// add adds the result of a call.
func (e *Exploration) add(ctx context.Context, r qed.ToolResult) error {
	e.Metadata.ToolCalls[r.Call.Name]++
	var out struct{ Success *bool } // not of a tool of the loop itself
	if r.Err != nil || json.Unmarshal(r.Output, &out) != nil || out.Success != nil && !*out.Success {
		e.Metadata.Errors[r.Call.Name]++
		return nil
	}
	switch r.Call.Name {
	case queryTool:
		var in queryArguments
		if err := json.Unmarshal(r.Call.Arguments, &in); err != nil {
			return fmt.Errorf("analyst: %w", err)
		}
		one := ExecutedQuery{Query: in.Query, Reason: in.Reason}
		if f := finding.Parse(r.Output); f.Rows != nil {
			rows, err := f.Rows.Table(ctx)
			if errors.Is(err, qed.ErrNotFound) {
				rows, err = &f.Rows.Sample, nil
			}
			if err != nil {
				return err
			}
			one.Result = *rows
		}
		e.ExecutedQueries = append(e.ExecutedQueries, one)
	case chartTool:
		return e.addChart(ctx, r)
	case validateTool:
		var in validateArguments
		if err := json.Unmarshal(r.Call.Arguments, &in); err != nil {
			return fmt.Errorf("analyst: %w", err)
		}
		found, err := reports([]qed.ToolResult{r})
		for _, report := range found {
			e.Checks = append(e.Checks, Check{report, in.RelatedQuery})
		}
		return err
	}
	return nil
}

func (e *Exploration) addChart(ctx context.Context, r qed.ToolResult) error {
	var in chartArguments
	var out chartResult
	if err := errors.Join(json.Unmarshal(r.Call.Arguments, &in), json.Unmarshal(r.Output, &out)); err != nil {
		return fmt.Errorf("analyst: %w", err)
	}
	for _, ref := range finding.Parse(r.Output).Artifacts {
		drawn, err := ref.Artifact(ctx)
		if err != nil {
			return err
		}
		e.Charts = append(e.Charts, Chart{
			ID: chartID(len(e.Charts)), ChartType: in.ChartType, Spec: drawn.Data, Title: in.Title, SQLQuery: in.SQLQuery,
			Notes: out.Notes,
		})
	}
	return nil
}

// split returns the sentences and the list of a text, and where its figures stand in
// them.
func split(text string, found []qed.Figure) (summary string, insights []string, all []Figure) {
	insights, all = []string{}, []Figure{}
	at := 0
	for line := range strings.Lines(text) {
		kept := strings.TrimSpace(line)
		from, to, insight := at+strings.Index(line, kept), 0, -1
		at += len(line)
		if item, ok := strings.CutPrefix(kept, "- "); ok {
			from, kept, insight = from+len("- "), item, len(insights)
			insights = append(insights, item)
		} else if kept != "" {
			if summary != "" {
				summary += " "
			}
			to = len(summary)
			summary += kept
		}
		for _, f := range found {
			if f.Offset >= from && f.Offset+len(f.Text) <= from+len(kept) {
				f.Offset += to - from
				all = append(all, Figure{f, insight})
			}
		}
	}
	return summary, insights, all
}

// index changes the queries of the figures from those of an answer to those of e.
func (e *Exploration) index(queries []qed.Query) {
	for i, f := range e.Figures {
		f.Sources = slices.Clone(f.Sources)
		for j, s := range f.Sources {
			f.Sources[j].Query = -1
			if s.Query >= 0 && s.Query < len(queries) {
				f.Sources[j].Query = slices.IndexFunc(e.ExecutedQueries, func(q ExecutedQuery) bool {
					return q.Query == queries[s.Query].Written
				})
			}
		}
		e.Figures[i] = f
	}
}

// chartID returns the n-th id of a chart, from 0. It has no digits, which a report
// would have to look up.
func chartID(n int) string {
	letters := ""
	for ; n >= 0; n = n/26 - 1 {
		letters = string(rune('a'+n%26)) + letters
	}
	return "chart_" + letters
}
