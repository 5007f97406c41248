package analyst

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/lint"
	"github.com/qedkit/qed/claims"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/toolagent"
)

// The names of the tools.
const (
	queryTool    = "executeSQLQuery"
	chartTool    = "createVisualization"
	profileTool  = "profileData"
	validateTool = "validateAnalysis"
)

// A session is an exploration with what earlier turns of its thread checked.
type session struct {
	*Analyst
	checks *claims.Session

	mu      sync.Mutex
	results []qed.ToolResult
}

// reportsName is the name under which a thread remembers checked findings.
const (
	reportsName = "analyst/reports"
	maxReports  = 200
)

func (a *Analyst) newSession(ctx context.Context) (*session, error) {
	earlier, err := qed.Remembered[claims.Report](ctx, reportsName, maxReports)
	if err != nil {
		return nil, err
	}
	reports := make([]*claims.Report, len(earlier))
	for i := range earlier {
		reports[i] = &earlier[i]
	}
	return &session{Analyst: a, checks: claims.NewSession(reports...)}, nil
}

func (s *session) tools() []qed.Tool {
	run := qed.NewTool(queryTool, "Executes a read-only SELECT on the table "+prompt.Quote(s.data.Table)+".", s.query)
	draw := qed.NewTool(chartTool, "Draws the rows of a SELECT with a Vega-Lite spec. The spec has no data of its own: "+
		"its fields are the columns of the query.", s.draw)
	profile := qed.NewTool(profileTool, "Returns figures of columns over all rows, and problems of the data.", s.profile)
	validate := qed.NewTool(validateTool, "Checks a finding with the rows behind its query: sample size, significance, "+
		"outliers, missing data, Simpson's paradox, causal wording. Give a typed claim if one fits.", s.validate)
	run.Language, validate.Kind = query.SQL, qed.AnalysisTool
	all := []qed.Tool{run, draw, profile, validate}
	for i := range all {
		all[i].Idempotent = true // they only read, and a claim that is checked again counts once
	}
	return all
}

type queryArguments struct {
	Query  string `json:"query" jsonschema_description:"one SELECT statement"`
	Reason string `json:"reason" jsonschema_description:"why this query is needed for the analysis"`
}

// An outcome is the result of a call: success, or an error with a hint.
type outcome struct {
	Success bool   `json:"success"`
	Error   string `json:"error,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

type queryResult struct {
	outcome
	finding.Finding
	Alternatives []alternative `json:"alternatives,omitempty"`
}

func (s *session) query(ctx context.Context, in queryArguments) (out queryResult, err error) {
	began := time.Now()
	rows, executed, err := s.data.read(ctx, in.Query)
	if err != nil {
		out.outcome, err = s.failed(ctx, err)
		return out, err
	}
	millis := time.Since(began).Milliseconds()
	qed.Emit(ctx, qed.QueryExecuted{Query: executed, Rows: len(rows.Rows), Truncated: rows.Truncated, Millis: millis})
	out.Success = true
	if out.Rows, err = finding.SaveRows(ctx, rows); err != nil {
		return out, err
	}
	out.Queries = []qed.Query{{
		Language: query.SQL, Written: in.Query, Executed: executed, Rows: len(rows.Rows), Millis: millis, Handle: out.Rows.Handle,
	}}
	if len(rows.Rows) == 0 {
		out.Hint = "The query found no rows. Compare its conditions with the values in the data."
		out.Alternatives = s.data.alternatives(ctx, in.Query)
	}
	return out, nil
}

// failed returns an error that the model can act on as the result of a call. The
// error of a context that has ended stays one.
func (s *session) failed(ctx context.Context, err error) (outcome, error) {
	if ctx.Err() != nil {
		return outcome{}, err
	}
	return outcome{Error: err.Error(), Hint: s.data.hint(err)}, nil
}

type chartArguments struct {
	ChartType string          `json:"chartType" jsonschema:"enum=bar,enum=line,enum=scatter,enum=area,enum=histogram,enum=boxplot"`
	Spec      json.RawMessage `json:"spec" jsonschema:"type=object" jsonschema_description:"a Vega-Lite spec without data"`
	SQLQuery  string          `json:"sqlQuery" jsonschema_description:"the SELECT whose rows are drawn"`
	Title     string          `json:"title" jsonschema_description:"what the chart shows, in the user's language"`
}

type chartResult struct {
	outcome
	Notes     []string              `json:"notes,omitempty"`
	Artifacts []finding.ArtifactRef `json:"artifacts,omitempty"`
}

// kinds are the kinds of charts that differ in name.
var kinds = map[string]chart.Kind{"boxplot": chart.Box}

func (s *session) draw(ctx context.Context, in chartArguments) (out chartResult, err error) {
	rows, _, err := s.data.read(ctx, in.SQLQuery)
	if err != nil {
		out.outcome, err = s.failed(ctx, err)
		return out, err
	}
	kind := chart.Kind(in.ChartType)
	if other := kinds[in.ChartType]; other != "" {
		kind = other
	}
	spec, err := lint.Check(in.Spec, rows, lint.Options{Kind: kind, Title: in.Title})
	if err != nil {
		if out.outcome, err = s.failed(ctx, err); err == nil {
			out.Hint = "Use the columns of the query as fields, and no data, url or expression."
		}
		return out, err
	}
	kept, err := finding.SaveArtifact(ctx, spec.Artifact())
	if err != nil {
		return out, err
	}
	out.Success, out.Notes, out.Artifacts = true, spec.Notes, []finding.ArtifactRef{kept}
	return out, nil
}

type validateArguments struct {
	Finding      string        `json:"finding" jsonschema_description:"the insight to check, as one sentence"`
	RelatedQuery string        `json:"relatedQuery" jsonschema_description:"the query that led to the finding"`
	Claim        *claims.Claim `json:"claim,omitempty" jsonschema_description:"what the finding says, in the columns of the table"`
}

type validateResult struct {
	outcome
	Source string         `json:"source,omitempty"` // the statement that read the rows
	Report *claims.Report `json:"report,omitempty"`
}

func (s *session) validate(ctx context.Context, in validateArguments) (out validateResult, err error) {
	rows, err := s.data.sample(ctx, in.RelatedQuery)
	if err == nil {
		out.Source = rows.query
		out.Report, err = s.checks.Check(ctx, claims.Finding{
			Text: in.Finding, Claim: in.Claim, Rows: rows.rows, Total: rows.total, Sampled: rows.sampled,
		})
	}
	if err != nil {
		out.outcome, err = s.failed(ctx, err)
		if out.Hint == "" {
			out.Hint = fmt.Sprint("A claim names columns of the table: ", s.data.columns[:min(60, len(s.data.columns))], ".")
		}
		return out, err
	}
	out.Success = true
	return out, nil
}

// collect takes the results of all steps so far, also those of a resumed run.
func (s *session) collect(_ context.Context, p toolagent.Progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = p.Results
	return nil
}

// reports returns the checked findings of the turn.
func reports(results []qed.ToolResult) ([]claims.Report, error) {
	var all []claims.Report
	for _, r := range results {
		if r.Call.Name != validateTool || r.Err != nil {
			continue
		}
		var v validateResult
		if err := json.Unmarshal(r.Output, &v); err != nil {
			return nil, errors.Join(errors.New("analyst: the result of validateAnalysis cannot be read"), err)
		}
		if v.Report != nil {
			all = append(all, *v.Report)
		}
	}
	return all, nil
}
